# Reads, in this order,
#   1. names.txt, what cudart exports beyond its header,
#   2. cuda_runtime_api.h as it is, for the names that have a per-thread-default-stream form,
#   3. what the preprocessor makes of it, for the declarations,
# and writes one of
#   -v mode=list    every exported name, one per line,
#   -v mode=names   a header that puts rt_ before each function's name, so that the library's own functions
#                   are not those it exports and nothing can come between them, or
#   -v mode=code    a C file: a weak definition of each function, the exports, and the table of both.
#
# A weak definition gives way to the library's own.  A _ptsz or _ptds name calls the plain one with the
# per-thread default stream in place of the default stream; otherwise it says that there is no such function.

function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); gsub(/[ \t]+/, " ", s); return s }

# "size_t *bytes" -> "bytes"; "" for void.
function parameter_name(p) {
    sub(/\[[^]]*\]$/, "", p)
    if (p == "void" || p == "" || !match(p, /[A-Za-z_][A-Za-z0-9_]*$/)) return ""
    return substr(p, RSTART)
}

function add_name(name) {
    if (name in known) return
    known[name] = 1
    names[++count] = name
}

function add_function(result, name, list,   n, parts, i, p, argument) {
    if (name in parameters) return
    add_name(name)
    results[name] = result
    n = split(list, parts, ",")
    parameters[name] = ""; arguments[name] = ""
    for (i = 1; i <= n; i++) {
        p = trim(parts[i])
        argument = parameter_name(p)
        parameters[name] = parameters[name] (i > 1 ? ", " : "") p
        if (p ~ /^cudaStream_t [a-zA-Z_]+$/) argument = "runtime_per_thread(" argument ")"
        arguments[name] = arguments[name] (i > 1 ? ", " : "") argument
    }
}

function statement(text,   name, list, result) {
    if (!match(text, /[^(]* \**cuda[A-Za-z0-9_]+ *\(/)) return
    result = substr(text, RSTART, RLENGTH); list = substr(text, RSTART + RLENGTH)
    if (!sub(/\) *$/, "", list)) return
    sub(/ *\($/, "", result)
    match(result, /cuda[A-Za-z0-9_]+$/)
    name = substr(result, RSTART); result = trim(substr(result, 1, RSTART - 1))
    gsub(/extern|__attribute__/, "", result)
    add_function(trim(result), name, list)
}

FILENAME != file { file = FILENAME; stage++ }
stage == 1 {
    if ($0 ~ /^#/ || NF == 0) next
    extra[++extra_count] = $1
    if ($2 == 12) differs[$1] = 1
    next
}
stage == 2 {
    if (match($0, /__CUDART_API_PT[DS][SZ]\(cuda[A-Za-z0-9_]+\)/)) {
        item = substr($0, RSTART, RLENGTH)
        form = item ~ /PTDS/ ? "_ptds" : "_ptsz"
        gsub(/.*\(|\)/, "", item)
        if (item != "api") forms[item] = form
    }
    next
}
/^#/ { next }
{
    gsub(/__attribute__\(\([a-z_]*(\("[^"]*"\))?\)\)/, "")
    buffer = buffer " " $0
    while ((at = match(buffer, /[;{}]/)) > 0) {
        if (substr(buffer, at, 1) == ";") statement(substr(buffer, 1, at - 1))
        buffer = substr(buffer, at + 1)
    }
}

# One exported name: a jump, so that it can be given both version nodes.
function export(name,   target12) {
    target12 = ""
    if (name in differs) target12 = "rt_" name "_v12"
    if (name ~ /_pt[sd][sz]$/ && (plain_name(name) in differs)) target12 = "rt_" name "_v12"
    if (target12 == "")
        print "RUNTIME_EXPORT(" name ")"
    else
        print "RUNTIME_EXPORT_13(" name ")\nRUNTIME_EXPORT_12(" name ", " target12 ")"
    twelve[name] = target12
}

function plain_name(name) { sub(/_pt[sd][sz]$/, "", name); return name }

function weak(result, name, list, body) {
    print "\n__attribute__((weak)) " result " rt_" name "(" list ");"
    print "__attribute__((weak)) " result " rt_" name "(" list ")\n{\n    return " body ";\n}"
}

END {
    if (count < 200) { print "entries.awk: only " count " functions found" > "/dev/stderr"; exit 1 }
    for (i = 1; i <= extra_count; i++) add_name(extra[i])
    plain_count = count
    for (i = 1; i <= plain_count; i++)
        if (names[i] in forms) { form_of[names[i] forms[names[i]]] = names[i]; add_name(names[i] forms[names[i]]) }
    if (mode == "list") {
        for (i = 1; i <= count; i++) print names[i]
        exit
    }
    if (mode == "names") {
        print "/* Made from cuda_runtime_api.h and names.txt by sim/cudart/entries.awk. */"
        for (i = 1; i <= count; i++) print "#define " names[i] " rt_" names[i]
        exit
    }
    print "/* Made from cuda_runtime_api.h and names.txt by sim/cudart/entries.awk. */"
    print "#include \"sim/cudart/runtime.h\"\n#include \"sim/cudart/exports.h\"\n"
    for (i = 1; i <= count; i++) print "#undef " names[i]
    print "#pragma GCC diagnostic ignored \"-Wunused-parameter\""
    print "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\""
    for (i = 1; i <= count; i++) {
        name = names[i]
        if (name in form_of) {
            weak("cudaError_t", name, parameters[form_of[name]], "rt_" form_of[name] "(" arguments[form_of[name]] ")")
        } else if (!(name in results)) {
            weak("cudaError_t", name, "void", "runtime_unsupported(\"" name "\")")
        } else if (results[name] == "cudaError_t") {
            weak("cudaError_t", name, parameters[name], "runtime_unsupported(\"" name "\")")
        }
    }
    print ""
    for (i = 1; i <= count; i++) export(names[i])
    for (i = 1; i <= count; i++)
        if (twelve[names[i]] != "") print "cudaError_t " twelve[names[i]] "(void);"
    print "\nconst struct runtime_entry runtime_entries[] = {"
    for (i = 1; i <= count; i++) {
        name = names[i]
        target12 = twelve[name] == "" ? "rt_" name : twelve[name]
        print "    {\"" name "\", (void *)rt_" name ", (void *)" target12 "},"
    }
    print "};\nconst size_t runtime_entry_count = sizeof runtime_entries / sizeof *runtime_entries;"
}

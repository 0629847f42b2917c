# Reads what the preprocessor makes of cuda.h (with __CUDA_API_VERSION_INTERNAL, so that every exported
# name is declared once), then, where there is one, cudaTypedefs.h, and writes either
#   -v mode=list   every function's name, one per line, or
#   -v mode=code   a C file: a weak definition of each function, and the table for cuGetProcAddress.
#
# A weak definition gives way to the driver's own.  It forwards to another name of the same function
# where the parameters are the same: _ptsz and _ptds (per-thread default streams) to the plain name, an
# old version to the newest of its kind.  Otherwise it says that the simulator has no such function.
#
# newer.txt names functions that this cuda.h may not know: those are exported as unsupported.
#
# cudaTypedefs.h names a type for each version of a function, PFN_<name>_v<CUDA version>.  There are as
# many as there are exported versions, in the same order, which says when each one came.

function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); gsub(/[ \t]+/, " ", s); return s }

# "size_t *bytes" -> "bytes"; "" for void.
function parameter_name(p) {
    sub(/\[[^]]*\]$/, "", p)
    if (p == "void" || p == "" || !match(p, /[A-Za-z_][A-Za-z0-9_]*$/)) return ""
    return substr(p, RSTART)
}

# "size_t *bytes" -> "size_t*": the type alone, to compare.
function parameter_type(p,   name) {
    name = parameter_name(p)
    if (name != "") sub(name "(\\[[^]]*\\])?$", "", p)
    gsub(/ /, "", p)
    return p
}

function add_function(name, list,   n, parts, i, p) {
    if (name in parameters) return
    names[++count] = name
    n = split(list, parts, ",")
    parameters[name] = ""; arguments[name] = ""; types[name] = ""
    for (i = 1; i <= n; i++) {
        p = trim(parts[i])
        parameters[name] = parameters[name] (i > 1 ? ", " : "") p
        arguments[name] = arguments[name] (i > 1 ? ", " : "") parameter_name(p)
        types[name] = types[name] (i > 1 ? "," : "") parameter_type(p)
    }
}

function statement(text,   name, list) {
    if (!match(text, /CUresult +cu[A-Za-z0-9_]+ *\(/)) return
    name = substr(text, RSTART, RLENGTH); list = substr(text, RSTART + RLENGTH)
    sub(/^CUresult +/, "", name); sub(/ *\($/, "", name)
    if (!sub(/\) *$/, "", list)) return
    add_function(name, list)
}

FILENAME ~ /newer\.txt$/ {
    if ($0 !~ /^#/ && NF) newer[++newer_count] = $1
    next
}
FILENAME != ARGV[1] {
    line = $0
    while (match(line, /PFN_cu[A-Za-z0-9_]+_v[0-9]+\)/)) {
        item = substr(line, RSTART + 4, RLENGTH - 5); line = substr(line, RSTART + RLENGTH)
        match(item, /_v[0-9]+$/)
        base = substr(item, 1, RSTART - 1); version = substr(item, RSTART + 2) + 0
        if (!((base, version) in seen)) { seen[base, version] = 1; versions[base] = versions[base] " " version }
    }
    next
}

/^#/ { next }
{
    buffer = buffer " " $0
    while ((at = index(buffer, ";")) > 0) {
        statement(substr(buffer, 1, at - 1))
        buffer = substr(buffer, at + 1)
    }
}

function plain_name(name) { sub(/_pt[sd][sz]$/, "", name); return name }
function base_name(name) { name = plain_name(name); sub(/_v[0-9]$/, "", name); return name }
function suffix_number(name) { return match(name, /_v[0-9]$/) ? substr(name, RSTART + 2) + 0 : 1 }

# The other function that this one is, or "".
function forward_target(name,   plain, base, k) {
    plain = plain_name(name)
    if (plain != name) return plain in types && types[plain] == types[name] ? plain : ""
    base = base_name(name)
    for (k = 9; k > suffix_number(name); k--)
        if ((base "_v" k) in types && types[base "_v" k] == types[name]) return base "_v" k
    return ""
}

# The CUDA version that brought this name: its place among its versions; 0 when unknown.
function version_of(name,   base, n, list, i, j, t, k, place, total) {
    base = base_name(name)
    n = split(versions[base], list, " ")
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && list[j - 1] + 0 > list[j] + 0; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
    for (k = 1; k <= 9; k++)
        if ((k == 1 ? base : base "_v" k) in types) { total++; if (k == suffix_number(name)) place = total }
    return total == n ? list[place] + 0 : 0
}

END {
    if (count < 200) { print "entries.awk: only " count " functions found in cuda.h" > "/dev/stderr"; exit 1 }
    if (mode == "list") {
        for (i = 1; i <= count; i++) print names[i]
        exit
    }
    print "/* Made from cuda.h by sim/cuda/entries.awk. */"
    print "#define __CUDA_API_VERSION_INTERNAL 1"
    print "#include \"sim/cuda/entries.h\"\n"
    print "#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n"
    for (i = 1; i <= count; i++) print "#undef " names[i]
    for (i = 1; i <= count; i++) {
        name = names[i]; target = forward_target(name)
        print "\n__attribute__((weak)) CUresult " name "(" parameters[name] ")\n{"
        print target != "" ? "    return " target "(" arguments[name] ");\n}" \
                           : "    return entry_unsupported(\"" name "\");\n}"
    }
    for (i = 1; i <= newer_count; i++) {
        name = newer[i]
        if (name in types) continue
        print "\n__attribute__((weak)) ENTRY_EXPORT CUresult " name "(void);"
        print "CUresult " name "(void)\n{\n    return entry_unsupported(\"" name "\");\n}"
    }
    print "\nconst struct entry entry_table[] = {"
    for (i = 1; i <= count; i++) {
        name = names[i]
        base = plain_name(name) == name ? "\"" base_name(name) "\"" : "NULL"
        print "    {\"" name "\", " base ", " version_of(name) ", " suffix_number(name) ", (void *)" name "},"
    }
    print "};\nconst size_t entry_count = sizeof entry_table / sizeof *entry_table;"
}

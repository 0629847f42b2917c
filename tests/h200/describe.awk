# Reads cuda.h and driver_types.h and writes rows for describe.c:
#   DEVICE_ATTRIBUTE(number, NAME)   each attribute of a device, by its newest name
#   PROPERTY_FIELD(field, elements)  each numeric field of cudaDeviceProp; elements 1 where it is no array
function emit() {
    for (number = 1; number <= last; number++)
        if (number in names) print "DEVICE_ATTRIBUTE(" number ", " names[number] ")"
}
/CU_DEVICE_ATTRIBUTE_[A-Z0-9_]+ *= *[0-9]+/ {
    match($0, /CU_DEVICE_ATTRIBUTE_[A-Z0-9_]+/)
    name = substr($0, RSTART + 20, RLENGTH - 20)
    match($0, /= *[0-9]+/)
    number = substr($0, RSTART + 1) + 0
    if (!(number in names) && name !~ /_V1$/) names[number] = name
    if (number > last) last = number
}
/^struct .*cudaDeviceProp *$/ || /^struct .*cudaDeviceProp *\{/ { inside = 1 }
inside && /^ *};/ || inside && /^} *;/ { inside = 0 }
inside && /^ *(size_t|int|unsigned int) +[a-zA-Z0-9_]+(\[[0-9]+\])?;/ {
    match($0, /[a-zA-Z0-9_]+(\[[0-9]+\])?;/)
    field = substr($0, RSTART, RLENGTH - 1)
    elements = 1
    if (match(field, /\[[0-9]+\]/)) { elements = substr(field, RSTART + 1) + 0; field = substr(field, 1, RSTART - 1) }
    if (field !~ /^reserved/) fields = fields "PROPERTY_FIELD(" field ", " elements ")\n"
}
END { emit(); printf "%s", fields }

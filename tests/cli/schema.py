"""The part of JSON Schema that docs/*.schema.json use; anything else in a schema is an error, not ignored."""

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}
KNOWN = {"$schema", "title", "description", "type", "required", "properties", "additionalProperties", "items",
         "enum", "const", "minimum"}


def violations(value, schema, path="$"):
    """Yields a line for each place where value violates the schema."""
    unknown = set(schema) - KNOWN
    if unknown:
        raise ValueError(f"the schema uses {unknown}, which this checker does not know")
    types = schema.get("type")
    if types is not None:
        types = [types] if isinstance(types, str) else types
        if not any(TYPES[t](value) for t in types):
            yield f"{path}: {value!r} is not {types}"
            return
    if "const" in schema and value != schema["const"]:
        yield f"{path}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is none of {schema['enum']}"
    if "minimum" in schema and TYPES["number"](value) and value < schema["minimum"]:
        yield f"{path}: {value!r} is less than {schema['minimum']}"
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for name in schema.get("required", []):
            if name not in value:
                yield f"{path}: no member '{name}'"
        for name, member in value.items():
            if name in properties:
                yield from violations(member, properties[name], f"{path}.{name}")
            elif schema.get("additionalProperties", True) is False:
                yield f"{path}: unknown member '{name}'"
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            yield from violations(item, schema["items"], f"{path}[{i}]")

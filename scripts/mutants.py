"""Mutants of a C file: its text with one operator, constant or bound changed.  See scripts/mutate.py.

The tree's format tells what an operator is: clang-format puts spaces around binary ones and none behind unary ones.
"""
import re
from dataclasses import dataclass

RELATIONAL = {
    "<": ("<=", ">=", "+ 1 <"),
    "<=": ("<", ">", "<= 1 +"),
    ">": (">=", "<=", "> 1 +"),
    ">=": (">", "<", "+ 1 >="),
    "==": ("!=",),
    "!=": ("==",),
}
BINARY = {
    **RELATIONAL,
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("/",),
    "&": ("|",), "|": ("&",), "^": ("&",), "<<": (">>",), ">>": ("<<",),
    "&&": ("||",), "||": ("&&",),
    "+=": ("-=",), "-=": ("+=",), "*=": ("/=",), "/=": ("*=",), "%=": ("/=",),
    "&=": ("|=",), "|=": ("&=",), "^=": ("&=",), "<<=": (">>=",), ">>=": ("<<=",),
}
OPERATOR = re.compile(r"(?<=\s)(?:" + "|".join(map(re.escape, sorted(BINARY, key=len, reverse=True))) + r")(?=\s)")
STEP = re.compile(r"\+\+|--")
UNARY = re.compile(r"(?<![\w)\]])[!~](?=[\w(*&!~])")
NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)(?![\w.])")
TRUTH = re.compile(r"\b(?:true|false)\b")
# The size of an array that is declared: a larger one changes nothing, a smaller one is the sanitizers' to find.
DECLARED = re.compile(r"\s*(?:static |const |_Atomic |thread_local )*"
                      r"(?:unsigned|char|int|bool|float|double|size_t|u?int\d+_t|(?:struct|enum|union) \w+)\b"
                      r"(?:.*,)?[\w ]* \*?\w+(?:\[\w+\])*\[$")
# A bound check: a comparison, or a guard against a wrap, of something with one of these names.
BOUND = re.compile(r"size|bytes|limit|end|extent|room|length|count|bound|capacity|width|height|depth|pitch|offset|left"
                   r"|space|window|align|past|most|least|max|UINT|INT64|SIZE|overflow|reach|rows|cols|layer|level|total",
                   re.IGNORECASE)
CHECK = re.compile(r"\s(?:<|<=|>|>=)\s|__builtin_\w+_overflow|\b(?:sim_within|sim_memory_reaches|memory_check)\(")
WITHIN = re.compile(r"(?<!bool )(?<!CUresult )\b(?:sim_within|sim_memory_reaches|memory_check)\(")  # the last argument is the bound
STATEMENT = re.compile(r"[;{}]")
HEAD = re.compile(r"[\s}]*(?:else )?(?:if|while|for|switch) \(")
LOOP = re.compile(r"[\s}]*for \(")
COMMENT_OR_TEXT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
                             r"|^[ \t]*#[ \t]*(?!define)(?:[^\n\\]|\\.|\\\n)*", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    file: str
    start: int
    end: int
    old: str
    new: str
    line: int
    column: int
    text: str    # the line that it is in
    number: int  # how many lines of this text come before it in the file

    @property
    def key(self):
        """Stays the same while other lines of the file change."""
        return f"{self.file}|{self.number}|{self.text}|{self.column}|{self.old}|{self.new}"

    def apply(self, source):
        return source[:self.start] + self.new + source[self.end:]


def blanked(source):
    """The source with comments, strings and directives other than #define replaced by spaces."""
    return COMMENT_OR_TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)


def closing(code, at):
    """Behind the parenthesis that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] == "(") - (code[i] == ")")
        if depth == 0:
            return i + 1
    return len(code)


def statements(code):
    """(start, end) of statements; the condition of an if or a loop is one, and so is what depends on it."""
    start = 0
    while start < len(code):
        head = HEAD.match(code, start)
        if head:
            end = closing(code, head.end() - 1)
        else:
            match = STATEMENT.search(code, start)
            end = match.end() if match else len(code)
        yield start, end
        start = end


def bound_checks(code):
    """The statements that check a bound; the header of a loop over a range is none."""
    for start, end in statements(code):
        text = code[start:end]
        if not LOOP.match(text) and CHECK.search(text) and BOUND.search(text):
            yield start, end


def replacements(code):
    """(start, end, new) of every change."""
    for match in OPERATOR.finditer(code):
        for new in BINARY[match.group()]:
            yield match.start(), match.end(), new
    for match in STEP.finditer(code):
        yield match.start(), match.end(), "--" if match.group() == "++" else "++"
    for match in UNARY.finditer(code):
        yield match.start(), match.end(), ""
    for match in TRUTH.finditer(code):
        yield match.start(), match.end(), "false" if match.group() == "true" else "true"
    for match in WITHIN.finditer(code):
        end = closing(code, match.end() - 1)
        for new in (" + 1)", " - 1)"):
            yield end - 1, end, new
    for match in NUMBER.finditer(code):
        line = code[code.rfind("\n", 0, match.start()) + 1:match.start()]
        if DECLARED.match(line):
            continue
        digits, suffix = match.groups()
        value = int(digits, 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" and len(digits) > 1 else 10)
        for new in {value + 1, max(value - 1, 0)} - {value}:
            yield match.start(), match.end(), (hex(new) if digits[:2] in ("0x", "0X") else str(new)) + suffix


def mutants(file, source, bounds_only=False):
    """All mutants of a file's text, in the order of the text."""
    code = blanked(source)
    lines = source.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    wanted = list(bound_checks(code)) if bounds_only else [(0, len(code))]
    seen, numbers = {}, []
    for line in lines:
        seen[line] = seen.get(line, -1) + 1
        numbers.append(seen[line])
    found = []
    for start, end, new in sorted(replacements(code)):
        if not any(first <= start < last for first, last in wanted):
            continue
        line = source.count("\n", 0, start)
        found.append(Mutant(file, start, end, source[start:end], new, line + 1, start - starts[line] + 1,
                            lines[line].strip(), numbers[line]))
    return found

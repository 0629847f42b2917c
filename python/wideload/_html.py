"""A report as HTML for notebooks: kernels, then each kernel's source lines with what they access."""
from __future__ import annotations

import html
import os
from typing import Any, Iterable

# Colours that can be read on light and on dark pages.
_WORST = "background:rgba(220,60,40,.25)"
_BAR = "linear-gradient(90deg,rgba(70,130,220,.35) {0:.0f}%,transparent {0:.0f}%)"
_NEAR = 2  # lines of source shown around one that accesses memory

# Title, the metric's name, and whether it is worth a column where all kernels have 0.
_COLUMNS = [("launches", "launches", True),
            ("load requests", "global_load_requests", True), ("load sectors", "gld_transactions", True),
            ("load %", "gld_efficiency", True),
            ("store requests", "global_store_requests", True), ("store sectors", "gst_transactions", True),
            ("store %", "gst_efficiency", True),
            ("shared load passes", "shared_load_transactions", False),
            ("shared store passes", "shared_store_transactions", False),
            ("local sectors", "local_load_transactions", False)]


def _figure(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}".replace(",", " ") if isinstance(value, int) else html.escape(str(value))


def _cell(text: str, style: str = "text-align:right", tag: str = "td") -> str:
    return f'<{tag} style="{style}">{text}</{tag}>'


def _table(head: Iterable[str], body: Iterable[str]) -> str:
    return ('<table style="font-size:90%"><thead><tr>' + "".join(head) + "</tr></thead><tbody>" + "".join(body) +
            "</tbody></table>")


def _kernels(rows: list[dict[str, Any]]) -> str:
    columns = [(title, name) for title, name, always in _COLUMNS if always or any(row.get(name) for row in rows)]
    head = [_cell("kernel", "text-align:left", "th")] + [_cell(title, tag="th") for title, _ in columns]
    body = []
    for row in rows:
        uncertain = row["uncertain"]
        cells = [_cell(f"<code>{html.escape(str(row['kernel']))}</code>", "text-align:left")]
        cells += [_cell(("~" if name in uncertain else "") + _figure(row.get(name))) for _, name in columns]
        body.append("<tr>" + "".join(cells) + "</tr>")
    return _table(head, body)


def _sum_lines(launches: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The accesses of a kernel's launches, added up by place and kind."""
    sums: dict[tuple[Any, ...], dict[str, Any]] = {}
    for launch in launches:
        for line in launch["lines"]:
            key = (line["file"] or "", line["line"] or 0, line["column"] or 0, line["access"])
            if key not in sums:
                sums[key] = dict(line)
                continue
            total = sums[key]
            for name in ("requests", "transactions", "wavefronts", "conflicts"):
                total[name] += line[name]
            total["reason"] = total["reason"] or line["reason"]
            total["uncertain"] = total["uncertain"] or line["uncertain"]
    return [sums[key] for key in sorted(sums)]


def _waste(line: dict[str, Any]) -> float:
    """Sectors and passes beyond the least."""
    if not line["reason"]:
        return 0.0
    efficiency = line["efficiency"]
    moved = line["transactions"] * (1 - efficiency / 100) if efficiency is not None else 0
    return moved + line["conflicts"]


def _access(line: dict[str, Any]) -> str:
    cost = line["transactions"] + line["wavefronts"]
    each = cost / line["requests"] if line["requests"] else 0
    kind = "sectors" if line["transactions"] else "passes"
    words = f": {html.escape(line['reason'])}" if line["reason"] else ""
    return (f"<code>{html.escape(line['access'])}</code> {'~' if line['uncertain'] else ''}{_figure(line['requests'])} "
            f"requests, {each:.4g} {kind} each{words}")


def _text_of(path: str, sources: dict[str, str]) -> list[str]:
    """The lines of a source: of a cell, or of a file that is there."""
    if path in sources:
        return sources[path].splitlines()
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def _source(path: str, lines: list[dict[str, Any]], worst: dict[str, Any] | None, sources: dict[str, str]) -> str:
    text = _text_of(path, sources)
    at: dict[int, list[dict[str, Any]]] = {}
    for line in lines:
        at.setdefault(line["line"] or 0, []).append(line)
    shown = sorted({near for number in at for near in range(number - _NEAR, number + _NEAR + 1)
                    if near in at or 1 <= near <= len(text)})
    most = max((line["transactions"] + line["wavefronts"] for line in lines), default=0) or 1
    body = []
    for number in shown:
        here = at.get(number, [])
        cost = sum(line["transactions"] + line["wavefronts"] for line in here)
        style = _WORST if worst is not None and any(line is worst for line in here) else ""
        code = html.escape(text[number - 1]) if 1 <= number <= len(text) else ""
        body.append(f'<tr style="{style}">' + _cell(str(number) if number else "") +
                    _cell(f'<pre style="margin:0;background:none">{code}</pre>', "text-align:left") +
                    _cell(_figure(cost) if here else "",
                          "text-align:right;background:" + _BAR.format(100 * min(cost / most, 1)) if here else "") +
                    _cell("<br>".join(map(_access, here)), "text-align:left") + "</tr>")
    head = [_cell("line", tag="th"), _cell(html.escape(os.path.basename(path)), "text-align:left", "th"),
            _cell("sectors + passes", tag="th"), _cell("accesses", "text-align:left", "th")]
    return _table(head, body)


def _bug(level: str, bug: dict[str, Any], sources: dict[str, str]) -> str:
    """A finding or a fault, and its source line."""
    file, number = bug["file"], bug["line"]
    place = f"{os.path.basename(file)}:{number}: " if file else ""
    text = _text_of(file, sources) if file else []
    code = f"<pre>{html.escape(text[number - 1].strip())}</pre>" if number and number <= len(text) else ""
    return f"<li><b>{html.escape(level)}</b> {html.escape(place + bug['text'])}{code}</li>"


def report(rows: list[dict[str, Any]], launches: list[dict[str, Any]], findings: list[dict[str, Any]],
           sources: dict[str, str], text: str, page: str = "") -> str:
    """The whole report.  `sources` holds texts by path that are in no file any more; `text` says why no kernel ran.
    `page` is shown in a frame of its own, in which nothing runs."""
    if not rows:
        return f"<pre>{html.escape(text)}</pre>"
    parts = [_kernels(rows)]
    names = dict.fromkeys(launch["kernel"] for launch in launches)
    sums = {name: _sum_lines([launch for launch in launches if launch["kernel"] == name]) for name in names}
    worst = max((line for lines in sums.values() for line in lines), key=_waste, default=None)
    worst = worst if worst is not None and _waste(worst) > 0 else None
    for name, lines in sums.items():
        for path in dict.fromkeys(line["file"] or "" for line in lines):
            parts.append(f"<p><code>{html.escape(name)}</code></p>")
            parts.append(_source(path, [line for line in lines if (line["file"] or "") == path], worst, sources))
    notes = dict.fromkeys(note for launch in launches for note in launch.get("notes", []))
    items = [_bug(finding["level"], finding, sources) for finding in findings]
    items += [_bug("fault", launch["fault"], sources) for launch in launches if "fault" in launch]
    items += [f"<li>{html.escape(note)}</li>" for note in notes]
    frame = (f'<details open><summary>Requests as pictures</summary><iframe sandbox title="Requests as pictures" '
             f'style="width:100%;height:38rem;border:0" srcdoc="{html.escape(page)}"></iframe></details>') if page else ""
    return "".join(parts) + ("<ul>" + "".join(items) + "</ul>" if items else "") + frame

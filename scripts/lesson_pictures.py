#!/usr/bin/env python3
"""Draws the lessons' pictures, docs/charts/lesson-*.svg, light and dark, and writes them and links into the lessons.

    scripts/lesson_pictures.py --draw build/picture_draw           rewrites the files
    scripts/lesson_pictures.py --draw build/picture_draw --check   exits 1 when one is stale, and changes nothing

LESSONS has a request for each lesson, as docs/explorer.html has it in its address, and a caption in both languages.
"""
import argparse
import os
import re
import subprocess
import sys
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# lesson: (the request, in the order of the explorer's address; the caption in English; in Chinese)
LESSONS = {
    "add": ("space=global&bytes=16&pattern=stride&stride=16",
            "A load of `vec4-grid`: 16 bytes per lane, and every sector is used whole.",
            "`vec4-grid` 的一次读取：每个线程 16 字节，每个扇区都用满。"),
    "add-any": ("space=global&bytes=2&pattern=stride&stride=2&offset=2",
                "Halves that begin one element late: 64 bytes lie across three sectors.",
                "从第二个元素开始的半精度数组：64 字节跨了三个扇区。"),
    "copy": ("space=global&pattern=stride",
             "A load of `scalar`: the naive copy already uses whole sectors.",
             "`scalar` 的一次读取：最朴素的复制已经用满每个扇区。"),
    "copy-any": ("space=global&bytes=1&pattern=stride&stride=1&offset=13",
                 "A copy byte by byte, behind a header of 13 bytes.",
                 "跳过 13 字节的文件头，逐字节复制。"),
    "csr-transpose": ("space=global&access=store&pattern=formula&formula=(lane * 1103515245 >> 3) % 8192 * 4",
                      "The scatter of `fast`: each entry is written where its column has room.",
                      "`fast` 的分散写：每个元素写到它那一列的空位。"),
    "deinterleave": ("space=global&pattern=structure&fields=3",
                     "One field of structures of three words, read as it lies.",
                     "三个字的结构中，直接读取一个字段。"),
    "interleave": ("space=global&access=store&pattern=structure&fields=3",
                   "One field of structures of three words, written where it belongs.",
                   "三个字的结构中，直接写入一个字段。"),
    "layout": ("space=global&pattern=structure&fields=2",
               "A load of `aos`: every second word.",
               "`aos` 的一次读取：每隔一个字用一个。"),
    "matmul": ("space=global&pattern=formula&formula=lane / 16 * 4028",
               "`naive` loads A: 32 lanes want two words of two rows.",
               "`naive` 读取 A：32 个线程只要两行里的两个字。"),
    "permute": ("space=global&bytes=16&pattern=formula&formula=lane / 4 * 256 + lane % 4 * 16",
                "Heads of 64 bytes, 256 bytes apart: rows of whole sectors stay whole.",
                "每个注意力头 64 字节，相隔 256 字节：整扇区的行仍然完整。"),
    "read-offset": ("space=global&pattern=stride&offset=44",
                    "A load of `plain`, 11 floats late.",
                    "`plain` 偏移 11 个浮点数的一次读取。"),
    "redistribute": ("space=global&access=store&pattern=stride&stride=4096",
                     "A store of `scatter`, to another device: each lane's element is a packet of its own.",
                     "`scatter` 向另一个设备的一次写入：每个线程的元素各占一个包。"),
    "shared": ("space=shared&pattern=column",
               "`row-col` reads a column: one bank, one word at a time.",
               "`row-col` 读一列：全在一个存储体，一次一个字。"),
    "stride": ("space=global&pattern=stride&stride=128",
               "`load` at stride 32: each sector brings one word.",
               "步长 32 的 `load`：每个扇区只用一个字。"),
    "transpose": ("space=global&access=store&pattern=formula&formula=lane % 16 * 4096 + lane / 16 * 4",
                  "The stores of `naive-row`, down two columns of a matrix 1024 wide.",
                  "`naive-row` 的写入：沿 1024 宽的矩阵的两列向下。"),
    "transpose-any": ("space=global&bytes=1&pattern=structure&fields=3",
                      "One channel of an NHWC image with three channels of a byte each.",
                      "NHWC 图像的一个通道：三个通道，每个一字节。"),
    "transpose-inplace": ("space=global&access=store&pattern=stride&stride=400",
                          "Where a row's elements have to go, in a matrix of 100 rows.",
                          "100 行的矩阵中，一行的元素要去的位置。"),
    "write-offset": ("space=global&access=store&pattern=stride&offset=44",
                     "A store of `plain`, 11 floats late: the sectors at both ends are written in part.",
                     "`plain` 偏移 11 个浮点数的一次写入：两端的扇区只写了一部分。"),
}
BEGIN, END = "<!-- picture -->\n", "<!-- /picture -->\n"
DRAG = {"en": "Try it", "zh": "动手试试"}


def parts_of(request):
    return dict(part.split("=", 1) for part in request.split("&"))


def link_of(request):
    """The request as a browser writes it."""
    return "&".join(f"{key}={urllib.parse.quote_plus(value, safe='*-._')}" for key, value in parts_of(request).items())


def addresses_of(parts):
    width, offset = int(parts.get("bytes", "4")), int(parts.get("offset", "0"))
    if parts["pattern"] == "stride":
        return [offset + int(parts.get("stride", "4")) * lane for lane in range(32)]
    if parts["pattern"] == "structure":
        return [offset + int(parts["fields"]) * width * lane for lane in range(32)]
    if parts["pattern"] == "column":
        return [offset + 32 * width * lane for lane in range(32)]
    if not re.fullmatch(r"(lane|\d+|[-+*/%()]|>>|\s)+", parts["formula"]):
        sys.exit(f"lesson_pictures: '{parts['formula']}' has more than this script knows")
    formula = compile(parts["formula"].replace("/", "//"), "formula", "eval")
    return [eval(formula, {"lane": lane}) for lane in range(32)]  # pylint: disable=eval-used


def run(draw, *words):
    done = subprocess.run([draw, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"lesson_pictures: {done.stderr.strip()}")
    return done.stdout


def themed(style, svg):
    """The texts of the light and the dark file of a picture in a page with this style."""
    dark = re.search(r"@media \(prefers-color-scheme:dark\)\{(.*)\}\n", style)
    texts = []
    for rules in (style.replace(dark.group(0), ""), style.replace(dark.group(0), dark.group(1) + "\n")):
        height = re.search(r'viewBox="0 0 360 ([\d.]+)"', svg).group(1)
        size = f'width="720" height="{2 * float(height):g}"'
        head, rest = svg[len("<svg "):].split(">", 1)
        texts.append(f"<svg {size} {head}>\n<style>\n{rules}</style>\n{rest}\n")
    return texts


def svgs(draw, request):
    """The sentence, and the texts of the light and the dark file."""
    parts = parts_of(request)
    sentence, svg = run(draw, "sm_90", parts["space"], parts.get("access", "load"), parts.get("bytes", "4"), "ffffffff",
                        *map(str, addresses_of(parts))).splitlines()
    return sentence, themed(run(draw, "--style"), svg)


def block(name, language, sentence):
    request, english, chinese = LESSONS[name]
    up = "../" if language == "en" else "../../"
    chart = f"{up}charts/lesson-{name}"
    return (f'{BEGIN}<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="{chart}-dark.svg">\n'
            f'  <img alt="{sentence}" src="{chart}.svg">\n</picture>\n\n'
            f"*{english if language == 'en' else chinese}* "
            f"[{DRAG[language]}]({up}explorer.html#{link_of(request)})\n{END}")


def with_block(page, words):
    """The page with its block, which comes before its first section."""
    bare = re.sub(re.escape(BEGIN) + ".*?" + re.escape(END) + "\n", "", page, flags=re.DOTALL)
    head, rest = bare.split("\n## ", 1)
    return f"{head}\n{words}\n## {rest}"


def wanted(draw, root):
    """Every file that this script writes, and its text."""
    texts = {}
    for name, (request, _, _) in LESSONS.items():
        sentence, (light, dark) = svgs(draw, request)
        texts[f"docs/charts/lesson-{name}.svg"], texts[f"docs/charts/lesson-{name}-dark.svg"] = light, dark
        for language, folder in (("en", "docs/experiments"), ("zh", "docs/experiments/zh-CN")):
            path = f"{folder}/{name}.md"
            with open(os.path.join(root, path), encoding="utf-8") as file:
                texts[path] = with_block(file.read(), block(name, language, sentence))
    return texts


def put(texts, folder, check):
    """Writes the files whose texts differ, or with `check` none; returns their names."""
    stale = []
    for name, text in texts.items():
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                if file.read() == text:
                    continue
        stale.append(name)
        if not check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    return stale


def main():
    parser = argparse.ArgumentParser(description="Draws the lessons' pictures.")
    parser.add_argument("--draw", required=True, help="the program, build/picture_draw")
    parser.add_argument("--check", action="store_true", help="exit 1 when a file is stale")
    parser.add_argument("--root", default=ROOT, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    stale = put(wanted(arguments.draw, arguments.root), arguments.root, arguments.check)
    if stale and arguments.check:
        sys.exit(f"lesson_pictures: {', '.join(stale)}: stale; run scripts/lesson_pictures.py")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""docs/explorer.html in Chromium: its figures are the library's; nothing in the console, nothing fetched, nothing
clipped or overlapping at two widths, in light and in dark; its controls by keyboard; its words about bad input.

    test_explorer.py --figures PROGRAM --source FOLDER [--keep FOLDER]     --keep: leave screenshots there
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import unittest
import urllib.parse

arguments = None
SKIPPED = 77

# Draws patterns as tests/picture/explorer_figures.c does, and hashes what the page's own functions say of them.
DRAW = r"""ready.then(() => {
  let state = 2013;
  const below = limit => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return (state >>> 8) % limit; };
  const draw = () => {
    const s = {arch: names[below(names.length)]};
    s.space = SPACES[below(3)];
    const accesses = ['load', 'load-cg', 'store', 'atomic', 'reduction', 'increment', 'compare'];
    s.access = accesses[below(s.space === 'local' ? 3 : 7)];
    s.bytes = 1 << below(5);
    s.pattern = ['stride', 'structure', 'column', 'row', 'list'][below(5)];
    s.stride = (below(129) - 64) * s.bytes;
    s.offset = (below(64) + 2048) * s.bytes;
    s.fields = 1 + below(20);
    s.field = below(s.fields);
    s.swizzle = below(2);
    s.width = s.swizzle ? 1 << below(7) : 1 + below(64);
    s.padding = below(5);
    s.index = below(s.width);
    const count = 1 + below(32), few = below(4), high = below(65536), low = below(65536);
    const mask = few ? 0xffffffff >>> (below(32) & (few - 1) * 31) : (high << 16 | low | 1) >>> 0;
    s.mask = mask.toString(16);
    const list = [];
    for (let lane = 0; lane < 32; lane++) list.push(below(4096) * s.bytes);
    s.list = list.slice(0, count).join(' ');
    return s;
  };
  const hashes = [];
  let hash = 2166136261;
  for (let i = 1; i <= 100000; i++) {
    const f = measure(draw());
    for (const value of [f.transactions, f.moved, f.useful, f.unit, f.least, f.lanes, f.lines])
      hash = Math.imul(hash ^ value, 16777619) >>> 0;
    if (i % 1000 === 0) hashes.push(hash.toString(16).padStart(8, '0'));
  }
  return hashes;
})"""

# Each fault as a line of text.  One pixel is allowed, because the boxes of texts have a margin.
FAULTS = r"""(() => {
  const faults = [], wide = innerWidth;
  const clear = (a, b) =>
    a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
  const whole = document.documentElement.scrollWidth;
  if (whole > wide) faults.push(`the page is ${whole} wide`);
  for (const part of document.querySelectorAll('select, input, textarea, label, dt, dd, p')) {
    const r = part.getBoundingClientRect();
    const name = part.id || part.textContent;
    if (r.width && (r.left < 0 || r.right > wide + 1)) faults.push(`${name}: outside the window`);
    if (r.width && part.clientWidth && part.scrollWidth > part.clientWidth + 2) faults.push(`${name}: clipped`);
  }
  const svg = document.querySelector('#picture svg'), frame = svg.getBoundingClientRect();
  const size = 10.5 * frame.width / 360;
  if (size < 9) faults.push(`text of ${size} pixels`);
  const boxes = [...svg.querySelectorAll('text')].map(t => {
    const r = t.getBoundingClientRect(), air = r.height * 0.2;
    return {left: r.left, right: r.right, top: r.top + air, bottom: r.bottom - air, text: t.textContent};
  });
  if (boxes.length < 4) faults.push('the picture has no words');
  boxes.forEach((a, i) => {
    if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1)
      faults.push(`clipped: ${a.text}`);
    boxes.slice(i + 1).forEach(b => { if (!clear(a, b)) faults.push(`overlap: ${a.text} and ${b.text}`); });
  });
  const live = document.getElementById('sentence');
  if (svg.getAttribute('aria-label') !== live.textContent || live.getAttribute('aria-live') !== 'polite')
    faults.push('the picture has another name than the sentence');
  return faults;
})()"""

# The contrast of the picture's and the page's texts with what lies behind them.
CONTRAST = r"""(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const light = colour => {
    canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    const linear = v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(v => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [x, y] = [light(a), light(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };
  const value = name => getComputedStyle(document.querySelector('.wlp')).getPropertyValue(name).trim();
  const back = getComputedStyle(document.body).backgroundColor, low = [];
  const check = (what, a, b) => { if (!(ratio(a, b) >= 4.5)) low.push(`${what}: ${ratio(a, b)}`); };
  check('words', value('--text'), back);
  check('other lanes', value('--soft'), back);
  check('lanes', value('--text'), value('--idle'));
  check('cells', value('--on'), value('--used'));
  check('error', getComputedStyle(document.getElementById('error')).color, back);
  for (const part of document.querySelectorAll('label, p, dt, dd, a'))
    check(part.textContent, getComputedStyle(part).color, back);
  if (ratio(value('--used'), value('--waste')) < 3) low.push('used beside unused');
  return low;
})()"""

# A fragment, and the words of the error; or "" where there is none.
INPUTS = [
    ("pattern=list&list=0,4;0x10", ""),
    ("pattern=list&list=0 4 x8 12", "address 3, at character 5: 'x8' is no number; write 128 or 0x80"),
    ("pattern=list&list=", "list of addresses: there is none; write one at least"),
    ("pattern=list&list=" + "4 " * 33, "address 33, at character 65: a warp has 32 lanes"),
    ("pattern=list&list=0 6", "lane 1: address 6 is no multiple of 4, which an access of 4 bytes needs"),
    ("pattern=list&list=0x1000000000000", "address 1, at character 1: an address has 48 bits at most"),
    ("pattern=list&list=<img/src=x>", "address 1, at character 1: '<img/src=x>' is no number; write 128 or 0x80"),
    ("pattern=list&list=0 4&mask=c", "active lanes: none of them has an address in the list"),
    ("pattern=formula&formula=(lane % 8 * 128 + (lane >> 3)) & ~3 | 0x40 ^ 64", ""),
    ("pattern=formula&formula=lane * (4 + 4", "formula, at character 14: ')' is missing"),
    ("pattern=formula&formula=lane * * 4", "formula, at character 8: '*' where a number, lane or ( belongs"),
    ("pattern=formula&formula=lane 4", "formula, at character 6: '4' where an operator belongs"),
    ("pattern=formula&formula=4 * lain", "formula, at character 5: 'lain' is neither lane nor a number"),
    ("pattern=formula&formula=", "formula, at character 1: a number, lane or ( is missing"),
    ("pattern=formula&formula=4 / lane", "formula, at character 3: a division by 0"),
    ("pattern=formula&mask=fffffffe&formula=4096 / lane * 4", ""),
    ("pattern=formula&formula=4 << lane * 9", "formula, at character 3: a shift by fewer than 0 or more than 63 bits"),
    ("pattern=formula&formula=4 - lane * 4", "lane 2: address -4 lies below 0"),
    ("pattern=formula&formula=1 << 48", "lane 0: address 281474976710656 has more than 48 bits"),
    ("pattern=formula&formula=9223372036854775808", "formula, at character 1: a number of more than 63 bits"),
    ("pattern=formula&formula=alert(1)", "formula, at character 1: 'alert' is neither lane nor a number"),
    ("pattern=stride&stride=6", "lane 1: address 6 is no multiple of 4, which an access of 4 bytes needs"),
    ("pattern=stride&stride=1e9", "Stride, bytes: '1e9' is no whole number from -4294967296 to 4294967296"),
    ("pattern=stride&mask=xyz", "active lanes: 'xyz' is no mask; write 1 to 8 hexadecimal digits, not all 0"),
    ("pattern=structure&fields=3&field=3", "which field: 3 is too large; the structure has fields 0 to 2"),
    ("pattern=column&width=8&index=8", "which column: 8 is too large; the tile has columns 0 to 7"),
    ("pattern=column&width=33&swizzle=1", "XOR swizzle: the width of the tile must be a power of two"),
    ("space=nowhere&arch=sm_1&pattern=<b>", ""),
]

# Formulas, and the address of lane 7.
FORMULAS = [("lane * 4 + 16", 44), ("1 | 6 ^ 3 & 2", 5), ("64 >> 2 + 1", 8), ("-lane + 100 % 30 * 2", 13),
            ("~lane & 0xff", 248), ("(lane / 2) * 8 - - 1", 25), ("2 - 1 - 1", 0), ("100 / 7 / 2", 7),
            ("0x10 << lane - 6", 32), ("7 % 4 / 2", 1)]


def links():
    """By lesson: the fragment of its link."""
    found = {}
    for page in glob.glob(os.path.join(arguments.source, "docs", "experiments", "*.md")):
        with open(page, encoding="utf-8") as file:
            for link in re.findall(r"explorer\.html#(\S+)\)", file.read()):
                found[os.path.basename(page)[:-3]] = link
    return found


class Explorer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser(browser.find())
        cls.page = os.path.join(arguments.source, "docs", "explorer.html")

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def open(self, width=1400, scheme="light"):
        self.assertEqual(self.browser.open(self.page, width, scheme), [])
        self.browser.evaluate("ready.then(() => 1)")
        self.assertEqual([url for url in self.browser.requests() if not url.startswith("file:")], [])
        self.assertEqual(len(self.browser.requests()), 1)

    def go(self, fragment):
        """Opens a fragment as a link does."""
        self.browser.evaluate("new Promise(done => { const next = '#' + %r; if (location.hash === next) return done();"
                              "addEventListener('hashchange', () => done(), {once: true}); location.hash = next; })"
                              % fragment)

    def text(self, name):
        return self.browser.evaluate(f"by('{name}').hidden ? '' : by('{name}').textContent")

    def test_figures(self):
        run = subprocess.run([arguments.figures], capture_output=True, text=True, check=True)
        expected = run.stdout.split()
        self.assertEqual(len(expected), 100)
        self.open()
        self.assertEqual(self.browser.evaluate(DRAW), expected)

    def test_looks(self):
        patterns = [*links().values(), "pattern=stride&space=global", "space=shared&pattern=column",
                    "space=global&pattern=formula", "space=local&pattern=stride&bytes=16&stride=16",
                    "space=global&pattern=list", "space=global&access=atomic&pattern=stride&stride=0",
                    "space=shared&access=compare&pattern=stride&stride=0", "space=shared&pattern=stride&stride=0",
                    "arch=maxwell&space=global&bytes=16&pattern=structure",
                    "space=global&pattern=stride&stride=4294967296"]
        for width in (390, 1400):
            for scheme in ("light", "dark"):
                self.open(width, scheme)
                self.assertEqual(self.browser.evaluate(CONTRAST), [], scheme)
                for number, pattern in enumerate(patterns):
                    self.go(pattern)
                    self.assertEqual(self.browser.evaluate(FAULTS), [], f"{pattern} at {width}")
                    if arguments.keep:
                        height = self.browser.evaluate("document.documentElement.scrollHeight")
                        path = os.path.join(arguments.keep, f"{number}-{width}-{scheme}.png")
                        self.browser.screenshot_part(path, 0, height, width)
                self.assertEqual([event for event in self.browser.events if event.get("method") in (
                    "Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")], [])

    def test_links(self):
        """A lesson's link sets its pattern, with nothing forgotten or misspelt, and shows the lesson's picture."""
        self.open()
        self.assertGreater(len(links()), 10)
        for name, link in links().items():
            self.go(link)
            self.assertEqual(self.text("error"), "", link)
            self.assertEqual(self.browser.evaluate("fragment(readControls())"), "#" + link)
            with open(os.path.join(arguments.source, "docs", "charts", f"lesson-{name}.svg"), encoding="utf-8") as file:
                drawn = file.read().split("</style>\n", 1)[1].strip()
            shown = self.browser.evaluate("text(wasm.svg())")
            self.assertEqual(shown.split(">", 1)[1], drawn, name)

    def test_inputs(self):
        self.open()
        for fragment, words in INPUTS:
            before, formula, after = fragment.partition("&formula=")
            self.go(before + formula + urllib.parse.quote(after))
            self.assertEqual(self.text("error"), words, fragment)
            self.assertEqual(self.browser.evaluate("getComputedStyle(document.getElementById('sentence')).visibility"),
                             "hidden" if words else "visible")
        for formula, address in FORMULAS:
            self.assertEqual(self.browser.evaluate(f"Number(parseFormula({formula!r})(7))"), address, formula)

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code)

    def focused(self):
        return self.browser.evaluate("document.activeElement.id || document.activeElement.getAttribute('href') || ''")

    def test_keyboard(self):
        """Tab reaches every control that is shown, each has a name, and arrows move a slider and the picture."""
        self.open()
        for pattern in ("stride", "structure", "column", "row", "list", "formula"):
            self.go(f"space=shared&pattern={pattern}")
            shown = self.browser.evaluate("[...document.querySelectorAll('select, input, textarea, a')].filter("
                                          "e => e.getClientRects().length).map(e => e.id || e.getAttribute('href'))")
            reached = set()
            for _ in range(len(shown) + 1):  # between the last and the first there is the browser itself
                self.press("Tab", 9)
                reached.add(self.focused())
            self.assertEqual(sorted(reached - {""}), sorted(shown), pattern)
            self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('select, input, textarea')].filter("
                                                   "e => !e.labels.length && !e.getAttribute('aria-label')).length"), 0)
        self.go("space=shared&pattern=stride&stride=124")
        self.browser.evaluate("document.getElementById('stride-slider').focus()")
        self.press("ArrowRight", 39)
        self.assertEqual(self.browser.evaluate("document.getElementById('stride').value"), "128")
        self.assertTrue(self.text("sentence").startswith("32 lanes, 128 bytes apart: 32 wavefronts where 1 would do."))
        self.browser.evaluate("new Promise(done => setTimeout(done, 250))")
        self.assertEqual(self.browser.evaluate("location.hash"), "#space=shared&pattern=stride&stride=128")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--figures", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--keep")
    arguments, rest = parser.parse_known_args()
    sys.path.insert(0, os.path.join(arguments.source, "tests", "report"))
    import browser
    if not browser.find():
        print("there is no Chromium")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0]] + rest)

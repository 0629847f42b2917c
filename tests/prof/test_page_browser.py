#!/usr/bin/env python3
"""The page of `wideload prof --page` in Chromium, at two widths, in light and in dark: nothing in the console, nothing
fetched, nothing clipped, overlapping or wider than the window; by keyboard alone, and as a screen reader has it.

    test_page_browser.py --wideload PROGRAM --program prof_program --source FOLDER
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
import browser  # pylint: disable=wrong-import-position
import command  # pylint: disable=wrong-import-position
from command import arguments, prof  # pylint: disable=wrong-import-position

SKIPPED = 77

# Each fault as a line of text.  One pixel is allowed, because boxes have fractions.
CHECK = r"""(() => {
  const faults = [];
  const seen = e => e.getClientRects().length && e.getBoundingClientRect().width > 0;
  const clear = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
  const name = e => e.textContent.trim().slice(0, 40);
  if (document.documentElement.scrollWidth > innerWidth) faults.push(`wider than the window: ${document.documentElement.scrollWidth}`);
  for (const svg of document.querySelectorAll('svg')) {
    if (!seen(svg)) continue;
    const frame = svg.getBoundingClientRect();
    if (svg.getAttribute('role') !== 'img' || !svg.getAttribute('aria-label')) faults.push('a picture without a sentence');
    if (frame.left < 0 || frame.right > innerWidth + 1) faults.push('a picture leaves the window');
    const texts = [...svg.querySelectorAll('text:not(.n):not(.c):not(.o)')].map(t => [t, t.getBoundingClientRect()]);
    texts.forEach(([t, a], i) => {
      if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.bottom > frame.bottom + 1) faults.push(`clipped: ${name(t)}`);
      for (const [u, b] of texts.slice(i + 1)) if (!clear(a, b)) faults.push(`'${name(t)}' and '${name(u)}' overlap`);
      const size = parseFloat(getComputedStyle(t).fontSize) * frame.width / svg.viewBox.baseVal.width;
      if (size < 8.5) faults.push(`letters of ${size} pixels`);
    });
  }
  // Texts beside each other, and texts in boxes that cut.
  for (const row of document.querySelectorAll('summary, .kernels li, .l, .figures, h1, h2, h3, h4, .legend, figcaption')) {
    if (!seen(row)) continue;
    const parts = [...row.children].filter(seen).map(e => [e, e.getBoundingClientRect()]);
    parts.forEach(([e, a], i) => {
      if (a.right > innerWidth + 1 || a.left < -1) faults.push(`outside: ${name(e)}`);
      if (getComputedStyle(row).display.match(/grid|flex/))
        for (const [f, b] of parts.slice(i + 1)) if (!clear(a, b)) faults.push(`'${name(e)}' and '${name(f)}' overlap`);
    });
  }
  for (const e of document.querySelectorAll('body *')) {
    if (!seen(e) || e.closest('svg, .scroll, .skip')) continue;
    if (getComputedStyle(e).overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1) faults.push(`cut: ${name(e)}`);
  }
  return [...new Set(faults)].slice(0, 20);
})()"""

CONTRAST = [["text", "soft", 7], ["muted", "soft", 4.5], ["link", "soft", 4.5], ["bad", "card", 4.5], ["muted", "card", 4.5],
            ["need", "card", 3], ["over", "card", 3], ["need", "soft", 3]]


class InTheBrowser(command.Folder):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser(browser.find())
        cls.addClassCleanup(cls.browser.close)

    def page(self, *words):
        path = self.place("a.html")
        done = prof("--page", path, *words)
        self.assertTrue(os.path.exists(path), done.stderr)
        return path

    def look(self, path):
        for width in (390, 1400):
            for scheme in ("light", "dark"):
                with self.subTest(width=width, scheme=scheme):
                    self.assertEqual(self.browser.open(path, width, scheme), [])
                    self.assertEqual([url for url in self.browser.requests() if not url.startswith(("file:", "data:"))], [])
                    self.assertEqual(self.browser.evaluate(CHECK), [])
                    self.assertEqual(self.browser.low_contrast(CONTRAST), [])
                    self.browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
                    self.assertEqual(self.browser.evaluate(CHECK), [])

    def test_a_run(self):
        self.look(self.page(arguments.program, "strided:8", "vectors", "misaligned", "conflicts", "divergent"))

    def test_findings(self):
        self.look(self.page("--check", "memory,race", arguments.program, "out_of_bounds", "divergent"))

    def test_wild_names(self):
        """Long names without a blank, and markup."""
        name = "<img src=x onerror=alert(1)>" + "n" * 300
        counters = {"global_load_requests": 1, "gld_transactions": 1 << 40, "gld_useful_bytes": 128, "gld_moved_bytes": 1 << 45,
                    "inst_executed": 1, "thread_inst_executed": 32}
        lines = [{"file": f"/{name}", "line": 4000000000, "op": name, "function": name, "bytes": 4, "counters": counters,
                  "doubts": ["order"]}, {"ptx_line": 7, "op": "ld." + name, "bytes": 4, "counters": counters}]
        array = {"serial": 1, "address": 0, "size": 1 << 60, "cell": 1 << 53, "read_useful": [1 << 53], "read_moved": [1 << 53]}
        records = [{"process": {"pid": 7, "parent": 1, "program": name, "arch": "sm_90", "proved": True}},
                   {"launch": {"pid": 7, "number": 1, "kernel": name, "grid": [4294967295] * 3, "block": [32, 1, 1],
                               "arch": "sm_90", "proved": False, "counters": counters, "lines": lines, "arrays": [array]}},
                   {"array": {"pid": 7, "serial": 1, "address": 0, "size": 1 << 60, "kind": "device", "name": name}},
                   {"error": {"pid": 7, "text": name}}]
        with open(self.place("records"), "w", encoding="utf-8") as file:
            file.write("".join(json.dumps(record) + "\n" for record in records) + "torn\n")
        self.look(self.page("--read", self.place("records")))

    def press(self, key, code, text=""):
        self.browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, text=text)
        self.browser.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def test_keyboard(self):
        self.browser.open(self.page(arguments.program, "strided:8"), 1400, "light")
        self.press("Tab", 9)
        self.assertEqual(self.browser.evaluate("document.activeElement.textContent"), "Skip to the kernels")
        for _ in range(10):
            self.press("Tab", 9)
            if self.browser.evaluate("document.activeElement.parentElement.matches('.hit')"):
                break
        self.assertNotEqual(self.browser.evaluate("getComputedStyle(document.activeElement).outlineStyle"), "none")
        self.assertFalse(self.browser.evaluate("document.activeElement.parentElement.open"))
        self.press("Enter", 13, "\r")
        self.assertTrue(self.browser.evaluate("document.activeElement.parentElement.open"))
        self.assertTrue(self.browser.evaluate(
            "document.activeElement.parentElement.querySelector('.request svg').getClientRects().length > 0"))

    def test_screen_reader(self):
        """Every picture is an image with its sentence, lines can be opened, and bars are passed over."""
        self.browser.open(self.page(arguments.program, "strided:8", "conflicts"), 1400, "light")
        self.browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        self.browser.call("Accessibility.enable")
        nodes = [node for node in self.browser.call("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
        roles = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes]
        images = [name for role, name in roles if role in ("img", "image")]
        self.assertEqual(len(images), self.browser.evaluate("document.querySelectorAll('svg').length"))
        self.assertTrue(all(len(name) > 20 for name in images), images)
        opened = [name for role, name in roles if role == "DisclosureTriangle"]
        self.assertTrue(any("wasted" in name for name in opened), opened)
        self.assertEqual([level for role, level in roles if role == "heading" and not level], [])

    def test_the_check_sees(self):
        """Deliberate faults are found, so that finding none means that there is none."""
        path = self.page(arguments.program, "strided:8")
        for change, fault in (
                ("document.querySelector('.wlp text').textContent = 'long '.repeat(40)", "clipped"),
                ("document.querySelector('h1').style.width = '5000px'", "wider than the window"),
                ("document.querySelector('svg').removeAttribute('aria-label')", "without a sentence"),
                ("document.querySelector('.hit summary .words').style.marginLeft = '-20rem'", "overlap"),
                ("document.querySelector('.verdict').style.cssText = 'width:3rem;overflow:hidden'", "cut"),
                ("document.querySelector('.wlp').style.fontSize = '4px'", "letters of")):
            self.browser.open(path, 1400, "light")
            self.browser.evaluate(change + "; 0")
            self.assertTrue(any(fault in line for line in self.browser.evaluate(CHECK)), fault)


if __name__ == "__main__":
    if not browser.find():
        print("skipped: there is no Chromium here; scripts/setup.sh browser installs it")
        sys.exit(SKIPPED)
    command.main()

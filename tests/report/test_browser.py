#!/usr/bin/env python3
"""The page in Chromium: nothing in the console, nothing fetched, nothing wider than the window, no chart text clipped
or overlapping; at two widths, in light and in dark.

    test_browser.py --wideload PROGRAM --source FOLDER [--keep FOLDER]     --keep: leave screenshots there
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

import browser
import results

arguments = None
SKIPPED = 77

# Each fault as a line of text.  One pixel is allowed, because the boxes of texts have a margin.
CHECK = r"""(() => {
  const faults = [];
  const clear = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
  let seen = 0;
  for (const svg of document.querySelectorAll('figure svg')) {
    if (!svg.getClientRects().length) continue;
    seen++;
    const frame = svg.getBoundingClientRect();
    const name = svg.querySelector('title').textContent;
    const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim());
    // The letters alone, not the line: lines of different charts' texts may share their air.
    const boxes = texts.map(t => {
      const r = t.getBoundingClientRect(), air = r.height * 0.2;
      return {left: r.left, right: r.right, top: r.top + air, bottom: r.bottom - air, text: t.textContent};
    });
    if (!boxes.length) faults.push(`${name}: no text`);
    boxes.forEach((a, i) => {
      if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1)
        faults.push(`${name}: clipped: ${a.text}`);
      for (const b of boxes.slice(i + 1))
        if (!clear(a, b)) faults.push(`${name}: '${a.text}' and '${b.text}' overlap`);
    });
    const size = parseFloat(getComputedStyle(texts[0]).fontSize) * frame.width / svg.viewBox.baseVal.width;
    if (size < 11) faults.push(`${name}: letters of ${size} pixels`);
    for (const mark of svg.querySelectorAll('path, polygon, text')) {
      const style = getComputedStyle(mark);
      if (style.stroke.includes('var(') || style.fill.includes('var(')) faults.push(`${name}: a colour without value`);
    }
  }
  if (seen !== document.querySelectorAll('figure').length) faults.push(`${seen} charts are seen`);
  if (document.documentElement.scrollWidth > innerWidth) faults.push(`wider than the window: ${document.documentElement.scrollWidth}`);
  for (const box of document.querySelectorAll('.scroll'))
    if (box.getBoundingClientRect().right > innerWidth + 1) faults.push('a table leaves the window');
  return faults;
})()"""

CONTRAST = [["text", "back", 7], ["muted", "back", 4.5], ["muted", "card", 4.5], ["link", "back", 4.5], ["bad", "back", 4.5],
            ["bar-text", "bar", 4.5], ["peer-text", "peer", 4.5], ["limit", "back", 3], ["bar", "back", 3], ["peer", "back", 3],
            *([f"series-{i}", "back", 3] for i in range(1, 9))]


class InTheBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.browser = browser.Browser(browser.find())
        cls.addClassCleanup(cls.browser.close)

    def make(self, name, *files):
        path = os.path.join(self.folder.name, name + ".html")
        subprocess.run([arguments.wideload, "report", *files, "-o", path], check=True, timeout=240)
        return path

    def own(self, *names):
        return [os.path.join(arguments.source, "docs", "results", name) for name in names]

    def look(self, name, path):
        for width in (390, 1400):
            for scheme in ("light", "dark"):
                with self.subTest(page=name, width=width, scheme=scheme):
                    self.assertEqual(self.browser.open(path, width, scheme), [])
                    self.assertEqual([url for url in self.browser.requests() if not url.startswith(("file:", "data:"))], [])
                    self.assertEqual(self.browser.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"),
                                     scheme == "dark")
                    self.assertEqual(self.browser.evaluate(CHECK), [])
                    self.assertEqual(self.browser.low_contrast(CONTRAST), [])
                    if arguments.keep:
                        self.browser.screenshot(os.path.join(arguments.keep, f"{name}-{width}-{scheme}.png"))
                    # Nothing is wider with all tables open either.
                    self.browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
                    self.assertEqual(self.browser.evaluate(CHECK), [])

    def test_gpu(self):
        self.look("gpu", self.make("gpu", *self.own("h200-elements.json", "h200-transpose.json", "h200-matmul.json",
                                                    "h200-sparse.json", "h200-copy-sweep.json", "h200-peers.json",
                                                    "simulator.json")))

    def test_simulator(self):
        self.look("simulator", self.make("simulator", *self.own("simulator.json")))

    def test_everything(self):
        path = os.path.join(self.folder.name, "all.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(results.everything(), file)
        self.look("everything", self.make("everything", path))

    def test_the_check_sees(self):
        """Deliberate faults are found, so that finding none means that there is none."""
        page = self.make("faults", *self.own("h200-matmul.json"))
        for change, fault in (
                ("document.querySelector('svg.wide text').textContent = 'long '.repeat(40)", "clipped"),
                ("(t => t[1].parentNode.setAttribute('transform', t[0].parentNode.getAttribute('transform')))"
                 "(document.querySelectorAll('svg.wide text'))", "overlap"),
                ("document.querySelector('h1').style.width = '5000px'", "wider than the window"),
                ("document.querySelector('svg.wide').style.display = 'none'", "charts are seen"),
                ("document.querySelector('svg.wide').setAttribute('font-size', 3)", "letters of")):
            self.browser.open(page, 1400, "light")
            self.browser.evaluate(change + "; 0")
            self.assertTrue(any(fault in line for line in self.browser.evaluate(CHECK)), fault)
        self.browser.evaluate("document.documentElement.style.setProperty('--muted', '#888')")
        self.assertTrue(self.browser.low_contrast(CONTRAST))
        self.assertTrue(self.browser.low_contrast([["nobody", "back", 3]]))
        with open(page, encoding="utf-8") as file:
            text = file.read()
        with open(page, "w", encoding="utf-8") as file:
            file.write(text.replace("</main>", "<img src='https://example.invalid/x.png' alt=''><script>throw 1</script></main>"))
        self.assertTrue(self.browser.open(page, 1400, "light"))

    def test_keyboard(self):
        self.browser.open(self.make("keys", *self.own("h200-matmul.json")), 1400, "light")
        self.browser.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        self.assertEqual(self.browser.evaluate("document.activeElement.textContent"), "Skip to the results")
        self.assertGreaterEqual(self.browser.evaluate("document.activeElement.getBoundingClientRect().left"), 0)
        self.assertNotEqual(self.browser.evaluate("getComputedStyle(document.activeElement).outlineStyle"), "none")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--wideload", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--keep")
    arguments, rest = parser.parse_known_args()
    if not browser.find():
        print("skipped: there is no Chromium here; scripts/setup.sh browser installs it")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *rest])

"""cmake/join_fatbins.sh makes, of images that were compressed alike, what fatbinary makes of both, and refuses other files.

usage: fatbins.py FATBINARY SOURCE_DIRECTORY BUILD_DIRECTORY
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

FATBINARY, SOURCE, BUILD = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
IMAGES = [f"--image3=kind=ptx,sm=75,file={BUILD}/tests/exec/memory.ptx",
          f"--image3=kind=elf,sm=90,file={BUILD}/tests/cuda/machine.cubin"]


class Join(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.joined = self.folder / "joined"

    def make(self, name, *images):
        subprocess.run([FATBINARY, "-64", "--compress-all", f"--create={self.folder / name}", *images], check=True)
        return self.folder / name

    def join(self, *parts):
        return subprocess.run([SOURCE / "cmake/join_fatbins.sh", self.joined, *parts], capture_output=True, text=True,
                              check=False)

    def test_is_what_fatbinary_makes(self):
        both = self.make("both", *IMAGES)
        done = self.join(self.make("ptx", IMAGES[0]), self.make("code", IMAGES[1]))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.joined.read_bytes(), both.read_bytes())

    def test_refuses_what_is_no_fat_binary(self):
        part = self.make("ptx", IMAGES[0])
        for name, text in (("empty", b""), ("other", b"\x7fELF" + part.read_bytes()[4:]), ("cut", part.read_bytes()[:-1])):
            wrong = self.folder / name
            wrong.write_bytes(text)
            done = self.join(part, wrong)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"{wrong}: no fat binary", done.stderr)
            self.assertFalse(self.joined.exists())


if __name__ == "__main__":
    unittest.main()

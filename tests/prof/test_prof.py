#!/usr/bin/env python3
"""wideload prof as users meet it: a program's own streams, statuses and signals, and what is reported of it."""
import argparse
import csv
import fcntl
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sanitized import sanitized  # pylint: disable=wrong-import-position

arguments = None


def environment(more=None):
    # A sanitizer's library has to come first in a program, and says so.
    return {**os.environ, "ASAN_OPTIONS": "verify_asan_link_order=0:handle_segv=0", **(more or {})}


def prof(*command, more=None, **options):
    return subprocess.run([arguments.wideload, "prof", *command], capture_output=True, text=True,
                          env=environment(more), timeout=120, check=False, **options)


def ran(*steps, **keywords):
    return prof(arguments.program, *steps, **keywords)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def place(self, name):
        return os.path.join(self.folder, name)

    def text(self, name):
        with open(self.place(name), encoding="utf-8") as file:
            return file.read()

    def profiled(self, options, *steps):
        """The JSON document of a run."""
        path = self.place("a.json")
        done = prof(*options, "--json", path, arguments.program, *steps)
        with open(path, encoding="utf-8") as file:
            return done, json.load(file)


class Program(Folder):
    """What the program does is the program's."""

    def test_streams(self):
        path = self.place("report")
        done = prof("--output", path, arguments.program, "print", "echo", "vectors", input="some\ntext\n")
        self.assertEqual(done.stdout, "to standard output\nsome\ntext\n")
        self.assertEqual(done.stderr, "to standard error\n")
        self.assertEqual(done.returncode, 0)
        self.assertIn("vectors", self.text("report"))

    def test_status(self):
        for status in [0, 1, 42, 255]:
            self.assertEqual(ran("vectors", f"exit={status}").returncode, status)

    def test_crash(self):
        for number in [signal.SIGABRT, signal.SIGKILL, signal.SIGTERM]:
            done = ran("vectors", f"kill={int(number)}")
            self.assertEqual(done.returncode, -number)
            self.assertIn("vectors", done.stderr)

    def start(self, *steps):
        process = subprocess.Popen([arguments.wideload, "prof", arguments.program, *steps], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=environment())
        self.assertEqual(process.stdout.readline(), "asleep\n")
        return process

    def test_signals_go_to_it(self):
        process = self.start("vectors", "term", "sleep")
        process.send_signal(signal.SIGTERM)
        output, report = process.communicate(timeout=30)
        self.assertEqual((process.returncode, output), (7, ""))
        self.assertIn("vectors", report)
        process = self.start("vectors", "sleep")
        process.send_signal(signal.SIGINT)
        self.assertIn("vectors", process.communicate(timeout=30)[1])
        self.assertEqual(process.returncode, -signal.SIGINT)

    def test_interrupt(self):
        # Ctrl-C goes to the whole group: the program and the command get it, and what ran is reported.
        process = subprocess.Popen([arguments.wideload, "prof", arguments.program, "vectors", "sleep"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                   env=environment({"TMPDIR": self.folder}))
        self.assertEqual(process.stdout.readline(), "asleep\n")
        os.killpg(process.pid, signal.SIGINT)
        self.assertIn("vectors", process.communicate(timeout=60)[1])
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual(os.listdir(self.folder), [])

    def test_closed_streams(self):
        # Files that are opened must not take the places of the streams.
        for closed in [">&-", "2>&-", "<&- >&- 2>&-"]:
            files = [self.place(name) for name in ("a.json", "a.csv", "report")]
            command = [arguments.wideload, "prof", "--json", files[0], "--csv", files[1], arguments.program, "print",
                       "vectors"]
            done = subprocess.run(["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *command], capture_output=True,
                                  text=True, env=environment(), timeout=120, check=False)
            # A report that nobody can read is a failure; the files are written all the same.
            self.assertEqual(done.returncode, 1 if "2>" in closed else 0)
            with open(files[0], encoding="utf-8") as file:
                self.assertEqual(len(json.load(file)["launches"]), 1)
            with open(files[1], newline="", encoding="utf-8") as file:
                self.assertEqual(len(list(csv.DictReader(file, strict=True))), 1)

    def test_output_passes_through(self):
        # 64 MiB, which neither the command nor a buffer holds back.
        process = subprocess.Popen([arguments.wideload, "prof", arguments.program, "flood", "vectors"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        size = 0
        while block := process.stdout.read(1 << 20):
            size += len(block)
        self.assertIn(b"vectors", process.communicate(timeout=120)[1])
        self.assertEqual((process.returncode, size), (0, 64 << 20))

    def test_other_programs(self):
        # What the program becomes is reported with what it was.
        _, document = self.profiled([], "vectors", "exec", "strided:2", "exec", "vectors")
        names = [launch["kernel"].split("(")[0] for launch in document["launches"]]
        self.assertEqual(names, ["vectors", "void strided<float>", "vectors"])

    def test_ends_at_once(self):
        done = ran("vectors", "_exit=6")
        self.assertEqual(done.returncode, 6)
        self.assertIn("vectors", done.stderr)
        done = ran("vectors", "crash")
        self.assertEqual(done.returncode, -signal.SIGSEGV)
        self.assertIn("vectors", done.stderr)

    def test_timeout(self):
        begin = time.monotonic()
        done = prof("--timeout", "0.3", arguments.program, "vectors", "sleep")
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(done.returncode, 124)
        self.assertIn("vectors", done.stderr)

    def test_nothing_stays(self):
        for steps in [["vectors"], ["kill=9"], ["exit=3"]]:
            ran(*steps, more={"TMPDIR": self.folder})
            self.assertEqual(os.listdir(self.folder), [])

    def test_options_after_it_are_its_own(self):
        done = prof("/bin/echo", "--each", "--help")
        self.assertEqual((done.returncode, done.stdout), (0, "--each --help\n"))


class Losses(Folder):
    """What is not in the report is told, and passes no gate and no check."""

    def told(self, words, *steps, launches=0, options=(), status=0, **keywords):
        """`words` stand in the report, whether it is asked for gates, for checks or for neither."""
        path = self.place("a.json")
        more = {"TMPDIR": self.folder, **keywords.pop("more", {})}
        for gate, expected in (([], status), (["--fail-if", "inst_executed<0"], 3), (["--check", "memory"], 1)):
            done = prof(*options, *gate, "--json", path, arguments.program, *steps, more=more, **keywords)
            self.assertEqual(done.returncode, status or expected, done.stderr)
            self.assertRegex(re.sub(r"\n +", " ", done.stderr), words)
            self.assertNotIn("no kernel ran", done.stderr)
            if gate:
                self.assertRegex(done.stderr, rf"(?m)^FAIL {gate[0]}: ")
            if "--check" in gate:
                self.assertRegex(done.stderr, r"(?m)ERROR SUMMARY: \d+ errors? in what was recorded$|nothing was checked")
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            self.assertEqual((len(document["launches"]), document["complete"]), (launches, False))
            self.assertEqual(os.listdir(self.folder), ["a.json"])
        return document

    @unittest.skipIf(os.environ.get("WIDELOAD_ASAN"), "the leak sanitizer needs a descriptor")
    def test_descriptors(self):
        self.told(r"1 record was lost \(Too many open files\)", "start", "nofile", "vectors")

    def test_size(self):
        # As a disk that is full: the account is there, and the first records.
        self.told(r"no launch was recorded\n? *! 1 record was lost \(File too large\)", "start", "fsize=8192", "vectors")
        self.told(r"\d+ records were lost \(File too large\): the report is incomplete", *["vectors"] * 9, "fsize=8200",
                  "strided:2", "strided:4", "vectors", launches=9)

    def test_user(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        self.told(r"1 record was lost \(Permission denied\)", "start", "nobody", "vectors")

    def test_damaged(self):
        path = self.place("program")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{arguments.program} vectors\necho >> $WIDELOAD_PROF_OUT\n"
                       f"[ $1 = echo ] || : > $WIDELOAD_PROF_OUT\n")
        os.chmod(path, 0o755)
        for step, words in (("echo", "1 record is damaged"), ("truncate", "the records were overwritten")):
            done = prof("--check", "memory", path, step)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)

    def test_deleted(self):
        # The records that were written before are not lost with the file's name.
        with open(self.place("program"), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{arguments.program} vectors\nrm $WIDELOAD_PROF_OUT\n"
                       f"{arguments.program} strided:2\n")
        os.chmod(self.place("program"), 0o755)
        done = prof(self.place("program"))
        self.assertIn("vectors", done.stderr)
        self.assertIn("records cannot be written", done.stderr)

    def test_in_flight(self):
        words = r"! endless was in flight at the end: it has no figures"
        document = self.told(words, "vectors", "endless", options=["--timeout", "0.5"], launches=1, status=124)
        self.assertEqual(document["in_flight"], ["endless"])
        self.told(r"no launch was recorded\n? *" + words, "endless", options=["--timeout", "0.5"], status=124)
        done = prof("--timeout", "1", "/bin/sh", "-c", f"{arguments.program} endless & {arguments.program} endless")
        self.assertEqual(done.stderr.count("! endless was in flight"), 2)

    def test_goes_on(self):
        words = r"! 1 process that uses CUDA has not ended"
        done = prof("--check", "memory", arguments.program, "daemon", "vectors", "wait")
        # It has had time to come to life, or has not.
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, words + "|nothing was checked")

    def test_complete(self):
        """Nothing of this keeps a launch from being recorded."""
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o755)
        for steps in (["closeall", "vectors"], ["vectors", "closeall", "vectors"],
                      ["chdir=/", "vectors"], ["spawn", "vectors"], ["fork", "vectors"], ["vectors", "_exit=0"],
                      ["vectors", "fsize=100000", "vectors"]):
            _, document = self.profiled(["--check", "memory"], *steps)
            self.assertEqual((document["complete"], document["in_flight"]), (True, []), steps)
            self.assertEqual(len(document["launches"]), steps.count("vectors") * (2 if "spawn" in steps else 1))
        _, document = self.profiled([], "clearenv", "vectors")
        self.assertEqual((document["complete"], len(document["launches"])), (True, 1))
        done = prof("--check", "memory", arguments.program, "clearenv", "vectors")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing was checked: the program emptied its environment", done.stderr)

    def test_unused(self):
        # A check that checked nothing has not passed.
        done = prof("--check", "memory", "/bin/true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAIL --check: nothing was checked", done.stderr)

    def test_standard_error(self):
        command = [arguments.wideload, "prof", arguments.program, "vectors"]
        for redirection in ("2>&-", "2>/dev/full"):
            done = subprocess.run(["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", *command], env=environment(),
                                  timeout=120, check=False)
            self.assertEqual(done.returncode, 1)
        path = self.place("report")
        command[2:2] = ["--output", path]
        done = subprocess.run(["/bin/sh", "-c", 'exec "$@" 2>&-', "sh", *command], env=environment(), timeout=120,
                              check=False)
        self.assertEqual(done.returncode, 0)
        self.assertIn("vectors", self.text("report"))


class Ends(Folder):
    """Whoever is killed, nothing goes on and no file is left."""

    def start(self, *command, **options):
        script = f"{arguments.program} endless & setsid {arguments.program} endless & {arguments.program} vectors sleep"
        mark = self.place("mark")
        process = subprocess.Popen([arguments.wideload, "prof", "--json", self.place("a.json"), *command, "/bin/sh", "-c",
                                    script, mark], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                   env=environment({"TMPDIR": self.folder, "WIDELOAD_TEST": mark}), **options)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), "asleep\n")
        return process

    def left(self):
        """The processes that have this test's mark in their environment, and are no zombies."""
        mark, pids = f"WIDELOAD_TEST={self.place('mark')}".encode(), []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    if mark in file.read():
                        pids.append(int(pid))
            except OSError:
                pass
        return pids

    def nothing_left(self, files):
        for _ in range(200):
            if not self.left() and os.listdir(self.folder) == files:
                return
            time.sleep(0.05)
        pids = self.left()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        self.fail(f"processes {pids} go on; files {os.listdir(self.folder)}")

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start()
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=60), -number)
            self.nothing_left(["a.json"])
            os.unlink(self.place("a.json"))

    def test_killed(self):
        process = self.start()
        self.assertEqual(len(self.left()), 6)  # both of the command's own, the shell, three programs
        process.kill()
        process.wait()
        self.nothing_left([])

    def test_nohup(self):
        ignored = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)}
        process = self.start(**ignored)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertEqual((process.poll(), len(self.left())), (None, 6))
        process.kill()
        process.wait()
        self.nothing_left([])

    def test_guard_killed(self):
        process = self.start()
        guard, = [pid for pid in self.left() if self.parent(pid) == process.pid]
        os.kill(guard, signal.SIGKILL)
        self.assertEqual(process.wait(timeout=60), 1)
        self.nothing_left([])

    @staticmethod
    def parent(pid):
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])

    def test_timeout(self):
        self.assertEqual(self.start("--timeout", "1").wait(timeout=60), 124)
        self.nothing_left(["a.json"])


class Refused(Folder):
    def refused(self, status, says, *command, **options):
        done = prof(*command, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Awideload: [^\n]+\n\Z")
        self.assertIn(says, done.stderr)

    def test_programs(self):
        self.refused(127, "no such program", "/no/such/program")
        self.refused(127, "in PATH", "no-such-program-at-all")
        self.refused(126, "a folder", self.folder)
        with open(self.place("text"), "w", encoding="utf-8") as file:
            file.write("hello\n")
        self.refused(126, "not executable", self.place("text"))
        os.chmod(self.place("text"), 0o755)
        self.refused(126, "neither a program nor a script", self.place("text"))
        with open(arguments.program, "rb") as file:
            image = bytearray(file.read())
        for name, at, value, says in [("bits", 4, 1, "32-bit"), ("machine", 18, 8, "another machine")]:
            wrong = image[:]
            wrong[at] = value
            with open(self.place(name), "wb") as file:
                file.write(wrong)
            os.chmod(self.place(name), 0o755)
            self.refused(126, says, self.place(name))
        for name, content, says in [("empty", b"", "neither a program"), ("cut", bytes(image[:100]), "damaged"),
                                    ("script", b"#!/no/such/shell\n", "first line")]:
            with open(self.place(name), "wb") as file:
                file.write(content)
            os.chmod(self.place(name), 0o755)
            self.refused(126, says, self.place(name))
        self.refused(127, "no such program", "")

    def test_arguments(self):
        program = arguments.program
        self.refused(2, "no program given")
        self.refused(2, "did you mean 'gld_efficiency'?", "--metrics", "gld_eficiency", program)
        self.refused(2, "no regular expression", "--kernel", "a(", program)
        self.refused(2, "no comparison", "--fail-if", "gld_efficiency", program)
        self.refused(2, "did you mean 'fermi'?", "--arch", "fremi", program)
        self.refused(2, "there are fermi, fermi-l2, ", "--arch", "zzzzzz", program)
        for expression, says in [("", "names no metric"), ("<80", "names no metric"), ("gld_efficiency", "comparison"),
                                 ("gld_efficiency=80", "comparison"), ("gld_efficiency<", "no number"),
                                 ("gld_efficiency<x", "no number"), ("gld_efficiency<nan", "no number"),
                                 ("gld_efficiency<1e999", "no number"), ("gld_efficiency<80%%", "left over"),
                                 ("gld_efficiency<80 a<1", "left over"), ("zzzzzzzz<1", "unknown metric")]:
            self.refused(2, says, "--fail-if", expression, program)
        self.refused(2, "did you mean 'memory'?", "--check", "memroy", program)
        self.refused(2, "did you mean '--metrics'?", "--metric5", program)
        self.refused(2, "--launch-skip", "--launch-skip", "-1", program)
        self.refused(2, "--timeout", "--timeout", "0", program)
        self.refused(2, "two places", "--csv", self.place("a"), "--json", self.place("a"), program)
        self.refused(2, "the program's", "--csv", "-", program)

    def test_one_file_twice(self):
        # However it is spelled; nothing is touched, and nothing runs.
        program, made = self.place("program"), self.place("made")
        shutil.copy(os.path.realpath(arguments.program), program)
        os.link(program, self.place("hard"))
        os.symlink("program", self.place("link"))
        os.symlink("made", self.place("to be made"))
        for name in ("program", "hard", "link"):
            for option in ("--csv", "--json", "--output"):
                self.refused(2, f"{option}: {self.place(name)} is the program", option, self.place(name), program, "print")
        for other in (made, self.place("./made"), self.place("to be made"), os.path.relpath(made)):
            self.refused(2, "two places", "--csv", made, "--output", other, program, "print")
        with open(made, "w", encoding="utf-8") as file:
            file.write("kept")
        self.refused(2, "is an argument of the program", "--json", made, program, "print", self.place("to be made"))
        for mode, stream, words in (("r", "stdin", "standard input"), ("a", "stdout", "where standard output goes"),
                                    ("a", "stderr", "")):
            with open(made, mode, encoding="utf-8") as file:
                streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, stream: file}
                done = subprocess.run([arguments.wideload, "prof", "--json", made, program, "print"], text=True,
                                      check=False, env=environment(), **streams)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr or "")
        self.assertIn("kept", self.text("made"))
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            self.refused(2, "the program's", "--csv", name, program)
        self.assertEqual(prof("--csv", "/dev/null", "--json", "/dev/null", program, "exit=0").returncode, 0)

    def test_places(self):
        # Nothing runs when its results could not be kept.
        self.refused(2, "cannot be written", "--json", "/no/such/folder/a.json", arguments.program, "print")
        self.refused(1, "no place for the records", arguments.program, "print", more={"TMPDIR": "/no/such/folder"})
        self.assertEqual(os.listdir(self.folder), [])
        done = prof("--output", "/dev/full", arguments.program, "vectors")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/dev/full", done.stderr)
        # More than a buffer: a stream that fails early.
        for option in ["--json", "--csv"]:
            done = prof("--each", option, "/dev/full", arguments.program, *["vectors"] * 100)
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.endswith("wideload: /dev/full: No space left on device\n"), done.stderr[-200:])


class Parts(Folder):
    """Files that a profiled program runs on, beside libwideload.so."""

    def test_missing(self):
        # The loader takes a copy of the library here before the build's.
        needed = [line.split()[2] for line in subprocess.run(["ldd", arguments.wideload], capture_output=True, text=True,
                                                             check=True).stdout.splitlines() if "libwideload.so" in line]
        build = os.path.dirname(os.path.realpath(needed[0]))
        shutil.copy(needed[0], self.folder)
        more = {"LD_LIBRARY_PATH": self.folder}
        for part in ["libwideload-sim.so", "libwideload-cudart.so", "wideload/libcuda.so.1",
                     "wideload/libcudart.so.12", "wideload/libcudart.so.13", "wideload/bin/ptxas", "wideload/bin/nvcc"]:
            done = ran("print", more=more)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"\Awideload: [^\n]+\n\Z")
            self.assertIn(os.path.join(os.path.realpath(self.folder), part) + ": this part of Wideload is missing",
                          done.stderr)
            self.assertIn("`make`", done.stderr)
            os.makedirs(self.place("wideload/bin"), exist_ok=True)
            os.symlink(os.path.join(build, part), self.place(part))
        self.assertEqual(ran("vectors", more=more).returncode, 0)


class Silence(Folder):
    def says(self, words, *command, **keywords):
        done = prof(*command, **keywords)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, rf"\Awideload prof: [^\n]*no kernel ran: [^\n]*{words}[^\n]*\n\Z")

    def test_why(self):
        self.says("no GPU code", "/bin/true")
        self.says("launched nothing", arguments.program, "start")
        with open(self.place("script"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n:\n")
        os.chmod(self.place("script"), 0o755)
        self.says("script", self.place("script"))

    # Code for one machine: mov $60, %eax; xor %edi, %edi; syscall
    @unittest.skipUnless(os.uname().machine == "x86_64", "made for x86-64")
    def test_static(self):
        code = b"\xb8\x3c\x00\x00\x00\x31\xff\x0f\x05"
        start = 0x400000
        header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 2, 62, 1, start + 120, 64, 0, 0, 64, 56, 1,
                             64, 0, 0)
        segment = struct.pack("<IIQQQQQQ", 1, 5, 0, start, start, 120 + len(code), 120 + len(code), 4096)
        with open(self.place("static"), "wb") as file:
            file.write(header + segment + code)
        os.chmod(self.place("static"), 0o755)
        self.says("linked statically", self.place("static"))

    def test_static_with_kernels(self):
        # A simulator in its process would be one beside its own C library, and crash; a GPU's driver is not its turn.
        if not arguments.static:
            self.skipTest("there is no C library to link with statically")
        done = prof(arguments.static, more={"LD_LIBRARY_PATH": "/a"})
        self.assertEqual((done.returncode, done.stdout),
                         (5, "LD_LIBRARY_PATH=/a\nLD_PRELOAD=none\nCUDA_VISIBLE_DEVICES=-1\n"))
        self.assertIn("linked statically", done.stderr)

    def test_privileged(self):
        if os.geteuid() != 0 or os.statvfs(self.folder).f_flag & os.ST_NOSUID:
            self.skipTest("needs root, and a folder where setuid programs work")
        if os.environ.get("WIDELOAD_ASAN"):
            self.skipTest("a privileged program does not find its sanitizer's library")
        os.chmod(self.folder, 0o755)
        shutil.copy(os.path.realpath(arguments.program), self.place("program"))
        os.chown(self.place("program"), 65534, 65534)
        os.chmod(self.place("program"), 0o4755)
        self.says("setuid", self.place("program"))

    def test_refused(self):
        if not arguments.refused:
            self.skipTest("CUDA's runtime libraries are not there to link with")
        stripped, unsupported = arguments.refused
        self.says("link it with -cudart shared", stripped, more=sanitized({}))
        self.says(r"'wgmma\.fence\.sync\.aligned' is not supported.*unsupported\.cu:3 of the source",
                  unsupported)

    def test_settings(self):
        # A setting that cannot be is told by its name, and so is what it may be.
        for name, value, says in (("THREADS", "abc", "number of threads"), ("THREADS", "0", "number of threads"),
                                  ("SIM_MEMORY", "64Q", "number of bytes"), ("ARCH", "sm_9O", "no rules"),
                                  ("CHECK", "racing", "no check 'racing'")):
            done = ran("vectors", more={f"WIDELOAD_{name}": value})
            self.assertEqual(done.returncode, 99)
            self.assertRegex(done.stderr, f"no kernel ran: WIDELOAD_{name}: .*{says}")

    def test_scripts_are_followed(self):
        with open(self.place("script"), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncd /\n{arguments.program} vectors && exit 5\n")
        os.chmod(self.place("script"), 0o755)
        done = prof(self.place("script"))
        self.assertEqual(done.returncode, 5)
        self.assertIn("vectors", done.stderr)


class Figures(Folder):
    def test_table(self):
        # Compared whole; --update writes it anew.
        done = ran("strided:8", "strided:2", "vectors", "misaligned", "conflicts")
        report = done.stderr.replace(arguments.program, "PROGRAM")
        golden = os.path.join(arguments.source, "tests", "prof", "table.exact")
        if arguments.update:
            with open(golden, "w", encoding="utf-8") as file:
                file.write(report)
        with open(golden, encoding="utf-8") as file:
            self.assertEqual(report, file.read())
        for line in report.splitlines():
            self.assertLessEqual(len(line), 100)
            self.assertEqual(line, line.rstrip())

    def in_terminal(self, columns, *command):
        """What it writes to a terminal of so many columns."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen([arguments.wideload, "prof", *command], stderr=slave, env=environment()) as process:
            os.close(slave)
            text = b""
            try:
                while block := os.read(master, 4096):
                    text += block
            except OSError:  # nobody has it open any longer
                pass
        os.close(master)
        self.assertEqual(process.returncode, 0)
        return text.decode().replace("\r\n", "\n")

    def test_names_of_templates(self):
        # The arguments that tell kernels apart; where there is no room for them, a line for each name.
        kernels = ["_Z32a_kernel_with_a_rather_long_nameI1A1CEvv", "_Z32a_kernel_with_a_rather_long_nameI1B1CEvv"]
        with open(self.place("a.ptx"), "w", encoding="ascii") as file:
            file.write(".version 8.0\n.target sm_75\n.address_size 64\n" +
                       "".join(f".visible .entry {kernel}() {{ ret; }}\n" for kernel in kernels))
        command = [arguments.program, f"load={self.place('a.ptx')}", *kernels]
        name = "a_kernel_with_a_rather_long_name"
        wide, narrow = self.in_terminal(100, *command), self.in_terminal(50, *command)
        self.assertRegex(wide, rf"(?m)^{name}<A, \.\.> +1 +0 .*\n{name}<B, \.\.> +1 +0 ")
        self.assertRegex(narrow, rf"(?m)^  kernel\n +runs .*\n  {name}<A, \.\.>\n +1 +0 .*\n  {name}<B, \.\.>\n +1 +0 ")
        for line in narrow.splitlines()[1:]:
            self.assertLessEqual(len(line), 50)

    def test_lines(self):
        done = prof("--lines", arguments.program, "strided:2", "vectors", "conflicts")
        self.assertRegex(done.stderr, r"ld\.global\.v4\.[fu]32 +16 +1 +16\.00 +100 ")
        self.assertRegex(done.stderr, r"(?m)^ +4 +ld\.global\.f32 +4 +1 +8\.00 +50 .*out\[i\] = in\[i \* stride\];$")
        self.assertIn("lanes 8 bytes apart: each 32-byte sector brings 16 useful bytes", done.stderr)
        for line in done.stderr.replace(arguments.source, "SOURCE").splitlines():
            self.assertLessEqual(len(line), 100)

    def test_long_name(self):
        # The name of a program in a deep folder has a line of its own; the rest of the heading goes on below.
        folder = os.path.join(self.folder, "a" * 60, "b" * 60)
        os.makedirs(folder)
        program = os.path.join(folder, "program")
        os.symlink(arguments.program, program)
        report = prof("--each", program, "strided:2").stderr.replace(program, "PROGRAM")
        self.assertIn("wideload prof: PROGRAM:\n1 launch; counting rules sm_90\n", report)

    def test_long_metrics(self):
        # Two launches of the longest names and of large numbers: shortened, and only then.
        names = ["l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
                 "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"]
        with open(self.place("a.ptx"), "w", encoding="ascii") as file:
            file.write(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry busy(.param .u64 p) {\n"
                       ".reg .b32 %r<2>;\n.reg .pred %p;\nmov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\n"
                       "setp.lt.u32 %p, %r1, 4000000;\n@%p bra L;\nret;\n}\n")
        done = prof("--metrics", ",".join([*names, "thread_inst_executed"]), arguments.program,
                    f"load={self.place('a.ptx')}", "busy")
        for line in done.stderr.splitlines():
            self.assertLessEqual(len(line), 100)
        self.assertRegex(done.stderr, r"(?m)^  thread_inst_executed .* 384\.00M  ?384\.00M  ?384\.00M$")
        self.assertIn(names[0], done.stderr)
        self.assertIn("\n  runs: 1\n", done.stderr)
        done = prof("--metrics", "thread_inst_executed", arguments.program, f"load={self.place('a.ptx')}", "busy")
        self.assertRegex(done.stderr, r"384\d{6}")

    def test_very_long_name(self):
        # Of a kernel: the lines hold, its ends are shown, and files have all of it.
        name = "k" + "x" * 10000 + "y"
        with open(self.place("a.ptx"), "w", encoding="ascii") as file:
            file.write(f".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry {name}(.param .u64 p) {{\n"
                       ".reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nst.global.u64 [%rd1], %rd1;\nret;\n}\n")
        steps = [f"load={self.place('a.ptx')}", name]
        for options in [[], ["--lines"], ["--each"], ["--metrics", "all"], ["--fail-if", "gst_efficiency>1"]]:
            done, document = self.profiled(options, *steps)
            self.assertEqual(document["launches"][0]["kernel"], name)
            self.assertRegex(done.stderr, r"kxxxxx.*\.\.")
            for line in done.stderr.splitlines():
                self.assertLessEqual(len(line), 100)
        # A fault's line and address are not lost behind the name.
        with open(self.place("a.ptx"), "r+", encoding="ascii") as file:
            text = file.read().replace("[%rd1], %rd1", "[1 << 60], %rd1")
            file.seek(0)
            file.write(text)
        done = ran(*steps)
        self.assertIn("thread (0,0,0)", re.sub(r"\s+", " ", done.stderr))

    def test_many_launches(self):
        # Each record once, however the launches alternate.
        path = self.place("a.json")
        steps = [f"strided:{stride}" for stride in range(1, 101)] * 5
        done = prof("--json", path, arguments.program, *steps)
        self.assertEqual(done.returncode, 0)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["launches"]), 500)

    def test_json(self):
        sys.path.insert(0, os.path.join(arguments.source, "tests", "cli"))
        import schema  # pylint: disable=import-outside-toplevel
        _, document = self.profiled(["--lines"], "strided:2", "divergent", "out_of_bounds")
        with open(os.path.join(arguments.source, "docs", "wideload-prof-1.schema.json"), encoding="utf-8") as file:
            self.assertEqual(list(schema.violations(document, json.load(file))), [])
        self.assertEqual([launch["kernel"] for launch in document["launches"]],
                         ["void strided<float>(float*, float const*, int)", "divergent", "out_of_bounds"])
        strided, divergent, faulty = document["launches"]
        self.assertEqual(strided["metrics"]["gld_transactions"], 8)
        self.assertEqual(strided["metrics"]["gld_efficiency"], 50)
        self.assertEqual((strided["grid"], strided["block"]), ([1, 1, 1], [32, 1, 1]))
        access, = [line for line in strided["lines"] if line["access"].startswith("ld")]
        self.assertEqual((access["stride"], access["bytes"], access["transactions_per_request"]), (8, 4, 8))
        # One branch parts the lanes, and the loop's, each time some of them leave it.
        self.assertGreater(divergent["metrics"]["divergent_branch"], 1)
        self.assertLess(divergent["metrics"]["branch_efficiency"], 100)
        self.assertEqual(faulty["fault"]["kind"], "address")

    def test_every_fault_is_reported(self):
        for kernel, kind in (("trapping", "stop"), ("asserting", "assert"), ("out_of_bounds", "address")):
            _, document = self.profiled([], kernel)
            launch, = document["launches"]
            self.assertEqual((launch["kernel"], launch["fault"]["kind"]), (kernel, kind))

    def test_outside(self):
        # Ten lanes read past the end of the only allocation, within its page.
        done, document = self.profiled([], "strided:6144")
        words = r"10 accesses outside any allocation, at kernels\.cu:4 \(ld\.global\.f32\): "
        self.assertEqual(done.returncode, 0)
        self.assertRegex(re.sub(r"\n +", " ", done.stderr), "note: strided<float>: " + words)
        self.assertRegex(document["launches"][0]["notes"][0], words)
        _, document = self.profiled([], "strided:4096")
        self.assertEqual(document["launches"][0]["notes"], [])
        done = prof("--check", "memory", arguments.program, "strided:6144")
        self.assertEqual(done.returncode, 1)
        self.assertIn("out of bounds", done.stderr)
        self.assertNotIn("note:", done.stderr)

    def test_selection(self):
        steps = ["vectors", "strided:2", "vectors", "strided:4", "strided:8"]
        _, document = self.profiled(["--kernel", "strided", "--launch-skip", "1", "--launch-count", "1",
                                     "--metrics", "gld_transactions"], *steps)
        self.assertEqual([launch["metrics"] for launch in document["launches"]], [{"gld_transactions": 16}])
        done = prof("--kernel", "none like this", arguments.program, *steps)
        self.assertIn("none of its 5 launches", done.stderr)

    def test_fork(self):
        # As with CUDA, a child may use the driver that its parent has not used.
        _, document = self.profiled([], "fork", "vectors", "strided:2")
        names = [launch["kernel"].split("(")[0] for launch in document["launches"]]
        self.assertEqual(names, ["vectors", "void strided<float>"])

    def test_processes_side_by_side(self):
        path = self.place("a.json")
        steps = " ".join(["strided:2 vectors strided:4"] * 100)
        done = prof("--json", path, "/bin/sh", "-c", f"for i in 1 2 3 4; do {arguments.program} {steps} & done; wait")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("record", done.stderr)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["launches"]), 1200)

    def test_repeats(self):
        _, document = self.profiled([], *["strided:2", "vectors", "strided:4"] * 50)
        self.assertEqual([launch["metrics"]["gld_transactions"] for launch in document["launches"]], [8, 16, 16] * 50)

    def test_graphs(self):
        # Each of a graph's kernels is a launch, each time the graph runs; what was only captured is none.
        _, document = self.profiled([], "capture", "strided:2", "vectors", "replay=3")
        self.assertEqual([launch["metrics"]["gld_transactions"] for launch in document["launches"]], [8, 16] * 3)
        _, document = self.profiled([], "capture", "strided:2", "replay=0")
        self.assertEqual(document["launches"], [])

    def test_arch(self):
        done = prof("--arch", "fermi", "--metrics", "gld_efficiency", arguments.program, "misaligned")
        self.assertIn("counting rules fermi (not held against hardware)", done.stderr)
        self.assertRegex(done.stderr, r"gld_efficiency +50\.00%")

    def test_csv(self):
        path = self.place("a.csv")
        prof("--csv", path, "--each", arguments.program, "strided:2", "strided:8")
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, strict=True))
        self.assertEqual([row["gld_transactions"] for row in rows], ["8", "32"])
        self.assertEqual(rows[0]["kernel"], "void strided<float>(float*, float const*, int)")

    def test_metrics_help(self):
        done = prof("--metrics", "help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("\n  gld_efficiency\n  smsp__sass_average_data_bytes_per_sector", done.stdout)


class Names(Folder):
    def test_not_ascii(self):
        # nvcc writes the folder as "jos\\303\\251".
        folder = self.place("jos\u00e9")
        os.mkdir(folder)
        with open(os.path.join(folder, "a.cu"), "w", encoding="utf-8") as file:
            file.write("// one\nthe line that is told;\n")
        with open(self.place("a.ptx"), "w", encoding="ascii") as file:
            name = os.path.join(self.folder, "jos\\303\\251", "a.cu")
            file.write(f'.version 8.0\n.target sm_75\n.address_size 64\n.file 1 "{name}"\n'
                       ".visible .entry k(.param .u64 p) {\n.reg .b64 %r;\nld.param.u64 %r, [p];\n"
                       ".loc 1 2 1\nst.global.u64 [%r], %r;\nret;\n}\n")
        done, document = self.profiled(["--lines"], f"load={self.place('a.ptx')}", "k")
        self.assertIn("the line that is told", done.stderr)
        self.assertEqual(document["launches"][0]["lines"][0]["file"], os.path.join(folder, "a.cu"))

    def test_not_text(self):
        # Names of files may be any bytes; what is written of them is text.
        folder = os.fsencode(self.folder)
        program = os.path.join(folder, b"pro\xe9\xffgram \xe2\x82")
        os.symlink(arguments.program, program)
        source = os.path.join(folder, b"a\xe9.cu")
        with open(source, "wb") as file:
            file.write(b"// caf\xe9\n")
        with open(self.place("a.ptx"), "wb") as file:
            file.write(b'.version 8.0\n.target sm_75\n.address_size 64\n.file 1 "' + source + b'"\n'
                       b".visible .entry k(.param .u64 p) {\n.reg .b64 %r;\nld.param.u64 %r, [p];\n"
                       b".loc 1 1 1\nst.global.u64 [%r+1], %r;\nret;\n}\n")
        files = [self.place(name) for name in ("a.json", "a.csv", "a.txt")]
        for check in ([], ["--check", "memory"]):
            done = subprocess.run([arguments.wideload, "prof", *check, "--lines", "--json", files[0], "--csv", files[1],
                                   "--output", files[2], program, f"load={self.place('a.ptx')}", "k"],
                                  env=environment(), capture_output=True, check=False, timeout=120)
            done.stderr.decode()
            texts = []
            for path in files:
                with open(path, encoding="utf-8") as file:
                    texts.append(file.read())
            self.assertIn("pro\ufffd\ufffdgram", json.loads(texts[0])["program"])
            self.assertTrue(json.loads(texts[0])["complete"])
            self.assertIn("a\ufffd.cu", texts[2])
        self.assertEqual(done.returncode, 1)
        self.assertIn("ERROR SUMMARY: 1 error", texts[2])
        self.assertEqual(prof("--json", os.path.join(folder, b"no\xff", b"a"), "/bin/true").returncode, 2)


class Gates(Folder):
    def test_gates(self):
        steps = [arguments.program, "strided:2", "vectors", "exit=9"]
        done = prof("--fail-if", "gld_efficiency<80", *steps)
        self.assertEqual(done.returncode, 3)
        self.assertIn("FAIL gld_efficiency<80: gld_efficiency is 50.00%: void strided<float>", done.stderr)
        self.assertNotIn("vectors(float4", done.stderr[done.stderr.index("FAIL"):])
        self.assertEqual(prof("--fail-if", "gld_efficiency<50", *steps).returncode, 9)
        self.assertEqual(prof("--fail-if", "gld_efficiency<50", "--fail-if", "branch==0", *steps).returncode, 3)
        self.assertEqual(prof("--fail-if", "gld_efficiency<80", "--kernel", "vectors", *steps).returncode, 9)
        # Nothing of the kind was done: nothing is wrong with it.
        self.assertEqual(prof("--fail-if", "shared_efficiency<80", *steps).returncode, 9)

    def test_a_crash_or_a_timeout_is_the_status(self):
        # docs/prof.md: ended by a signal, the command ends of it too; a gate that held is told all the same.
        for steps, status in [(["crash"], -signal.SIGSEGV), ([f"kill={int(signal.SIGTERM)}"], -signal.SIGTERM)]:
            done = prof("--fail-if", "gld_efficiency<80", arguments.program, "strided:2", *steps)
            self.assertEqual(done.returncode, status)
            self.assertIn("FAIL gld_efficiency<80", done.stderr)
        for steps in [["sleep"], ["term", "sleep"]]:  # ended by the signal, and by itself because of it
            done = prof("--timeout", "1", "--fail-if", "gld_efficiency<80", arguments.program, "strided:2", *steps)
            self.assertEqual(done.returncode, 124)
            self.assertIn("FAIL gld_efficiency<80", done.stderr)

    def test_a_gate_without_launches_fails(self):
        done = prof("--fail-if", "gld_efficiency<80", "--kernel", "renamed", arguments.program, "vectors")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(prof("--fail-if", "gld_efficiency<80", "/bin/true").returncode, 3)

    def test_github(self):
        done = prof("--github", "--fail-if", "gld_efficiency<80", arguments.program, "strided:2",
                    more={"GITHUB_WORKSPACE": arguments.source})
        lines = [line for line in done.stderr.splitlines() if line.startswith("::")]
        self.assertRegex(lines[0], r"^::error file=tests/prof/kernels\.cu,line=4,col=\d+::gld_efficiency<80: ")
        self.assertRegex(lines[1], r"^::warning file=tests/prof/kernels\.cu,line=4,col=\d+::.*lanes 8 bytes apart")

    def test_check(self):
        # A simulator that checks says so; another is not taken for one that found nothing.
        done = prof("--check", "memory", arguments.program, "vectors")
        if "nothing was checked" in done.stderr:
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"\Awideload: [^\n]+\n\Z")
        else:
            self.assertIn("ERROR SUMMARY: 0 errors", done.stderr)
            done = prof("--check", "memory", arguments.program, "out_of_bounds")
            self.assertEqual(done.returncode, 1)
            self.assertIn("kernels.cu:", done.stderr)

    def test_names_of_faults(self):
        # As they were written, also where the simulator cut them off.
        types = "7pair_ofI21another_pair_of_typesIifES1_IS0_IfdEiEE"
        for kernel, name in [("_Z6beyondIiEvPT_", "beyond<int>"), (f"_Z6astrayI{types}EvPi", "astray<..>")]:
            done, document = self.profiled(["--github"], kernel)
            self.assertIn(f"! launch 1 faulted, so its figures are partial: kernel {name}, ",
                          " ".join(done.stderr.split()))
            self.assertNotIn("_Z", done.stderr)
            self.assertRegex(document["launches"][0]["fault"]["text"], rf"^kernel {name}, ")

    def test_hints_of_faults(self):
        # Which check says more of a fault, where it is not on.
        with open(self.place("a.ptx"), "w", encoding="ascii") as file:
            file.write(".version 8.0\n.target sm_75\n.address_size 64\n"
                       ".visible .entry waits() { bar.sync 1, 64; ret; }\n"
                       ".visible .entry traps() { trap; ret; }\n"
                       ".visible .entry strays() { .reg .b64 a; .reg .b32 r; mov.u64 a, 2; ld.global.u32 r, [a]; ret; }")
        for kernel, check in ("waits", "sync"), ("strays", "memory"), ("traps", None):
            command = [arguments.program, f"load={self.place('a.ptx')}", kernel]
            self.assertEqual(re.findall(r"run with --check (\w+)", prof(*command).stderr), [check] if check else [])
            self.assertNotIn("run with", prof("--check", "memory,sync", *command).stderr)

    def test_undefined(self):
        # A plain report names the check for what it went on at: a shuffle from exited lanes, half a warp's barrier.
        start = ".reg .pred p; .reg .b32 a, b; mov.u32 a, %tid.x; setp.ge.u32 p, a, 20;"
        with open(self.place("a.ptx"), "w", encoding="ascii") as file:
            file.write(".version 8.0\n.target sm_75\n.address_size 64\n"
                       f".visible .entry exited() {{ {start} @p ret; shfl.sync.down.b32 b, a, 1, 31, -1; ret; }}\n"
                       f".visible .entry named() {{ {start} @p ret; shfl.sync.down.b32 b, a, 1, 31, 0xfffff; ret; }}\n"
                       f".visible .entry half() {{ {start} @p bra L; bar.sync 0; L: add.u32 a, a, 1; ret; }}\n"
                       f".visible .entry whole() {{ {start} @p ret; bar.sync 0; ret; }}\n")
        for kernel, undefined in ("exited", True), ("named", False), ("half", True), ("whole", False):
            command = [arguments.program, f"load={self.place('a.ptx')}", kernel]
            self.assertEqual("run with --check sync" in " ".join(prof(*command).stderr.split()), undefined, kernel)
            self.assertEqual(prof("--check", "sync", *command).returncode, undefined)

    def test_bugs_of_several_launches(self):
        # A bug is reported once, whoever reads it, with how often it was seen.
        done, document = self.profiled(["--check", "memory", "--github"], *["out_of_bounds"] * 5, "vectors")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ERROR SUMMARY: 1 error\n", done.stderr)
        self.assertIn("=========     160 times in 5 launches\n", done.stderr)
        self.assertEqual(len(re.findall(r"^::error .*\(160 times in 5 launches\)$", done.stderr, re.M)), 1)
        [finding] = document["findings"]
        self.assertEqual([finding[name] for name in ("kind", "level", "times", "launches")],
                         ["out-of-bounds", "error", 160, 5])

    def test_leaks(self):
        # Memory that was never freed is a note, and an error for who asks for it.
        for check, status, level, annotation in [("memory", 3, "note", "notice"), ("leak", 1, "error", "error"),
                                                 ("race,memory,leak", 1, "error", "error")]:
            done, document = self.profiled(["--check", check, "--github"], "vectors", "leak", "exit=3")
            self.assertEqual(done.returncode, status)
            self.assertRegex(done.stderr, r"========= allocation #\d+ \(0x[0-9a-f]+, 100 bytes\) was never freed\n")
            self.assertIn(f"ERROR SUMMARY: {int(status == 1)} error", done.stderr)
            self.assertEqual("LEAK SUMMARY: 1 leak, no error without --check leak\n" in done.stderr, status == 3)
            self.assertRegex(done.stderr, rf"(?m)^::{annotation}::allocation #\d+ ")
            [finding] = document["findings"]
            self.assertEqual([finding["kind"], finding["level"], finding["launches"]], ["leak", level, 0])
        done = prof("--check", "race", arguments.program, "vectors", "leak")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("never freed", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--wideload", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--refused", nargs="*", default=[], help="a stripped program, one with a strange instruction")
    parser.add_argument("--static", help="a program that is linked statically, with kernels")
    parser.add_argument("--source", required=True)
    parser.add_argument("--update", action="store_true")
    arguments, rest = parser.parse_known_args()
    # Under a short name, so that what is printed does not hang on the folder this is in.
    with tempfile.TemporaryDirectory() as short:
        built, arguments.program = os.path.abspath(arguments.program), os.path.join(short, "program")
        os.symlink(built, arguments.program)
        sys.exit(unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() is False)

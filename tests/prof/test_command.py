#!/usr/bin/env python3
"""wideload prof as users meet it: a program's own streams, statuses and signals; lost, refused and silent launches."""
import csv
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import time
import unittest

from command import Folder, arguments, environment, main, prof, ran
from sanitized import sanitized


class Program(Folder):
    """The program behaves as without the profiler."""

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
        # Ctrl-C goes to the whole group: the program and the command receive it, and finished launches are reported.
        process = subprocess.Popen([arguments.wideload, "prof", arguments.program, "vectors", "sleep"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                   env=environment({"TMPDIR": self.folder}))
        self.assertEqual(process.stdout.readline(), "asleep\n")
        os.killpg(process.pid, signal.SIGINT)
        self.assertIn("vectors", process.communicate(timeout=60)[1])
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual(os.listdir(self.folder), [])

    def test_closed_streams(self):
        # Opened files must not get the streams' descriptors.
        for closed in [">&-", "2>&-", "<&- >&- 2>&-"]:
            files = [self.place(name) for name in ("a.json", "a.csv", "report")]
            command = [arguments.wideload, "prof", "--json", files[0], "--csv", files[1], arguments.program, "print",
                       "vectors"]
            done = subprocess.run(["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *command], capture_output=True,
                                  text=True, env=environment(), timeout=120, check=False)
            # A report that cannot be written is a failure; the files are written nevertheless.
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
        # After exec, both programs' launches are reported.
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
    """What is missing from the report is mentioned, and fails every gate and check."""

    def told(self, words, *steps, launches=0, options=(), status=0, **keywords):
        """`words` are in the report, with gates, with checks, and with neither."""
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
        # Like a full disk: the account is there, and the first records.
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
        # Records written earlier are not lost with the file's name.
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
        # It may or may not have started.
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, words + "|nothing was checked")

    def test_complete(self):
        """None of this prevents a launch from being recorded."""
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
        # A check that has checked nothing has not passed.
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


class Read(Folder):
    """--read: a report of records that are there already."""

    def setUp(self):
        super().setUp()
        given = prof("--output", os.devnull, "env", "-0").stdout.split("\0")
        self.path = self.place("records")
        with open(self.path, "w", encoding="utf-8"):
            pass
        self.environment = {**dict(pair.split("=", 1) for pair in given if pair), "WIDELOAD_PROF_OUT": self.path}

    def run_recorded(self, *steps):
        subprocess.run([arguments.program, *steps], env=self.environment, timeout=120, check=True)

    def test_same_report(self):
        self.run_recorded("vectors", "strided:7", "vectors")
        read, run = self.place("read.json"), self.place("run.json")
        done = prof("--lines", "--json", read, "--read", self.path)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        there = prof("--lines", "--json", run, arguments.program, "vectors", "strided:7", "vectors")
        # The header names the program as the system does.
        self.assertIn(os.path.realpath(arguments.program), done.stderr)
        self.assertEqual(done.stderr.split("\n\n", 1)[1], there.stderr.split("\n\n", 1)[1])
        with open(read, encoding="utf-8") as first, open(run, encoding="utf-8") as second:
            self.assertEqual(json.load(first)["launches"], json.load(second)["launches"])
        self.assertTrue(os.path.exists(self.path))

    def test_part(self):
        self.run_recorded("vectors", "strided:7", "vectors")
        document = self.place("a.json")
        prof("--launch-skip", "1", "--launch-count", "1", "--json", document, "--read", self.path)
        with open(document, encoding="utf-8") as file:
            self.assertEqual([launch["kernel"] for launch in json.load(file)["launches"]],
                             ["void strided<float>(float*, float const*, int)"])

    def test_gate(self):
        self.run_recorded("strided:7")
        self.assertEqual(prof("--fail-if", "gld_efficiency<50", "--read", self.path).returncode, 3)

    def test_no_launch(self):
        done = prof("--read", self.path)
        self.assertEqual((done.returncode, done.stderr), (0, f"wideload prof: {self.path}: no launch was recorded\n"))

    def test_refused(self):
        for words, status, text in [
                (["--read", self.place("none")], 1, "No such file"),
                (["--read", self.folder], 1, "directory"),
                (["--read", self.path, arguments.program], 2, "a program was given too"),
                (["--read", self.path, "--check", "race"], 2, "--check was given too"),
                (["--read", self.path, "--arch", "sm_90"], 2, "--arch was given too"),
                (["--read", self.path, "--timeout", "3"], 2, "--timeout was given too"),
                (["--read", self.path, "--json", self.path], 2, "--read")]:
            done = prof(*words)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(text, done.stderr)


class Ends(Folder):
    """Whichever process is killed, none continues and no file is left."""

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
        """The processes with this test's mark in their environment, except zombies."""
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
        # Both of the command's own, the shell, three programs.  A process has no environment while it starts, and again
        # while setsid becomes the program.
        for _ in range(200):
            count = len(self.left())
            if count == 6:
                break
            time.sleep(0.05)
        self.assertEqual(count, 6)
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
        self.refused(2, "is not a regular expression", "--kernel", "a(", program)
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
        # In any spelling; nothing is changed, and nothing runs.
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
        # Nothing runs if its results could not be saved.
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
    """Programs that need files from the folder of libraries."""

    def test_missing(self):
        # The command in a tree like an installation's.
        build = os.path.join(os.path.dirname(os.path.realpath(arguments.wideload)), "lib")
        os.makedirs(self.place("bin"))
        command = shutil.copy(arguments.wideload, self.place("bin/wideload"))
        parts = ["libwideload-sim.so", "libwideload-cudart.so", "wideload/libcuda.so.1", "wideload/libcudart.so.12",
                 "wideload/libcudart.so.13", "wideload/bin/ptxas", "wideload/bin/nvcc"]
        os.makedirs(self.place("lib/wideload/bin"))
        for part in parts:
            os.symlink(os.path.join(build, part), self.place("lib/" + part))
        for part in parts:
            os.rename(self.place("lib/" + part), self.place("taken"))
            done = ran("print", command=command)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"\Awideload: [^\n]+\n\Z")
            self.assertIn(os.path.join(os.path.realpath(self.folder), "lib", part) +
                          ": this part of Wideload is missing", done.stderr)
            self.assertIn("`make`", done.stderr)
            os.rename(self.place("taken"), self.place("lib/" + part))
        self.assertEqual(ran("vectors", command=command).returncode, 0)
        # Found in PATH, it is started without a path.
        self.assertEqual(ran("vectors", command="wideload", more={"PATH": self.place("bin") + ":" + os.environ["PATH"]})
                         .returncode, 0)


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
        # A simulator in its process would conflict with its own C library and crash; a GPU's driver is not tried.
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
        # An invalid setting is reported with its name and the valid values.
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


if __name__ == "__main__":
    main()

"""scripts/latency_fit.py, and the values of lib/tuned/hopper.c, which are its fit to an H200's sweep: latency.py SOURCE_FOLDER"""
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])


def run(*words):
    return subprocess.run([sys.executable, SOURCE / "scripts/latency_fit.py", *words], capture_output=True, text=True, check=False)


def values(text):
    return {name: [int(word) for word in re.findall(r"\d+", value)]
            for name, value in re.findall(r"\.(\w+) = (\{[^}]*\}|\d+)", text)}


def main():
    done = run("fit", str(SOURCE / "docs/results/latency/h200.tsv"))
    assert done.returncode == 0, done.stderr
    fitted = values(done.stdout)
    text = (SOURCE / "lib/tuned/hopper.c").read_text()
    tuned = values(re.search(r"    \.small = \{(\.large.*?)\},\n    \.transpose", text, re.DOTALL).group(1))
    assert set(fitted) == set(tuned), (fitted, tuned)
    for name in fitted:
        assert fitted[name] == tuned[name], (name, fitted[name], tuned[name])

    # A line is found again, and a choice that costs nothing.
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "line.tsv")
        lines = []
        for side in (32, 64, 128, 256, 512, 1024, 1200):
            time = 1 + 2e-6 * side * side
            lines.append(f"transpose 4 1 {side} {side} {side} {side} 0 0\tsmall4\ttranspose_async4\t{time}\t{1.5 + side / 4096}\tsame")
        path.write_text("\n".join(lines) + "\n# a device\n")
        done = run("fit", str(path))
        found = values(done.stdout)
        assert (found["first"], found["per_million"]) == ([1000, 1000], [2000, 2000]), done.stdout
        assert "0.0 % longer" in done.stdout, done.stdout
        path.write_text(lines[0].replace("same", "DIFFERENT") + "\n")
        done = run("fit", str(path))
        assert done.returncode == 1 and "different bytes" in done.stderr, done.stderr
        for wrong in (str(path) + "x", "/dev/null"):
            done = run("fit", wrong)
            assert done.returncode == 1 and done.stderr.startswith("latency_fit: "), done.stderr
    lines = run("sweep", "--most", "1").stdout.splitlines()
    assert len(lines) == len(set(lines)) > 300, len(lines)
    print(f"{len(fitted)} values are the fit")
    return 0


if __name__ == "__main__":
    sys.exit(main())

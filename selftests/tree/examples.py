#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
examples.py INPUTS PAGE...: runs the examples of pages of the documentation; prints TAP.

Each page gets a folder of its own, a copy of INPUTS, in which its examples are run from top to
bottom.  examples_test.sh says what an example is.
"""
import ctypes
import os
import re
import shutil
import subprocess
import sys

# Examples that cannot be run here: how the first line begins, and why.
NOT_RUN = {
    "perf record -e cs_etm": "wants an Arm processor with CoreSight, and root",
    "perf-csflow record -e cs_etm": "wants an Arm processor with CoreSight, and root",
    "perf record --kcore": "fetches a kernel; vm_kernel_test.sh has the same",
    "csflow record --kernel": "fetches a kernel; vm_record_test.sh has the same",
    "csflow vm ": "fetches a kernel; vm_test.sh has the same",
}

GUIDES = ("/tutorial.rst", "/cortex-m.rst")


def has_library(*names):
    """Can one of these be loaded?"""
    for name in names:
        try:
            ctypes.CDLL(name)
            return True
        except OSError:
            pass
    return False


# Needs of an example that may be missing: words in it, whether they are there, and how to skip.
NEEDS = [
    ("snapshots", bool(os.environ.get("CSFLOW_CORPUS")), "CSFLOW_CORPUS is not set"),
    ("swo.m", bool(os.environ.get("CSFLOW_CORPUS")), "CSFLOW_CORPUS is not set"),
    (".sr", bool(os.environ.get("CSFLOW_CORPUS")), "CSFLOW_CORPUS is not set"),
    (".sr", has_library("libzip.so.5", "libzip.so.4"), "no libzip"),
    ("simpleperf", bool(os.environ.get("CSFLOW_CORPUS")), "CSFLOW_CORPUS is not set"),
    ("board", bool(shutil.which("qemu-system-arm")), "no qemu-system-arm"),
    ("board", bool(shutil.which("arm-linux-gnueabihf-gcc")), "no arm-linux-gnueabihf-gcc"),
    ("image.elf", bool(shutil.which("qemu-system-arm")), "no qemu-system-arm"),
    ("image.elf", bool(shutil.which("arm-linux-gnueabihf-gcc")), "no arm-linux-gnueabihf-gcc"),
    ("csflow record", bool(shutil.which("qemu-aarch64")), "no qemu-aarch64"),
    ("screen ", bool(shutil.which("tmux")), "no tmux"),
    ("genhtml", bool(shutil.which("genhtml")), "no genhtml"),
    ("csflow coverage", bool(shutil.which("aarch64-linux-gnu-gcc")), "no aarch64-linux-gnu-gcc"),
    ("csflow pgo", bool(shutil.which("qemu-aarch64")), "no qemu-aarch64"),
]


class Example:
    """A literal block, the line it begins in, and what comments said of it."""

    def __init__(self, number, lines, run, vary):
        least = min(len(s) - len(s.lstrip()) for s in lines if s.strip())
        self.number = number
        self.lines = [s[least:].rstrip() for s in lines]
        self.run = run
        self.vary = vary

    def is_one(self, below, typed):
        """Below EXAMPLES any block is one; in a guide, whatever is typed."""
        begins = ("csflow ", "$ csflow ", "perf record ", "$ perf record ")
        return below or self.run is not None or self.lines[0].startswith(begins + ("$ ",) * typed)

    def parts(self):
        """Commands, and the lines that each prints; None: the page does not say."""
        if self.run is not None:
            return [(self.run, self.lines)]
        if not self.lines[0].startswith("$ "):
            return [(re.sub(r"^csflow browse [^#\n]*", in_terminal, "\n".join(self.lines),
                            flags=re.MULTILINE), None)]
        parts = []
        for line in self.lines:
            if line.startswith("$ "):
                parts.append((line[2:], []))
            else:
                parts[-1][1].append(line)
        return [(command, want or None) for command, want in parts]


def in_terminal(command):
    """What wants a terminal gets one, until its first screen is there."""
    return "screen 'q leave' '%s' " % command.group().strip()


def literal_blocks(path):
    """Of a page: (line number, lines, title of the section, comments before it)."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().expandtabs().split("\n")
    markdown = path.endswith(".md")
    title, comments = "", []
    i = 0
    while i < len(lines):
        line = lines[i]
        outer = len(line) - len(line.lstrip())
        i += 1
        if line.startswith("====") and i > 1:
            title = lines[i - 2]
        if line.startswith(".. "):
            comments.append(line[3:])
            while lines[i].strip() and lines[i].startswith(" "):
                comments[-1] += "\n" + lines[i].strip()
                i += 1
        begins = line.endswith("::") or markdown and not line.strip()
        if not begins or line.startswith(".. "):
            continue
        if markdown:
            outer = 3
        block = []
        start = i
        while i < len(lines) and (not lines[i].strip() or
                                  len(lines[i]) - len(lines[i].lstrip()) > outer):
            block.append(lines[i])
            i += 1
        while block and not block[-1].strip():
            block.pop()
        while block and not block[0].strip():
            block.pop(0)
            start += 1
        if block:
            yield start + 1, block, title, comments
            comments = []


def examples(path):
    for number, lines, title, comments in literal_blocks(path):
        run = [c[5:] for c in comments if c.startswith("run: ")]
        example = Example(number, lines, run[0] if run else None, "vary" in comments)
        if example.is_one(title == "EXAMPLES", path.endswith(GUIDES)):
            yield example


def matches(want, got, vary):
    """The lines of @want are in @got, all as far to the right; "..." is any number of lines."""
    pattern = r"^(?P<pad> *)"
    for i, line in enumerate(want):
        if line == "...":
            pattern += r"(?:.*\n)*?"
            continue
        line = re.escape(line)
        if vary:
            # after a number of another length more or fewer blanks fill a column
            line = re.sub(r"\d+((?:\\ ){2,})?",
                          lambda number: r"\d+" + (" +" if number.group(1) else ""), line)
        if line:
            pattern += ("(?P=pad)" if i else "") + line
        pattern += r" *\n"
    return re.search(pattern, got, re.MULTILINE) is not None


def files(folder):
    """What changes when a command writes a file."""
    out = {}
    for at, _, names in os.walk(folder):
        for name in names:
            stat = os.lstat(os.path.join(at, name))
            out[os.path.join(at, name)] = (stat.st_mtime_ns, stat.st_ino, stat.st_size)
    return out


def fault(example, folder):
    """Runs it.  Returns what is wrong, or None."""
    for command, want in example.parts():
        before = files(folder)
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command], cwd=folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120)
        got = done.stdout.decode("utf-8", "replace").expandtabs()
        if done.returncode:
            return "exits with %d\n%s" % (done.returncode, got)
        if not got and files(folder) == before:
            return "prints and writes nothing"
        if want and not matches(want, got, example.vary):
            return "the page has\n%s\nit prints\n%s" % ("\n".join(want), got)
    return None


def skips(example):
    text = "\n".join(command for command, _ in example.parts())
    for begin, why in NOT_RUN.items():
        if text.startswith(begin):
            return why
    for word, there, why in NEEDS:
        if word in text and not there:
            return why
    return None


def unknown_commands(pages):
    """Commands that a page names and csflow has not, and those without a page or its examples."""
    text = subprocess.run(["csflow", "help"], stdout=subprocess.PIPE, check=True).stdout.decode()
    there = set(re.findall(r"^  (\w+) ", text, re.MULTILINE)) | {"help"}
    wrong = []
    for page in pages:
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for command in re.findall(r"(?:`|\*\*)csflow ([a-z]+)", text):
            if command not in there:
                wrong.append("%s: csflow %s" % (page, command))
        # the help of each command says so
        if "/csflow-" in page and "\nEXAMPLES\n" not in text:
            wrong.append("%s: no EXAMPLES" % page)
    for command in there - {"help"}:
        if not any(page.endswith("csflow-%s.1.rst" % command) for page in pages):
            wrong.append("csflow %s has no manual page" % command)
    return wrong


def main():
    inputs, pages = sys.argv[1], sys.argv[2:]
    wrong = unknown_commands(pages)
    print("".join("# %s\n" % s for s in wrong), end="")
    print("%s 1 commands that pages name, and pages of commands" % ("not ok" if wrong else "ok"))
    n = 1
    for page in pages:
        folder = os.path.join(os.path.dirname(inputs), "run", os.path.basename(page))
        shutil.copytree(inputs, folder, symlinks=True)
        for example in examples(page):
            n += 1
            what = "%s:%d: %s" % (page, example.number, example.parts()[0][0].split("\n")[0])
            why = skips(example)
            if why:
                print("ok %d %s # SKIP %s" % (n, what, why))
                continue
            wrong = fault(example, folder)
            if wrong:
                print("".join("# %s\n" % s for s in wrong.split("\n")[:30]), end="")
            print("%s %d %s" % ("not ok" if wrong else "ok", n, what))
            sys.stdout.flush()
    print("1..%d" % n)


main()

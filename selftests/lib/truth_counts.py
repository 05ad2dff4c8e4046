#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# truth_counts.py TIMES JSON PROGRAM BASE: compares how often each instruction of a program was executed by a truth log, as
# truth_count.py lists it, and by a count table, as csflow profile --for=json prints it.  BASE: the address of offset 0 of
# the program's file.  Prints a line for each difference, and how many instructions were executed.  PROGRAM: the beginning
# of the name of its file there, or of its build-id.

import json
import os
import sys


def truth(path, first, end):
    times = {}
    with open(path) as f:
        for line in f:
            addr, n = line.split()[2:]
            if first <= int(addr, 16) < end:
                times[int(addr, 16)] = times.get(int(addr, 16), 0) + int(n)
    return times


def table(path, program, base):
    times = {}
    with open(path) as f:
        files = json.load(f)["files"]
    for file in files:
        if not os.path.basename(file["name"]).startswith(program) and not file["build_id"].startswith(program):
            continue
        for block in file["blocks"]:
            n = block["taken"] + block["passed"]
            for i in range(block["instructions"] if n else 0):
                addr = base + block["start"] + 4 * i
                times[addr] = times.get(addr, 0) + n
    return times


def main(path, counts, program, base):
    base = int(base, 16)
    want, got = truth(path, base, base + (1 << 20)), table(counts, program, base)
    for addr in sorted(want.keys() | got.keys()):
        if want.get(addr, 0) != got.get(addr, 0):
            print("%x: %d times, counted %d" % (addr, want.get(addr, 0), got.get(addr, 0)))
    print(sum(want.values()))


if __name__ == "__main__":
    main(*sys.argv[1:])

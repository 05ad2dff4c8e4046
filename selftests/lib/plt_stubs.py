#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# plt_stubs.py PROGRAM: the stubs of the .plt of a static A64 program, as nm -S prints functions.
# They call functions that are chosen when the program is loaded; each has 16 bytes, and no name but
# its offset.
import subprocess
import sys


def stubs(path):
    """Address, size and name of each."""
    text = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        f = line.replace("[", " ").replace("]", " ").split()
        if len(f) > 8 and f[1] == ".plt":
            addr, offset, size = (int(v, 16) for v in f[3:6])
            for i in range(0, size, 16):
                yield addr + i, 16, "offset_0x%x@plt" % (offset + i)


if __name__ == "__main__":
    for stub in stubs(sys.argv[1]):
        print("%016x %016x t %s" % stub)

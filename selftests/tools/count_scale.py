#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# count_scale.py IN OUT WEIGHT   a count table with each count WEIGHT times, as far as a number goes
# count_scale.py -c ONE MANY WEIGHT   are counts of the text MANY those of ONE, WEIGHT times, or as
#                                     large as a signed number goes?
#
# Counts, and statistics, stay below the largest number, or the table would be refused.
import re
import struct
import sys
import zlib

LARGEST = 2**64 - 1


def scale(data, weight):
    at, out = 16, bytearray()

    def take():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def put(value):
        while value > 127:
            out.append(value & 127 | 128)
            value >>= 7
        out.append(value)

    def copy():
        value = take()
        put(value)
        return value

    def text():
        nonlocal at
        size = copy()
        out.extend(data[at:at + size])
        at += size

    def times():
        put(min(take() * weight, LARGEST - 1))

    for i in range(copy()):
        times()
    for i in range(copy()):
        copy()
        text()
        text()
        times()
        for k in range(copy()):
            copy(), copy(), copy()
            bits = copy()
            copy()
            if bits & 128:
                copy()
            times(), times()
        for k in range(copy()):
            copy(), copy(), copy()
            times()
    return data[:12] + struct.pack("<I", zlib.crc32(bytes(out))) + bytes(out)


def rows(lines):
    """Numbers that are counts, by what stands before them; of LLVM's text, by all it is in."""
    found, context = {}, []
    for line in lines:
        match = re.match(r"(.*[^0-9a-f])([0-9]+)$", line)
        if line.startswith(" ") or re.match(r"[A-Za-z_.][^ ]*:[0-9]+:[0-9]+$", line):
            depth = len(line) - len(line.lstrip())
            context = context[:depth] + [line.strip().split(":")[0]]
            numbers = [int(n) for n in re.findall(r"(?<=[: ])[0-9]+(?=$|[ :])", line.split(":", 1)[1])]
            found.setdefault("/".join(context), []).extend(sorted(numbers))
        elif match and ":" in match[1][-1:]:
            found.setdefault(match[1], []).append(int(match[2]))
    return found


if sys.argv[1] == "-c":
    with open(sys.argv[2]) as one, open(sys.argv[3]) as many:
        before, after = rows(one), rows(many)
    weight, bad = int(sys.argv[4]), 0
    for key, numbers in before.items():
        for was, now in zip(numbers, after.get(key, [0] * len(numbers))):
            bad += now < min(was * weight, 2**63 - 1)
    print(len(before), "rows,", bad, "of them too small")
    sys.exit(bad or not before)
with open(sys.argv[1], "rb") as f:
    done = scale(f.read(), int(sys.argv[3]))
with open(sys.argv[2], "wb") as f:
    f.write(done)

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
#
# pieces.py TRUTH TRACE: two lists of csflow tarmac, for one CPU.  What TRACE has between two gaps, TRUTH has in one piece, in
# the same order.  Prints how many instructions TRACE has.
import sys


def pieces(path):
    now = []
    with open(path, encoding="ascii") as f:
        for line in f:
            words = line.split()
            if words[2] == "cpu0" and words[3] in ("IT", "IS"):
                now.append(int(words[5], 16).to_bytes(8, "little"))
            elif "GAP:" in words and now:
                yield b"".join(now)
                now = []
    if now:
        yield b"".join(now)


truth = b"".join(pieces(sys.argv[1]))
at = total = 0
for number, piece in enumerate(pieces(sys.argv[2])):
    found = truth.find(piece, at)
    while found > 0 and found % 8:
        found = truth.find(piece, found + 1)
    if found < 0:
        sys.exit(f"piece {number}, {len(piece) // 8} instructions: not in the log after instruction {at // 8}")
    at = found + len(piece)
    total += len(piece) // 8
print(total)

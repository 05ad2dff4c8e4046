# SPDX-License-Identifier: GPL-2.0-only
"""stp_vectors.py CSFLOW FILE: byte strings of STP and the packets that their authors expect.

Prints for each vector "ok" or what csflow dump says in its place.  What only changes state is seen
in the FLAG that is put after each vector.
"""
import json
import re
import subprocess
import sys

ASYNC = "f" * 21 + "0"
VERSION = "f003"


def nibbles(vector):
    """The nibbles in order; bytes have the low one first.  What comes before a loss is lost."""
    if "nibbles" in vector:
        return vector["nibbles"]
    text = vector["bytes"].rpartition("|")[2]
    return "".join(byte[1] + byte[0] for byte in text.split())


def from_gray(value):
    result = 0
    while value:
        result ^= value
        value >>= 1
    return result


class State:
    """What packets without a message change."""

    def __init__(self):
        self.master = self.channel = self.time = 0

    def time_of(self, text):
        """The timestamp that a packet's text gives, or None."""
        for pattern, take in ((r"ts=([0-9a-f]+)", lambda v: v),
                              (r"\+([0-9a-f]+)", lambda v: self.time + v),
                              (r"gray field ([0-9a-f]+)", from_gray)):
            found = re.search(pattern, text)
            if found:
                self.time = take(int(found[1], 16))
                return self.time
        return self.time if "unchanged" in text else None


def expect(state, text):
    """The message of a packet: kind, value, time, marked; None: it has none."""
    name, _, rest = text.partition(" ")
    value = int(re.match(r"[0-9a-f]+", rest)[0], 16) if re.match(r"[0-9a-f]+", rest) else 0
    time = state.time_of(rest)
    if name == "M8":
        state.master, state.channel = (state.master & 0xff00) | value, 0
    elif name == "M16":
        state.master, state.channel = value, 0
    elif name == "C8":
        state.channel = (state.channel & 0xff00) | value
    elif name == "C16":
        state.channel = value
    elif name == "VERSION":
        state.__init__()
    elif re.match(r"D[0-9]", name):
        return "data", value, time, "M" in name
    elif name.startswith("FLAG"):
        return "flag", 0, time, False
    elif name in ("MERR", "GERR"):
        state.channel = 0
        state.master = 0 if name == "GERR" else state.master
        return "error", value, time, False
    elif name.startswith("FREQ"):
        return "frequency", value, time, False
    elif name == "NULL_TS":
        return "time", 0, time, False
    elif name.startswith("USER"):
        return "user", int(re.search(r"nibbles? ([0-9a-f]+)", rest)[1], 16), time, False
    return None


def read(line):
    """The same of a line of csflow dump, and who wrote it."""
    kind = line.split()[2]
    value = re.search(r" 0x([0-9a-f]+)", line)
    value = int(value[1], 16) if value else 0
    if kind == "frequency":
        value = int(line.split()[3])
    time = re.search(r" at ([0-9]+)", line)
    who = re.search(kind + r" (?:([0-9]+):)?([0-9]+)", line)
    return (kind, value, int(time[1]) if time else None, "marked" in line), \
        (int(who[1] or 0), int(who[2])) if who else (0, 0)


def check(csflow, vector, own_version):
    state, text = State(), nibbles(vector)
    if own_version:
        text = ASYNC + text
    else:
        text = ASYNC + VERSION + text
    # a last FLAG, and the packet that the end may cut off
    text += "fe00"
    data = bytes(int(text[i], 16) | int(text[i + 1], 16) << 4 for i in range(0, len(text) - 1, 2))
    out = subprocess.run([csflow, "dump", "--protocol=stm", "-"], input=data,
                         stdout=subprocess.PIPE, check=True).stdout.decode()
    got = [read(line) for line in out.splitlines() if " gap " not in line]
    errors = any("error" in word.split()[0] for word in vector["expect"])
    lost = errors or "|" in vector.get("bytes", "")
    want = [m for m in (expect(state, word) for word in vector["expect"]) if m]
    if not errors:
        want.append(("flag", 0, None, False))
    have = [m for m, _ in got]
    if have[:len(want)] != want or lost != (" gap " in out):
        return "%s, not %s" % (have, want)
    if not errors and got[-1][1] != (state.master, state.channel):
        return "%s writes, not %s" % (got[-1][1], (state.master, state.channel))
    return "ok"


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        vectors = json.load(file)["vectors"]
    for vector in vectors:
        print(check(sys.argv[1], vector, "nibbles" in vector))


main()

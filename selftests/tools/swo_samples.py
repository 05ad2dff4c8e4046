#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
A serial wire as a logic analyser sees it.

swo_samples.py CODE SAMPLES-A-BIT TRACE OUT [CHANNEL]	CODE: uart, manchester.  OUT: a file for sigrok if it ends in
							.sr, else a byte for each sample, with the wire in bit 2
swo_samples.py slip SEED TIMES TRACE OUT		leaves out 1 to 15 bytes at as many places, APART from another
swo_samples.py orbflow TAG TRACE OUT			packets of Orbuculum, some of another tag
"""
import random
import sys
import zipfile


class Wire:
    def __init__(self, bit):
        self.levels, self.time, self.bit = bytearray(), 0, bit

    def hold(self, level, bits):
        self.time += bits * self.bit
        while len(self.levels) < self.time:
            self.levels.append(0x21 | level << 2)


def uart(wire, trace):
    wire.hold(1, 30)
    for byte in trace:
        wire.hold(0, 1)
        for i in range(8):
            wire.hold(byte >> i & 1, 1)
        wire.hold(1, 1)
        if random.random() < 0.1:
            wire.hold(1, random.random() * 30)
    wire.hold(1, 30)


def manchester(wire, trace):
    wire.hold(0, 30)
    while trace:
        n = random.randint(1, 8)
        for bit in [1] + [byte >> i & 1 for byte in trace[:n] for i in range(8)]:
            wire.hold(bit, 0.5)
            wire.hold(1 - bit, 0.5)
        trace = trace[n:]
        wire.hold(0, 1 + random.random() * 30 * (random.random() < 0.3))
    wire.hold(0, 30)


def sigrok(path, levels, channel):
    metadata = ("[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\ntotal probes=8\n"
                "samplerate=12 MHz\ntotal analog=0\nprobe1=D0\nprobe3=%s\nunitsize=1\n" % channel)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("version", "2")
        out.writestr("metadata", metadata)
        half = len(levels) // 2
        out.writestr("logic-1-1", bytes(levels[:half]))
        out.writestr("logic-1-2", bytes(levels[half:]))


# Between two losses the frames must be enough to show where they begin.
APART = 24 * 16


def slip(trace, times):
    trace = bytearray(trace)
    rest = len(trace) - times * APART
    places = sorted(random.randrange(rest) for _ in range(times))
    for at in reversed([place + i * APART for i, place in enumerate(places)]):
        del trace[at:at + random.randint(1, 15)]
    return bytes(trace)


def orbflow_packet(tag, payload):
    packet = bytes([tag]) + payload
    packet += bytes([-sum(packet) & 0xff])
    out = bytearray()
    for group in packet.split(b"\0"):
        out += bytes([len(group) + 1]) + group
    return bytes(out) + b"\0"


def orbflow(tag, trace):
    out = b""
    while trace:
        n = random.randint(1, 200)
        out += orbflow_packet(tag, trace[:n]) + orbflow_packet(tag + 1, bytes(random.randrange(256) for _ in range(9)))
        trace = trace[n:]
    return out


def main():
    kind, number, *rest = sys.argv[1:]
    random.seed(1)
    if kind == "slip":
        random.seed(int(number))
        with open(rest[1], "rb") as trace, open(rest[2], "wb") as out:
            out.write(slip(trace.read(), int(rest[0])))
        return
    with open(rest[0], "rb") as f:
        trace = f.read()
    if kind == "orbflow":
        with open(rest[1], "wb") as out:
            out.write(orbflow(int(number), trace))
        return
    wire = Wire(float(number))
    {"uart": uart, "manchester": manchester}[kind](wire, trace)
    if rest[1].endswith(".sr"):
        sigrok(rest[1], wire.levels, rest[2] if len(rest) > 2 else "SWO")
    else:
        with open(rest[1], "wb") as out:
            out.write(wire.levels)


main()

# SPDX-License-Identifier: GPL-2.0-only
"""Truth logs, as Documentation/format/truth-log.rst has them, for tests that share no code with csflow."""

import struct


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def bytes(self, n):
        self.at += n
        return self.data[self.at - n:self.at]


def chunks(data):
    """CPU, and records, of each chunk."""
    at = 16
    while at + 8 <= len(data):
        cpu, n = struct.unpack_from("<II", data, at)
        yield cpu, data[at + 8:at + 8 + n]
        at += 8 + n

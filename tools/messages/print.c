// SPDX-License-Identifier: GPL-2.0-only
#include "clock.h"
#include "print.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

void print_flags(struct out *o, const struct row *row, char between)
{
	static const char *const words[] = {
		NULL, "time-lost", "time-late", "late", "unsynced", "partial", "clock", NULL,
		"marked",
	};
	bool first = true;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!words[i] || !(row->m.flags >> i & 1))
			continue;
		if (!first)
			out_char(o, between);
		out_text(o, words[i]);
		first = false;
	}
}

void print_seconds(struct out *o, uint64_t ticks, uint64_t hz)
{
	uint64_t ns = clock_ns(ticks, hz);
	char digits[9];

	out_dec(o, ns / CLOCK_NS);
	ns %= CLOCK_NS;
	for (int i = 8; i >= 0; i--) {
		digits[i] = '0' + ns % 10;
		ns /= 10;
	}
	out_char(o, '.');
	memcpy(o->buf + o->n, digits, sizeof(digits));
	o->n += sizeof(digits);
}

void print_hex(struct out *o, uint64_t value, unsigned int size)
{
	out_char(o, '0');
	out_char(o, 'x');
	out_hex_wide(o, value, size ? 2 * size : 1);
}

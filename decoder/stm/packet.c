// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "packet.h"

/* Source: MIPI System Trace Protocol, version 2; ARM IHI 0054. */
static const struct stm_row one[16] = {
	[0x0] = { STM_NOTHING, 0, 0, 0 },
	[0x1] = { STM_MASTER, 2, 0, 0 },
	[0x2] = { STM_ERROR, 2, 0, 1 },
	[0x3] = { STM_CHANNEL, 2, 0, 0 },
	[0x4] = { STM_DATA, 2, 0, 0 },
	[0x5] = { STM_DATA, 4, 0, 0 },
	[0x6] = { STM_DATA, 8, 0, 0 },
	[0x7] = { STM_DATA, 16, 0, 0 },
	[0x8] = { STM_DATA, 2, STM_TS | STM_MARKED, 0 },
	[0x9] = { STM_DATA, 4, STM_TS | STM_MARKED, 0 },
	[0xa] = { STM_DATA, 8, STM_TS | STM_MARKED, 0 },
	[0xb] = { STM_DATA, 16, STM_TS | STM_MARKED, 0 },
	[0xc] = { STM_DATA, 1, 0, 0 },
	[0xd] = { STM_DATA, 1, STM_TS | STM_MARKED, 0 },
	[0xe] = { STM_FLAG, 0, STM_TS, 0 },
	[0xf] = { STM_MORE, 0, 0, 0 },
};

/* After F. */
static const struct stm_row two[16] = {
	[0x0] = { STM_MORE, 0, 0, 0 },
	[0x1] = { STM_MASTER16, 4, 0, 0 },
	[0x2] = { STM_ERROR, 2, 0, 2 },
	[0x3] = { STM_CHANNEL16, 4, 0, 0 },
	[0x4] = { STM_DATA, 2, STM_TS, 0 },
	[0x5] = { STM_DATA, 4, STM_TS, 0 },
	[0x6] = { STM_DATA, 8, STM_TS, 0 },
	[0x7] = { STM_DATA, 16, STM_TS, 0 },
	[0x8] = { STM_DATA, 2, STM_MARKED, 0 },
	[0x9] = { STM_DATA, 4, STM_MARKED, 0 },
	[0xa] = { STM_DATA, 8, STM_MARKED, 0 },
	[0xb] = { STM_DATA, 16, STM_MARKED, 0 },
	[0xc] = { STM_DATA, 1, STM_TS, 0 },
	[0xd] = { STM_DATA, 1, STM_MARKED, 0 },
	[0xe] = { STM_FLAG, 0, 0, 0 },
	[0xf] = { STM_SYNC, 0, 0, 0 },
};

/* After F0.  The layout of TIME, F04 and F05, is not known. */
static const struct stm_row three[16] = {
	[0x0] = { STM_VERSION, 1, 0, 0 },
	[0x1] = { STM_NOTHING, 0, STM_TS, 0 },
	[0x2] = { STM_USER, 1, 0, 0 },
	[0x3] = { STM_USER, 1, STM_TS, 0 },
	[0x6] = { STM_TRIGGER, 2, 0, 0 },
	[0x7] = { STM_TRIGGER, 2, STM_TS, 0 },
	[0x8] = { STM_FREQUENCY, 8, 0, 0 },
	[0x9] = { STM_FREQUENCY, 8, STM_TS, 0 },
	[0xa] = { STM_CROSS_SYNC, 2, 0, 0 },
	[0xb] = { STM_CROSS_SYNC, 2, STM_TS, 0 },
	[0xf] = { STM_MORE, 0, 0, 0 },
};

/* After F0F. */
static const struct stm_row four[16] = {
	[0x0] = { STM_FREQUENCY, 10, 0, 0 },
	[0x1] = { STM_FREQUENCY, 10, STM_TS, 0 },
	[0x2] = { STM_NOTHING, 0, 0, 0 },
	[0x3] = { STM_ERROR, 2, 0, 3 },
};

static const struct stm_row *const opcodes[] = { one, two, three, four };

/* Values of the size of a timestamp that are not the number of its nibbles. */
static const uint8_t time_size[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16 };

/* A VERSION and a USER say in their first nibble that they are longer. */
static unsigned int payload_of(const struct stm_row *row, unsigned int first)
{
	if (row->what == STM_VERSION)
		return first & 8 ? 3 : 1;
	return row->what == STM_USER ? 2 + first : row->payload;
}

static void add_time(struct stm_layout *l, const uint8_t *nibble, unsigned int n, bool old_times)
{
	if (!(l->row->flags & STM_TS))
		return;
	if (old_times) {
		l->time = 2;
		l->need += 2;
		return;
	}
	if (n > l->need) {
		l->bad = nibble[l->need] == 0xf;
		l->time = time_size[nibble[l->need]];
	}
	l->need += 1 + l->time;
}

struct stm_layout stm_layout(const uint8_t *nibble, unsigned int n, bool old_times)
{
	struct stm_layout l = { .need = n + 1 };
	unsigned int i = 0;

	while (i < n && opcodes[i][nibble[i]].what == STM_MORE)
		i++;
	if (i == n)
		return l;
	l.row = &opcodes[i][nibble[i]];
	l.opcode = i + 1;
	l.bad = l.row->what == STM_RESERVED;
	if (l.row->what == STM_SYNC || l.bad)
		return l;
	l.payload = l.row->payload;
	if (l.payload && n > l.opcode)
		l.payload = payload_of(l.row, nibble[l.opcode]);
	l.need = l.opcode + l.payload;
	if (n >= l.need || !l.payload)
		add_time(&l, nibble, n, old_times);
	else if (l.row->flags & STM_TS)
		l.need++;
	return l;
}

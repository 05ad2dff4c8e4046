// SPDX-License-Identifier: GPL-2.0-only
/* Messages in csflow's words. */
#include "list.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static void put_hex(struct out *o, const char *text, uint64_t v)
{
	out_text(o, text);
	out_text(o, "0x");
	out_hex(o, v);
}

static void put_dec(struct out *o, const char *text, uint64_t v)
{
	out_text(o, text);
	out_dec(o, v);
}

/* The words of the bits that are set. */
static void put_bits(struct out *o, const char *const *words, size_t n, uint64_t v)
{
	for (size_t i = 0; i < n; i++) {
		if (!words[i] || !(v >> i & 1))
			continue;
		out_char(o, ' ');
		out_text(o, words[i]);
	}
}

/* With the master, if there is one. */
static void put_channel(struct out *o, const struct csf_message *m)
{
	if (m->flags & CSF_MESSAGE_HAS_MASTER) {
		put_dec(o, " ", m->master);
		put_dec(o, ":", m->channel);
	} else {
		put_dec(o, " ", m->channel);
	}
}

static void put_error(struct out *o, const struct csf_message *m)
{
	static const char *const words[] = { "", " master", " global", " channel" };

	out_text(o, words[m->info & 3]);
	put_hex(o, " ", m->value);
}

/* One byte that can be printed is also shown as a character. */
static void put_data(struct out *o, const struct csf_message *m)
{
	put_channel(o, m);
	put_hex(o, " ", m->value);
	put_dec(o, "/", m->size);
	if (m->size != 1 || m->value < 0x20 || m->value > 0x7e)
		return;
	out_text(o, " '");
	out_char(o, m->value);
	out_char(o, '\'');
}

static void put_exception(struct out *o, const struct csf_message *m)
{
	static const char *const words[] = {
		" reserved", " entered", " exited", " returned",
	};

	put_dec(o, " ", m->value);
	out_text(o, words[m->info & 3]);
}

static void put_flags(struct out *o, const struct csf_message *m)
{
	static const char *const words[] = {
		NULL, "time-lost", "time-late", "late", "unsynced", "partial", "clock", NULL,
		"marked",
	};

	if (m->flags & CSF_MESSAGE_HAS_TIME)
		put_dec(o, " at ", m->time);
	put_bits(o, words, ARRAY_SIZE(words), m->flags);
}

static void put_other(struct out *o, const struct csf_message *m)
{
	static const char *const words[] = {
		" software", " hardware", " extension", " hardware extension",
	};

	out_text(o, words[m->info & 3]);
	put_dec(o, " ", m->channel);
	put_hex(o, " ", m->value);
}

static void put_gap(struct out *o, const struct csf_message *m)
{
	out_char(o, ' ');
	out_text(o, csf_gap_name(m->info));
	put_dec(o, " ", m->value);
	out_text(o, " bytes");
}

static void put_payload(struct out *o, const struct csf_message *m)
{
	static const char *const counters[] = {
		"cpi", "exception", "sleep", "lsu", "fold", "postcnt",
	};

	switch ((enum csf_message_kind)m->kind) {
	case CSF_MESSAGE_COUNTERS:
		put_bits(o, counters, ARRAY_SIZE(counters), m->value);
		break;
	case CSF_MESSAGE_EXCEPTION:
		put_exception(o, m);
		break;
	case CSF_MESSAGE_NO_PC:
		out_text(o, m->value ? " prohibited" : " sleep");
		break;
	case CSF_MESSAGE_PC:
	case CSF_MESSAGE_PMU:
	case CSF_MESSAGE_GLOBAL_TIME:
	case CSF_MESSAGE_TRIGGER:
	case CSF_MESSAGE_CROSS_SYNC:
	case CSF_MESSAGE_USER:
		put_hex(o, " ", m->value);
		break;
	case CSF_MESSAGE_DATA:
	case CSF_MESSAGE_READ:
	case CSF_MESSAGE_WRITE:
	case CSF_MESSAGE_ACCESS_ADDR:
		put_data(o, m);
		break;
	case CSF_MESSAGE_ACCESS_PC:
		put_dec(o, " ", m->channel);
		put_hex(o, " ", m->value);
		break;
	case CSF_MESSAGE_MATCH:
		put_dec(o, " ", m->channel);
		break;
	case CSF_MESSAGE_TIME:
		put_dec(o, " +", m->value);
		break;
	case CSF_MESSAGE_FLAG:
		put_channel(o, m);
		break;
	case CSF_MESSAGE_FREQUENCY:
		put_dec(o, " ", m->value);
		break;
	case CSF_MESSAGE_ERROR:
		put_error(o, m);
		break;
	case CSF_MESSAGE_OTHER:
		put_other(o, m);
		break;
	case CSF_MESSAGE_GAP:
		put_gap(o, m);
		break;
	default:
		break;
	}
}

void list_message(struct out *o, const struct csf_message *m)
{
	out_text(o, csf_message_name(m->kind));
	put_payload(o, m);
	put_flags(o, m);
}

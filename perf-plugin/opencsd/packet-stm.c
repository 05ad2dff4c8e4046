// SPDX-License-Identifier: GPL-2.0-only
/* STM: the structure of a packet that clients get, its words, and its element. */
#include "packet-message.h"
#include "packet-older.h"

enum abi_stm_type ocsd_stm_type(uint16_t opcode)
{
	static const uint8_t one[] = {
		ABI_STM_NULL, ABI_STM_M8, ABI_STM_MERR, ABI_STM_C8, ABI_STM_D8, ABI_STM_D16,
		ABI_STM_D32, ABI_STM_D64, ABI_STM_D8, ABI_STM_D16, ABI_STM_D32, ABI_STM_D64,
		ABI_STM_D4, ABI_STM_D4, ABI_STM_FLAG, ABI_STM_RESERVED,
	};
	static const uint8_t two[] = {
		ABI_STM_RESERVED, ABI_STM_RESERVED, ABI_STM_GERR, ABI_STM_C16, ABI_STM_D8,
		ABI_STM_D16, ABI_STM_D32, ABI_STM_D64, ABI_STM_D8, ABI_STM_D16, ABI_STM_D32,
		ABI_STM_D64, ABI_STM_D4, ABI_STM_D4, ABI_STM_FLAG, ABI_STM_ASYNC,
	};

	if (opcode < 0x10)
		return one[opcode];
	if (opcode < 0x100)
		return two[opcode & 0xf];
	switch (opcode) {
	case 0xf00:
		return ABI_STM_VERSION;
	case 0xf01:
		return ABI_STM_NULL;
	case 0xf06:
	case 0xf07:
		return ABI_STM_TRIG;
	case 0xf08:
	case 0xf09:
		return ABI_STM_FREQ;
	default:
		return ABI_STM_RESERVED;
	}
}

static uint64_t gray(uint64_t v)
{
	return v ^ v >> 1;
}

static uint64_t from_gray(uint64_t v)
{
	for (unsigned int shift = 32; shift; shift /= 2)
		v ^= v >> shift;
	return v;
}

static void take_time(struct ocsd_stm *s, const struct csf_stp_packet *pkt)
{
	const unsigned int bits = 4 * pkt->time_size;
	const uint64_t mask = bits < 64 ? (1ull << bits) - 1 : ~0ull;
	struct abi_stm_packet *p = &s->packet;

	p->has_time = 1;
	p->time_bits = bits;
	switch (s->times) {
	case CSF_STP_TIMES_DELTA:
		p->time += pkt->time;
		break;
	case CSF_STP_TIMES_GRAY:
		p->time = from_gray((gray(p->time) & ~mask) | pkt->time);
		break;
	case CSF_STP_TIMES_LOW:
		p->time = (p->time & ~mask) | pkt->time;
		break;
	default:
		break;
	}
}

static void take_version(struct ocsd_stm *s, const struct csf_stp_packet *pkt)
{
	struct abi_stm_packet *p = &s->packet;

	s->times = csf_stp_version(&s->format, pkt);
	s->master = 0;
	p->master = 0;
	p->channel = 0;
	p->time = 0;
	p->times = s->times == CSF_STP_TIMES_GRAY ? ABI_STM_TIMES_GRAY :
		   s->times == CSF_STP_TIMES_LOW ? ABI_STM_TIMES_BINARY : ABI_STM_TIMES_UNKNOWN;
	p->d8 = pkt->size > 1 ? pkt->value >> 8 : pkt->value;
}

static void take_master(struct ocsd_stm *s, const struct csf_stp_packet *pkt)
{
	s->master = pkt->size > 2 ? pkt->value : (s->master & 0xff00) | pkt->value;
	s->has_id = true;
	s->packet.master = s->master;
	s->packet.channel = 0;
}

static void take_error(struct ocsd_stm *s, uint16_t opcode)
{
	if (opcode > 0xff)
		return;
	s->packet.channel = 0;
	if (opcode == 0x2)
		return;
	s->master = 0;
	s->packet.master = 0;
	s->has_id = false;
}

void ocsd_stm_bad(struct ocsd_stm *s, enum abi_stm_type type, enum abi_stm_type err_type)
{
	struct abi_stm_packet *p = &s->packet;

	p->type = type;
	p->err_type = err_type;
	p->has_time = 0;
	p->time_bits = 0;
	p->has_marker = 0;
}

void ocsd_stm_make(struct ocsd_stm *s, const struct csf_stp_packet *pkt)
{
	struct abi_stm_packet *p = &s->packet;

	ocsd_stm_bad(s, ocsd_stm_type(pkt->opcode), ABI_STM_NO_ERR);
	p->has_marker = !!(pkt->flags & CSF_STP_MARKED);
	switch ((enum csf_stp_kind)pkt->kind) {
	case CSF_STP_SYNC:
	case CSF_STP_NULL:
	case CSF_STP_FLAG:
		break;
	case CSF_STP_VERSION:
		take_version(s, pkt);
		break;
	case CSF_STP_MASTER:
		take_master(s, pkt);
		break;
	case CSF_STP_CHANNEL:
		p->channel = pkt->size > 2 ? pkt->value : (p->channel & 0xff00) | pkt->value;
		break;
	case CSF_STP_ERROR:
		take_error(s, pkt->opcode);
		p->d8 = pkt->value;
		break;
	default:
		p->d64 = pkt->value;
		if (pkt->size <= 8)
			p->d32 = pkt->value;
		break;
	}
	if (pkt->flags & CSF_STP_TIMED)
		take_time(s, pkt);
	if (p->type == ABI_STM_RESERVED)
		p->d16 = pkt->opcode;
}

/* ---------------------------------------------------------------- element */

static uint32_t flags_of(const struct abi_stm_packet *p)
{
	switch ((enum abi_stm_type)p->type) {
	case ABI_STM_D4:
		return ABI_SWT_ONE | 4;
	case ABI_STM_D8:
		return ABI_SWT_ONE | 8;
	case ABI_STM_D16:
		return ABI_SWT_ONE | 16;
	case ABI_STM_D32:
		return ABI_SWT_ONE | 32;
	case ABI_STM_D64:
		return ABI_SWT_ONE | 64;
	case ABI_STM_FLAG:
		return ABI_SWT_MARKER;
	case ABI_STM_TRIG:
		return ABI_SWT_ONE | ABI_SWT_TRIGGER | 8;
	case ABI_STM_FREQ:
		return ABI_SWT_ONE | ABI_SWT_FREQUENCY | 32;
	case ABI_STM_MERR:
		return ABI_SWT_ONE | ABI_SWT_MASTER_ERROR | 8;
	case ABI_STM_GERR:
		return ABI_SWT_ONE | ABI_SWT_GLOBAL_ERROR | 8;
	default:
		return 0;
	}
}

bool ocsd_stm_element(struct ocsd_stm *s, const struct csf_stp_packet *pkt,
		      struct abi_element *e)
{
	const struct abi_stm_packet *p = &s->packet;
	const uint32_t flags = flags_of(p);

	if (!flags && (p->type != ABI_STM_NULL || !p->has_time))
		return false;
	*e = (struct abi_element){
		.type = CSF_ELEM_SWTRACE, .isa = ABI_ISA_UNKNOWN, .context.el = -1,
		.swt.master = s->master, .swt.channel = p->channel,
		.swt.flags = flags | (s->has_id ? ABI_SWT_ID_VALID : 0) |
			     (p->has_marker ? ABI_SWT_MARKER : 0),
	};
	if (p->has_time) {
		e->flags |= ABI_HAS_TS;
		e->swt.flags |= ABI_SWT_HAS_TIME;
		e->timestamp = p->time;
	}
	if (flags & 0xff) {
		s->value = pkt->value;
		e->flags |= ABI_EXTENDED;
		e->payload = (uintptr_t)&s->value;
		e->extended = e->payload;
	}
	return true;
}

/* ---------------------------------------------------------------- text */

static const struct {
	const char *name, *text;
} words[] = {
	[ABI_STM_NOT_SYNC] = { "NOTSYNC", "STM not synchronised" },
	[ABI_STM_CUT] = { "INCOMPLETE_EOT", "Incomplete packet flushed at end of trace" },
	[ABI_STM_NO_ERR] = { "NO_ERR_TYPE", "Error type not set" },
	[ABI_STM_ASYNC] = { "ASYNC", "Alignment synchronisation packet" },
	[ABI_STM_VERSION] = { "VERSION", "Version packet" },
	[ABI_STM_FREQ] = { "FREQ", "Frequency packet" },
	[ABI_STM_NULL] = { "NULL", "Null packet" },
	[ABI_STM_TRIG] = { "TRIG", "Trigger packet" },
	[ABI_STM_GERR] = { "GERR", "Global Error" },
	[ABI_STM_MERR] = { "MERR", "Master Error" },
	[ABI_STM_M8] = { "M8", "Set current master" },
	[ABI_STM_C8] = { "C8", "Set current channel" },
	[ABI_STM_C16] = { "C16", "Set current channel" },
	[ABI_STM_FLAG] = { "FLAG", "Flag packet" },
	[ABI_STM_D4] = { "D4", "4 bit data" },
	[ABI_STM_D8] = { "D8", "8 bit data" },
	[ABI_STM_D16] = { "D16", "16 bit data" },
	[ABI_STM_D32] = { "D32", "32 bit data" },
	[ABI_STM_D64] = { "D64", "64 bit data" },
	[ABI_STM_BAD_SEQUENCE] = { "BAD_SEQUENCE", "Invalid sequence in packet" },
	[ABI_STM_RESERVED] = { "RESERVED", "Reserved Packet Header" },
};

#define WORDS (sizeof(words) / sizeof(*words))

static void put_number(struct out *o, const char *name, uint64_t v, int width)
{
	out_text(o, name);
	out_hex_wide(o, v, width);
}

static void put_payload(struct out *o, const struct abi_stm_packet *p)
{
	switch ((enum abi_stm_type)p->type) {
	case ABI_STM_VERSION:
		out_text(o, "; Ver=");
		out_dec(o, p->d8);
		break;
	case ABI_STM_FREQ:
		out_text(o, "; Freq=");
		out_dec(o, p->d32);
		out_text(o, "Hz");
		break;
	case ABI_STM_TRIG:
		put_number(o, "; TrigData=0x", p->d8, 2);
		break;
	case ABI_STM_M8:
		put_number(o, "; Master=0x", p->master, 2);
		break;
	case ABI_STM_C8:
	case ABI_STM_C16:
		put_number(o, "; Chan=0x", p->channel, 4);
		break;
	case ABI_STM_D4:
		put_number(o, "; Data=0x", p->d8 & 0xf, 1);
		break;
	case ABI_STM_D8:
		put_number(o, "; Data=0x", p->d8, 2);
		break;
	case ABI_STM_D16:
		put_number(o, "; Data=0x", p->d16, 4);
		break;
	case ABI_STM_D32:
		put_number(o, "; Data=0x", p->d32, 8);
		break;
	case ABI_STM_D64:
		put_number(o, "; Data=0x", p->d64, 16);
		break;
	default:
		break;
	}
}

static void put_time(struct out *o, const struct abi_stm_packet *p)
{
	const uint64_t mask = p->time_bits < 64 ? (1ull << p->time_bits) - 1 : ~0ull;

	out_text(o, "; TS=0x");
	ocsd_older_put_capitals(o, p->time, 16);
	if (!p->time_bits)
		return;
	out_text(o, " ~[0x");
	ocsd_older_put_capitals(o, p->time & mask, 1);
	out_char(o, ']');
}

static const char *name_of(uint32_t type)
{
	return type < WORDS ? words[type].name : "UNKNOWN";
}

void ocsd_stm_text(struct out *o, const struct abi_stm_packet *p)
{
	out_text(o, name_of(p->type));
	if (p->type == ABI_STM_BAD_SEQUENCE || p->type == ABI_STM_CUT) {
		out_char(o, ':');
		out_text(o, words[p->type].text);
		out_char(o, '[');
		out_text(o, name_of(p->err_type));
		out_char(o, ']');
		return;
	}
	if (p->has_marker)
		out_char(o, 'M');
	if (p->has_time)
		out_text(o, "TS");
	out_char(o, ':');
	out_text(o, p->type < WORDS ? words[p->type].text : "ERROR: unknown packet type");
	if (p->has_marker)
		out_text(o, " + marker");
	if (p->has_time)
		out_text(o, " + timestamp");
	put_payload(o, p);
	if (p->has_time)
		put_time(o, p);
}

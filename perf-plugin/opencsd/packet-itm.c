// SPDX-License-Identifier: GPL-2.0-only
/* ITM and DWT, as of 1.8.0: the structure of a packet, its words, and its element. */
#include "packet-message.h"

#define LOW_BITS	26	/* of a global timestamp, in its first packet */
#define PAGE		2	/* abi_itm_packet.source of the extension with a page of ports */

static uint64_t low(unsigned int n)
{
	return n < 64 ? (1ull << n) - 1 : ~0ull;
}

static void make_global2(struct abi_itm_packet *p, const struct csf_packet *pkt)
{
	p->value = pkt->val;
	p->size = 4;
	if (pkt->n <= 32)
		return;
	p->size = 5;
	p->more = pkt->val >> 32;
}

static void make_bad(struct abi_itm_packet *p, const struct csf_packet *pkt)
{
	p->type = pkt->n == CSF_BAD_CUT ? ABI_ITM_CUT :
		  pkt->n == CSF_BAD_UNSYNC ? ABI_ITM_NOT_SYNC :
		  pkt->n == CSF_BAD_RESERVED ? ABI_ITM_RESERVED : ABI_ITM_BAD_SEQUENCE;
}

void ocsd_itm_make(struct ocsd_itm *i, const struct csf_packet *pkt)
{
	struct abi_itm_packet *p = &i->packet;

	*p = (struct abi_itm_packet){
		.source = pkt->info, .value = pkt->val, .size = pkt->n,
		.err_type = ABI_ITM_NO_ERR,
	};
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ASYNC:
		*p = (struct abi_itm_packet){ ABI_ITM_ASYNC, .err_type = ABI_ITM_NO_ERR };
		break;
	case CSF_PKT_OVERFLOW:
		p->type = ABI_ITM_OVERFLOW;
		break;
	case CSF_PKT_STIMULUS:
		p->type = ABI_ITM_SWIT;
		break;
	case CSF_PKT_HARDWARE:
		p->type = ABI_ITM_DWT;
		break;
	case CSF_PKT_LOCAL_TIME:
		p->type = ABI_ITM_TIME_LOCAL;
		p->size = pkt->n ? pkt->n : 1;
		break;
	case CSF_PKT_GLOBAL_TIME1:
		p->type = ABI_ITM_TIME_GLOBAL1;
		p->size = (pkt->n + 6) / 7;
		break;
	case CSF_PKT_GLOBAL_TIME2:
		p->type = ABI_ITM_TIME_GLOBAL2;
		make_global2(p, pkt);
		break;
	case CSF_PKT_EXTENSION:
		p->type = ABI_ITM_EXTENSION;
		p->source = (pkt->info & 1) << 7 | (pkt->n - 1);
		p->size = 4;
		break;
	default:
		make_bad(p, pkt);
		break;
	}
}

/* ---------------------------------------------------------------- element */

/* Return: all bits of the time are known. */
static bool take_global(struct ocsd_itm *i)
{
	const struct abi_itm_packet *p = &i->packet;
	unsigned int bits;

	if (p->type == ABI_ITM_TIME_GLOBAL2) {
		i->global = (i->global & low(LOW_BITS)) |
			    ((uint64_t)p->more << 32 | p->value) << LOW_BITS;
		i->has_high = true;
		return true;
	}
	bits = p->size < 4 ? 7 * p->size : LOW_BITS;
	i->global = (i->global & ~low(bits)) | p->value;
	if (p->source)
		i->has_high = false;	/* they follow */
	return i->has_high;
}

static bool take(struct ocsd_itm *i, struct abi_element *e)
{
	const struct abi_itm_packet *p = &i->packet;

	e->itm_value = p->value;
	e->itm.source = p->source;
	e->itm.size = p->size;
	switch ((enum abi_itm_type)p->type) {
	case ABI_ITM_SWIT:
		e->itm.kind = ABI_SWT_ITM_SWIT;
		e->itm.source += i->page << 5;
		return true;
	case ABI_ITM_DWT:
		e->itm.kind = ABI_SWT_ITM_DWT;
		return true;
	case ABI_ITM_TIME_LOCAL:
		i->local += (uint64_t)p->value << i->prescale;
		e->itm.kind = ABI_SWT_ITM_TIME_LOCAL + (p->source & 3);
		e->itm.source = 0;
		e->timestamp = i->local;
		e->flags = ABI_HAS_TS;
		return true;
	case ABI_ITM_TIME_GLOBAL1:
	case ABI_ITM_TIME_GLOBAL2:
		if (!take_global(i))
			return false;
		e->itm.kind = ABI_SWT_ITM_TIME_GLOBAL;
		e->itm.source = 0;
		e->itm.size = 0;
		e->itm_value = 0;
		e->timestamp = i->global;
		e->flags = ABI_HAS_TS;
		return true;
	case ABI_ITM_OVERFLOW:
		i->overflow = true;
		return false;
	case ABI_ITM_EXTENSION:
		if (p->source == PAGE)
			i->page = p->value;
		return false;
	default:
		return false;
	}
}

bool ocsd_itm_element(struct ocsd_itm *i, struct abi_element *e)
{
	*e = (struct abi_element){
		.type = ABI_ELEM_ITMTRACE, .isa = ABI_ISA_UNKNOWN, .context.el = -1,
	};
	if (!take(i, e))
		return false;
	e->itm_overflow = i->overflow;
	i->overflow = false;
	return true;
}

/* ---------------------------------------------------------------- text */

static const struct {
	const char *name, *text;
} words[] = {
	[ABI_ITM_NOT_SYNC] = { "ITM_NOTSYNC", "ITM data stream not synchronised" },
	[ABI_ITM_CUT] = { "ITM_INCOMPLETE_EOT", "Incomplete packet flushed at end of trace" },
	[ABI_ITM_NO_ERR] = { "ITM_UNKNOWN", "ERROR: unknown packet type" },
	[ABI_ITM_ASYNC] = { "ITM_ASYNC", "Alignment synchronisation packet" },
	[ABI_ITM_OVERFLOW] = { "ITM_OVERFLOW", "ITM overflow packet" },
	[ABI_ITM_SWIT] = { "ITM_SWIT", "Software Stimulus write packet" },
	[ABI_ITM_DWT] = { "ITM_DWT", "DWT hardware stimulus write" },
	[ABI_ITM_TIME_LOCAL] = { "ITM_TS_LOCAL", "Local Timestamp" },
	[ABI_ITM_TIME_GLOBAL1] = { "ITM_GTS_1", "Global Timestamp [25:0]" },
	[ABI_ITM_TIME_GLOBAL2] = { "ITM_GTS_2", "Global Timestamp [{63|42}:26]" },
	[ABI_ITM_EXTENSION] = { "ITM_EXTENSION", "Extension packet" },
	[ABI_ITM_BAD_SEQUENCE] = { "ITM_BAD_SEQUENCE", "Invalid sequence in packet" },
	[ABI_ITM_RESERVED] = { "ITM_RESERVED", "Reserved Packet Header" },
};

#define WORDS (sizeof(words) / sizeof(*words))

static void put_value(struct out *o, const struct abi_itm_packet *p)
{
	out_text(o, "0x");
	out_hex_wide(o, p->value, p->size && p->size <= 4 ? 2 * p->size : 8);
}

static void put_counters(struct out *o, uint32_t v)
{
	static const char *const names[] = { "CPI", "EXC", "Sleep", "LSU", "Fold", "CYC" };

	out_text(o, "[Event Counter: 0x");
	out_hex_wide(o, v, 2);
	out_text(o, "; Flags: ");
	for (unsigned int i = 0; i < 6; i++) {
		out_char(o, ' ');
		out_text(o, v >> i & 1 ? names[i] : "---");
		out_char(o, ' ');
	}
	out_text(o, "] ");
}

static void put_exception(struct out *o, uint32_t v)
{
	static const char *const names[] = { "reserved", "entered", "exited", "returned to" };

	out_text(o, "[Exception Num:  0x");
	out_hex_wide(o, v & 0x1ff, 4);
	out_char(o, '(');
	out_text(o, names[v >> 12 & 3]);
	out_text(o, ") ]");
}

/* Numbers 8 to 23: 01cc0 program counter, 01cc1 address, 10cc0 read, 10cc1 written. */
static void put_access(struct out *o, const struct abi_itm_packet *p)
{
	static const char *const names[] = {
		"; PC Value=", "; Address=", "; Val read: ", "; Val write: ",
	};
	const bool value = p->source & 0x10;

	out_text(o, "[Data Trc: comp=");
	out_dec(o, p->source >> 1 & 3);
	out_text(o, names[2 * value + (p->source & 1)]);
	put_value(o, p);
	out_text(o, value ? "] " : " ] ");
}

static void put_dwt(struct out *o, const struct abi_itm_packet *p)
{
	out_text(o, "{desc: 0x");
	out_hex_wide(o, p->source, 2);
	out_text(o, "} ");
	if (!p->source) {
		put_counters(o, p->value);
	} else if (p->source == 1) {
		put_exception(o, p->value);
	} else if (p->source == 2) {
		out_text(o, "[PC Sample: ");
		put_value(o, p);
		out_text(o, "] ");
	} else if (p->source >= 8 && p->source < 24) {
		put_access(o, p);
	} else {
		out_text(o, "[Reserved discriminator value] ");
	}
}

static void put_local(struct out *o, const struct abi_itm_packet *p)
{
	static const char *const names[] = {
		"TS Sync", "TS Delayed", "TS Sync, Packet Delayed", "TS Delayed, Packet Delayed",
	};

	put_value(o, p);
	out_text(o, " { ");
	out_text(o, names[p->source & 3]);
	out_text(o, " }");
}

static void put_global1(struct out *o, const struct abi_itm_packet *p)
{
	static const char *const bits[] = { "25", "6", "13", "20" };

	out_text(o, "{ TS bits [");
	out_text(o, bits[p->size & 3]);
	out_text(o, ":0]");
	if (p->source & 1)
		out_text(o, ", Clk change");
	if (p->source & 2)
		out_text(o, ", Clk wrap");
	out_text(o, "} ");
	put_value(o, p);
}

static void put_global2(struct out *o, const struct abi_itm_packet *p)
{
	if (p->size < 5) {
		out_text(o, "{ TS bits [47:26]} ");
		put_value(o, p);
		return;
	}
	out_text(o, "{ TS bits [63:26]} 0x");
	out_hex_wide(o, p->more, 2);
	out_hex_wide(o, p->value, 8);
}

static void put_extension(struct out *o, const struct abi_itm_packet *p)
{
	const unsigned int bits = 1 + (p->source & 0x1f);

	if (p->source == PAGE) {
		out_text(o, "{stim port page} 0x");
		out_hex_wide(o, p->value, 2);
		return;
	}
	out_text(o, "{unknown extension type, ");
	out_dec(o, bits);
	out_text(o, " bits } 0x");
	out_hex_wide(o, p->value, bits / 4 + 1);
}

static void put_details(struct out *o, const struct abi_itm_packet *p)
{
	switch ((enum abi_itm_type)p->type) {
	case ABI_ITM_SWIT:
		out_text(o, "{src id: 0x");
		out_hex_wide(o, p->source, 2);
		out_text(o, "}  ");
		put_value(o, p);
		break;
	case ABI_ITM_DWT:
		put_dwt(o, p);
		break;
	case ABI_ITM_TIME_LOCAL:
		put_local(o, p);
		break;
	case ABI_ITM_TIME_GLOBAL1:
		put_global1(o, p);
		break;
	case ABI_ITM_TIME_GLOBAL2:
		put_global2(o, p);
		break;
	case ABI_ITM_EXTENSION:
		put_extension(o, p);
		break;
	case ABI_ITM_CUT:
	case ABI_ITM_BAD_SEQUENCE:
		out_text(o, "[Init type: ");
		out_text(o, p->err_type < WORDS ? words[p->err_type].name : "ITM_UNKNOWN");
		out_text(o, "] ");
		break;
	default:
		break;
	}
}

void ocsd_itm_text(struct out *o, const struct abi_itm_packet *p)
{
	const uint32_t type = p->type < WORDS ? p->type : ABI_ITM_NO_ERR;

	out_text(o, words[type].name);
	out_text(o, ": ");
	put_details(o, p);
	out_text(o, "; '");
	out_text(o, words[type].text);
	out_char(o, '\'');
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * ETMv3 in the words and the order of OpenCSD.  The elements are ours.
 *
 * OpenCSD holds the instruction of a packet with a single atom, an exception return, and an
 * exception that cancels, until the next packet; but not that of a packet by which one is held.
 */
#include <string.h>

#include "list-opencsd-etm3.h"

#define ZEROS		5	/* of an A-sync */

/* ETMv3 packets: struct csf_packet.info */
#define INFO_HYP	0x02
#define INFO_ALT	0x04
#define INFO_NS		0x08
#define INFO_JAZELLE	0x10
#define INFO_CANCEL	0x20
#define INFO_REASON(i)	((i) >> 5 & 3)

#define CR_CYCLES	(1u << 12)

/* ---------------------------------------------------------------- words */

static void line_start(struct ocsd_etm3 *s, uint64_t idx, uint8_t id)
{
	out_room(s->out, OCSD_LINE_MAX);
	out_text(s->out, "Idx:");
	out_dec(s->out, idx);
	out_text(s->out, "; ID:");
	out_hex(s->out, id);
	out_char(s->out, ';');
}

/* Hexadecimal digits in capitals, at least @width. */
static void out_capitals(struct out *o, uint32_t v, int width)
{
	int digits = 1;

	while (digits < 8 && v >> 4 * digits)
		digits++;
	if (digits < width)
		digits = width;
	out_text(o, "0x");
	while (digits--)
		out_char(o, "0123456789ABCDEF"[v >> 4 * digits & 15]);
}

static void put_isa(struct out *o, const struct csf_packet *p, uint8_t isa)
{
	static const char *const isas[] = { "ARM(32)", "Thumb2", "Jazelle" };

	out_text(o, "ISA=");
	out_text(o, isa == 1 && p->info & INFO_ALT ? "ThumbEE" : isas[isa]);
	out_text(o, "; ");
}

static void put_atoms(struct ocsd_etm3 *s, const struct csf_packet *p)
{
	char words[40];

	csf_packet_print(&s->config, p, words, sizeof(words));
	out_text(s->out, "P_HDR : Atom P-header.; ");
	out_text(s->out, words + strlen("atom "));
	if (!(s->config.etmcr & CR_CYCLES))
		return;
	out_text(s->out, "; Cycles=");
	out_dec(s->out, p->count);
}

static void put_isync(struct ocsd_etm3 *s, const struct csf_packet *p)
{
	static const char *const reasons[] = {
		"Periodic", "Trace Enable", "Restart Overflow", "Debug Exit",
	};
	struct out *o = s->out;

	out_text(o, p->flags & CSF_PKT_COUNT ?
		 "I_SYNC_CYCLE : Instruction Packet synchronisation with cycle count.; (" :
		 "I_SYNC : Instruction Packet synchronisation.; (");
	out_text(o, reasons[INFO_REASON(p->info)]);
	out_text(o, "); ");
	if (p->n) {
		out_text(o, "Addr=0x");
		out_hex_wide(o, p->val, 8);
		out_text(o, "; ");
	}
	out_text(o, p->info & INFO_NS ? "NS; " : "S; ");
	out_text(o, p->info & INFO_HYP ? "Hyp; " : " ");
	put_isa(o, p, s->isa);
	if (p->flags & CSF_PKT_COUNT) {
		out_text(o, "Cycles=");
		out_dec(o, p->count);
		out_text(o, "; ");
	}
}

static void put_exception(struct ocsd_etm3 *s, const struct csf_packet *p)
{
	static const char *const names[] = {
		"No Exception", "Debug Halt", "SMC", "Hyp", "Async Data Abort", "Jazelle",
		"Reserved", "Reserved", "PE Reset", "Undefined Instr", "SVC", "Prefetch Abort",
		"Data Fault", "Generic", "IRQ", "FIQ",
	};
	struct out *o = s->out;

	out_text(o, p->info & INFO_NS ? "NS; " : "S; ");
	out_text(o, p->info & INFO_HYP ? "Hyp; " : "");
	if (p->exception) {
		out_text(o, "Exception=");
		out_text(o, names[p->exception & 15]);
		out_text(o, "; ");
	}
	if (p->info & INFO_CANCEL)
		out_text(o, "; Cancel prev instr");
}

/* The address as far as it is known: its bits are, from 0 on. */
static void put_known(struct ocsd_etm3 *s)
{
	const int digits = (s->known + 3) / 4;

	if (s->known >= 32) {
		out_capitals(s->out, s->addr, 8);
		return;
	}
	out_text(s->out, "0x");
	for (int i = 7; i >= 0; i--)
		out_char(s->out, i < digits ? "0123456789ABCDEF"[s->addr >> 4 * i & 15] : '?');
	out_text(s->out, " (");
	out_dec(s->out, s->known - 1);
	out_text(s->out, ":0)");
}

/* The address, and those of its bits that the packet has. */
static void put_branch(struct ocsd_etm3 *s, const struct csf_packet *p, uint8_t isa_before)
{
	const unsigned int bits = p->n + 2 - s->isa;
	struct out *o = s->out;

	out_text(o, "BRANCH_ADDRESS : Branch address.; Addr=");
	put_known(s);
	out_text(o, " ~[");
	out_capitals(o, p->n == 32 ? s->addr : s->addr & ((1u << bits) - 1), 1);
	out_text(o, "]; ");
	if (s->isa != isa_before)
		put_isa(o, p, s->isa);
	if (p->flags & CSF_PKT_CTXT)
		put_exception(s, p);
}

static void put_time(struct ocsd_etm3 *s)
{
	out_text(s->out, "TIMESTAMP : Timestamp Value.; TS=0x");
	out_hex(s->out, s->time);
	out_text(s->out, " (");
	out_dec(s->out, s->time);
	out_text(s->out, ") ");
}

static void put_value(struct ocsd_etm3 *s, const char *text, uint32_t v)
{
	out_text(s->out, text);
	out_hex(s->out, v);
	out_text(s->out, "; ");
}

static void put_bad(struct ocsd_etm3 *s, const struct csf_packet *p)
{
	static const char *const words[] = {
		[CSF_BAD_RESERVED] = "RESERVED : Reserved packet header.",
		[CSF_BAD_CONFIG] = "BAD_TRACEMODE : Invalid packet type for this trace mode.",
		[CSF_BAD_SEQUENCE] = "BAD_SEQUENCE : Invalid sequence in packet.",
		[CSF_BAD_CUT] = "INCOMPLETE_EOT : Incomplete packet at end of trace.",
		[CSF_BAD_UNSYNC] = "NOTSYNC : Trace Stream not synchronised",
	};

	out_text(s->out, words[p->n <= CSF_BAD_UNSYNC ? p->n : CSF_BAD_SEQUENCE]);
}

/* Completes what the packet leaves out.  @s->time is in Gray code if the unit sends that. */
static void take(struct ocsd_etm3 *s, const struct csf_packet *p)
{
	const uint64_t mask = p->n < 64 ? (1ull << p->n) - 1 : UINT64_MAX;
	const unsigned int shift = 2 - s->isa;

	if (p->type == CSF_PKT_TIME)
		s->time = (s->time & ~mask) | p->val;
	if ((p->type != CSF_PKT_BRANCH && p->type != CSF_PKT_ISYNC) || !p->n)
		return;
	if (s->known < (p->n < 32 ? p->n + shift : 32))
		s->known = p->n < 32 ? p->n + shift : 32;
	if (p->n < 32) {
		s->addr = (s->addr & ~(mask << shift)) | p->val << shift;
		return;
	}
	s->addr = p->val;
	s->isa = p->info & INFO_JAZELLE ? 2 : !!(p->flags & CSF_PKT_IS1);
}

static const char *plain(enum csf_packet_type type)
{
	switch (type) {
	case CSF_PKT_ASYNC:
		return "A_SYNC : Alignment Synchronisation.";
	case CSF_PKT_TRIGGER:
		return "TRIGGER : Trace Trigger Event.";
	case CSF_PKT_ERET:
		return "EXCEPTION_EXIT : Exception return.";
	case CSF_PKT_EXC_ENTRY:
		return "EXCEPTION_ENTRY : Exception entry data marker.";
	case CSF_PKT_IGNORE:
		return "IGNORE : Packet ignored.";
	case CSF_PKT_DATA:
		return "NORM_DATA : Data Value : Normal.";
	case CSF_PKT_DATA_PLACE:
		return "OOO_ADDR_PLC : Data Address : Out of Order Placeholder.";
	case CSF_PKT_DATA_LATE:
		return "OOO_DATA : Data Value : Out of Order data.";
	case CSF_PKT_DATA_UNTRACED:
		return "VAL_NOT_TRACED : Data Value : Value not traced.";
	case CSF_PKT_DATA_FAILED:
		return "STORE_FAIL : Data Store Failed.";
	case CSF_PKT_DATA_LOST:
		return "DATA_SUPPRESSED : Data Suppressed.";
	default:
		return "RESERVED : Reserved packet header.";
	}
}

static void put_packet(struct ocsd_etm3 *s, const struct csf_packet *p, uint8_t isa_before)
{
	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_ATOM:
		put_atoms(s, p);
		break;
	case CSF_PKT_BRANCH:
		put_branch(s, p, isa_before);
		break;
	case CSF_PKT_ISYNC:
		put_isync(s, p);
		break;
	case CSF_PKT_TIME:
		put_time(s);
		break;
	case CSF_PKT_CYCLES:
		out_text(s->out, "CYCLE_COUNT : Cycle Count.; Cycles=");
		out_dec(s->out, p->count);
		break;
	case CSF_PKT_CTXTID:
		put_value(s, "CONTEXT_ID : Context ID change.; CtxtID=0x", p->contextid);
		break;
	case CSF_PKT_VMID:
		put_value(s, "VMID : VMID change.; VMID=0x", p->vmid);
		break;
	case CSF_PKT_BAD:
		put_bad(s, p);
		break;
	default:
		out_text(s->out, plain(p->type));
		break;
	}
}

static void print_packet(struct ocsd_etm3 *s, const struct csf_packet *p, size_t size,
			 uint8_t isa_before)
{
	if (!s->options->packets)
		return;
	line_start(s, s->idx[0], s->slot);
	if (s->options->bytes) {
		out_text(s->out, " [");
		for (size_t i = 0; i < size; i++) {
			out_text(s->out, "0x");
			out_byte(s->out, s->byte[i]);
			out_char(s->out, ' ');
		}
		out_text(s->out, "];");
	}
	out_char(s->out, '\t');
	put_packet(s, p, isa_before);
	out_char(s->out, '\n');
}

/* ---------------------------------------------------------------- elements */

/* The memory space: all of the security state. */
static void put_nacc(struct ocsd_etm3 *s, const struct abi_element *made)
{
	const bool ns = made->value & (ABI_SPACE_EL1N | ABI_SPACE_EL2N);

	out_text(s->out, "OCSD_GEN_TRC_ELEM_ADDR_NACC( 0x");
	out_hex(s->out, made->st_addr);
	out_text(s->out, ns ? "; Memspace [0x6:Any NS] )" : "; Memspace [0x19:Any S] )");
}

static void print_made(struct ocsd_etm3 *s, const struct abi_element *made, uint64_t idx)
{
	line_start(s, idx, s->id);
	out_char(s->out, ' ');
	if (made->type == CSF_ELEM_ADDR_NACC && s->options->release->says_space)
		put_nacc(s, made);
	else if (made->type == CSF_ELEM_EVENT)
		out_text(s->out, "OCSD_GEN_TRC_ELEM_EVENT( Trigger; )");
	else
		ocsd_element_text(s->out, made, s->options->release);
	out_char(s->out, '\n');
}

static void release(struct ocsd_etm3 *s)
{
	if (s->holds)
		print_made(s, &s->held, s->held_idx);
	s->holds = false;
}

/* The exception level is not traced, and WFI is an instruction as any other. */
static void make(struct ocsd_etm3 *s, const struct csf_element *e, struct abi_element *made)
{
	ocsd_element_make(made, &s->sticky, &s->config, e);
	made->context.flags &= ~ABI_CTX_EL;
	if (made->last_insn == ABI_INSN_WFX)
		made->last_insn = ABI_INSN_OTHER;
}

/* Prints an element of the current packet; @hold: it may be taken back. */
static void put_made(struct ocsd_etm3 *s, const struct abi_element *made, bool hold)
{
	release(s);
	if (!hold || !s->may_hold) {
		print_made(s, made, s->idx[0]);
		return;
	}
	s->held = *made;
	s->held_idx = s->idx[0];
	s->holds = true;
}

static void put(struct ocsd_etm3 *s, const struct csf_element *e, bool hold)
{
	struct abi_element made;

	make(s, e, &made);
	put_made(s, &made, hold);
}

static void put_type(struct ocsd_etm3 *s, enum csf_element_type type, uint64_t value)
{
	const struct csf_element e = { .type = type, .value = value };

	put(s, &e, false);
}

static void put_unsync(struct ocsd_etm3 *s, enum csf_element_type type, enum abi_unsync reason,
		       uint64_t idx)
{
	struct abi_element made;

	ocsd_element_unsync(&made, type, reason);
	print_made(s, &made, idx);
}

/* The next element, if it is of a packet up to and including the one at @pos. */
static const struct csf_element *next(struct ocsd_etm3 *s)
{
	const struct csf_element *e = stream_next(s->stream);

	return e && e->offset <= s->pos ? e : NULL;
}

/* The cycles of a range, or of an I-sync, are elements of their own in our stream. */
static bool take_cycles(struct ocsd_etm3 *s, uint32_t *count)
{
	const struct csf_element *e = next(s);

	if (!e || e->type != CSF_ELEM_CYCLE_COUNT)
		return false;
	*count = e->cycle_count;
	stream_take(s->stream);
	return true;
}

static void put_counted(struct ocsd_etm3 *s, const struct csf_element *e, bool hold, bool counted,
			uint32_t count)
{
	struct abi_element made;

	make(s, e, &made);
	made.flags |= counted ? ABI_HAS_CC : 0;
	made.cycle_count = count;
	put_made(s, &made, hold);
}

/* Atoms: a range each.  Where there is no code, OpenCSD also says so of the next atom. */
static void atoms(struct ocsd_etm3 *s, const struct csf_packet *p)
{
	const struct csf_element *e;
	unsigned int left = p->n;
	uint32_t count = 0;

	while ((e = next(s)) != NULL) {
		const struct csf_element now = *e;

		stream_take(s->stream);
		if (now.type == CSF_ELEM_INSTR_RANGE) {
			const bool counted = take_cycles(s, &count);

			put_counted(s, &now, p->n == 1, counted, count);
			left--;
		} else if (now.type == CSF_ELEM_ADDR_NACC || now.type == CSF_ELEM_ADDR_UNKNOWN) {
			s->hole = now.type == CSF_ELEM_ADDR_NACC;
			put(s, &now, false);
			left -= s->hole;
		} else if (now.type == CSF_ELEM_CYCLE_COUNT && !p->n) {
			put(s, &now, false);
		}
	}
	if (s->hole && left)
		put_type(s, CSF_ELEM_ADDR_UNKNOWN, 0);
	s->hole &= !left;
}

static void isync(struct ocsd_etm3 *s, const struct csf_packet *p)
{
	static const uint8_t reasons[] = {
		CSF_ON_NORMAL, CSF_ON_NORMAL, CSF_ON_OVERFLOW, CSF_ON_DEBUG,
	};
	const struct csf_element *e;
	bool counted = false;
	uint32_t count = 0;

	if (!s->begun || INFO_REASON(p->info))
		put_type(s, CSF_ELEM_TRACE_ON, reasons[INFO_REASON(p->info)]);
	s->begun = true;
	while ((e = next(s)) != NULL) {
		const struct csf_element now = *e;

		stream_take(s->stream);
		if (now.type == CSF_ELEM_CYCLE_COUNT) {
			counted = true;
			count = now.cycle_count;
		} else if (now.type == CSF_ELEM_PE_CONTEXT) {
			put_counted(s, &now, false, counted, count);
		}
	}
}

/* Elements of any other packet, in our order. */
static void others(struct ocsd_etm3 *s, const struct csf_packet *p)
{
	const bool hold = p->type == CSF_PKT_ERET || p->info & INFO_CANCEL;
	const struct csf_element *e;

	while ((e = next(s)) != NULL) {
		struct csf_element now = *e;

		stream_take(s->stream);
		switch ((enum csf_element_type)now.type) {
		case CSF_ELEM_EXCEPTION:
			now.value = p->exception;
			now.flags = 0;
			put(s, &now, hold);
			break;
		case CSF_ELEM_EXCEPTION_RET:
			put(s, &now, hold);
			break;
		case CSF_ELEM_PE_CONTEXT:
		case CSF_ELEM_TIMESTAMP:
		case CSF_ELEM_CYCLE_COUNT:
		case CSF_ELEM_EVENT:
			put(s, &now, false);
			break;
		default:
			break;
		}
	}
}

/* Between an A-sync and its I-sync. */
static bool is_early(const struct csf_packet *p)
{
	return p->type == CSF_PKT_TIME || p->type == CSF_PKT_CYCLES ||
	       (p->type == CSF_PKT_ATOM && !p->n);
}

static void follow(struct ocsd_etm3 *s, const struct csf_packet *p)
{
	if (s->reason)
		put_unsync(s, CSF_ELEM_NO_SYNC, s->reason, s->idx[0]);
	s->reason = 0;
	if (p->type == CSF_PKT_BAD && p->n != CSF_BAD_UNSYNC && s->state != OCSD_ETM3_NO_SYNC) {
		s->state = OCSD_ETM3_NO_SYNC;
		s->reason = ABI_UNSYNC_BAD;
	}
	if (p->type == CSF_PKT_ASYNC && s->state == OCSD_ETM3_NO_SYNC)
		s->state = OCSD_ETM3_WAIT_ISYNC;
	if (p->type == CSF_PKT_ISYNC && s->state == OCSD_ETM3_WAIT_ISYNC)
		s->state = OCSD_ETM3_RUN;
	if (s->state != OCSD_ETM3_RUN && !is_early(p)) {
		while (next(s))
			stream_take(s->stream);
		return;
	}
	if (p->type == CSF_PKT_BRANCH && p->info & INFO_CANCEL)
		s->holds = false;
	s->may_hold = !s->holds;
	release(s);
	if (p->type == CSF_PKT_BRANCH || p->type == CSF_PKT_ISYNC)
		s->hole = false;
	if (p->type == CSF_PKT_ATOM)
		atoms(s, p);
	else if (p->type == CSF_PKT_ISYNC)
		isync(s, p);
	else
		others(s, p);
}

/* ---------------------------------------------------------------- bytes */

/* The first @size bytes are a packet. */
static void found(struct ocsd_etm3 *s, const struct csf_packet *p, size_t size)
{
	const uint8_t isa_before = s->isa;

	take(s, p);
	print_packet(s, p, size, isa_before);
	s->last_idx = s->idx[0];
	if (s->options->elements)
		follow(s, p);
	s->n -= size;
	s->pos += size;
	memmove(s->byte, s->byte + size, s->n);
	memmove(s->idx, s->idx + size, s->n * sizeof(s->idx[0]));
}

static void bad(struct ocsd_etm3 *s, enum csf_bad why, size_t size)
{
	const struct csf_packet p = { .type = CSF_PKT_BAD, .n = why };

	if (size)
		found(s, &p, size);
}

static size_t leading_zeros(const struct ocsd_etm3 *s, size_t n)
{
	size_t zeros = 0;

	while (zeros < n && !s->byte[zeros])
		zeros++;
	return zeros;
}

/* Out of sync bytes come in pieces, which end before a zero, too. */
static void unsynced_byte(struct ocsd_etm3 *s)
{
	const struct csf_packet async = { .type = CSF_PKT_ASYNC };
	const size_t before = s->n - 1, zeros = leading_zeros(s, before);

	if (s->byte[before] == 0x80 && zeros == before && zeros >= ZEROS) {
		s->synced = true;
		found(s, &async, s->n);
	} else if (!s->byte[before] && zeros < before) {
		bad(s, CSF_BAD_UNSYNC, before);
	} else if (s->n == CSF_PACKET_MAX) {
		bad(s, CSF_BAD_UNSYNC, s->n - (zeros == before ? ZEROS : 0));
	}
}

static void synced_byte(struct ocsd_etm3 *s)
{
	struct csf_packet p;
	const int size = csf_packet_read(&s->config, s->byte, s->n, &p);

	if (size <= 0 || (p.type == CSF_PKT_BAD && p.n == CSF_BAD_CUT))
		return;
	s->synced = p.type != CSF_PKT_BAD;
	found(s, &p, size);
}

/*
 * May the bytes out of sync at the end of a piece still begin an A-sync?  OpenCSD waits for the
 * sixth of them even if it is clear that they do not, and then gives them a later index.
 */
static bool waits(const struct ocsd_etm3 *s)
{
	return leading_zeros(s, s->n) == s->n || (!s->byte[0] && s->n <= ZEROS);
}

void ocsd_etm3_read(struct ocsd_etm3 *s, const uint8_t *p, size_t n, uint64_t idx)
{
	if (!s->synced && s->n && leading_zeros(s, s->n) < s->n)
		s->idx[0] = idx;
	for (size_t i = 0; i < n; i++) {
		s->byte[s->n] = p[i];
		s->idx[s->n++] = idx + i;
		if (s->synced)
			synced_byte(s);
		else
			unsynced_byte(s);
	}
	if (!s->synced && !waits(s))
		bad(s, CSF_BAD_UNSYNC, s->n);
}

void ocsd_etm3_end(struct ocsd_etm3 *s)
{
	bad(s, s->synced ? CSF_BAD_CUT : CSF_BAD_UNSYNC, s->n);
	if (!s->options->elements)
		return;
	release(s);
	put_unsync(s, CSF_ELEM_EO_TRACE, s->options->release->unsync_end, s->last_idx);
}

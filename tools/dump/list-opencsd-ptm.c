// SPDX-License-Identifier: GPL-2.0-only
/*
 * PTMs in OpenCSD's words and order: each packet is followed by its elements.
 *
 * Peculiar to OpenCSD: cycles are part of the element before them; a context is listed only if it
 * changes; bytes out of sync are listed as they are in the frames.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list-opencsd-id.h"
#include "list-opencsd-ptm.h"

/* Any space of a security state. */
#define SPACES_S	(ABI_SPACE_EL1S | ABI_SPACE_EL2S | ABI_SPACE_EL3)
#define SPACES_N	(ABI_SPACE_EL1N | ABI_SPACE_EL2N)

/* struct csf_packet.info */
#define INFO_HYP	0x02
#define INFO_ALT	0x04
#define INFO_NS		0x08
#define INFO_JAZELLE	0x10

/* Bytes of a stream with successive indexes. */
struct piece {
	uint64_t pos, idx;
};

enum isa { ISA_A32, ISA_T32, ISA_JAZELLE, ISA_TEE, ISA_NONE };

/**
 * struct ocsd_ptm - a PTM that is being listed
 * @piece: places of its bytes; those before @piece_head are done
 * @fed: bytes of the stream so far
 * @unsynced: bytes out of sync that are not listed yet, from @unsynced_pos on
 * @last_idx: index of the last packet
 * @says: the reason of a NO_SYNC that comes after the next packet; ABI_UNSYNC_UNKNOWN: none comes
 * @waits: no I-sync since the last A-sync out of sync; @tells: the next context is listed, the
 *         same or not
 * @isa: enum isa of the last address; @executing: of the last address or range
 * @known: number of the low bits of @addr that are known
 * @held: an element that a cycle count may still belong to; @has_held: there is one
 */
struct ocsd_ptm {
	const struct ocsd_options *options;
	struct out *out;
	const struct input_source *source;
	struct csf_monitor *mon;
	struct stream stream;
	struct ocsd_sticky sticky;
	uint8_t slot;
	struct piece *piece;
	size_t piece_head, n_piece;
	uint64_t fed;
	uint8_t *unsynced;
	size_t n_unsynced, max_unsynced;
	uint64_t unsynced_pos;
	uint64_t last_idx;
	enum abi_unsync says;
	bool waits, tells;
	enum isa isa, executing;
	uint32_t addr;
	uint8_t known;
	uint64_t time;
	struct csf_context context;
	struct csf_element held;
	bool has_held;
	int error;
};

struct ocsd_ptm *ocsd_ptm_new(const struct input *in, const struct input_source *source,
			      uint8_t slot, const struct ocsd_options *options, struct out *out)
{
	struct ocsd_ptm *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->options = options;
	p->out = out;
	p->source = source;
	p->slot = slot;
	p->isa = ISA_NONE;
	p->executing = ISA_NONE;
	p->waits = true;
	p->says = options->reset ? ABI_UNSYNC_RESET : ABI_UNSYNC_INIT;
	p->error = csf_monitor_new(&p->mon, &source->config);
	if (!p->error && options->elements)
		p->error = stream_open(&p->stream, in, source,
				       options->split ? CSF_ELEMS_SPLIT : 0, 0);
	return p;
}

void ocsd_ptm_free(struct ocsd_ptm *p)
{
	if (!p)
		return;
	csf_monitor_free(p->mon);
	stream_close(&p->stream);
	free(p->unsynced);
	free(p->piece);
	free(p);
}

/* ---------------------------------------------------------------- packets in words */

static void put_addr(struct ocsd_ptm *p, const struct csf_packet *pkt)
{
	const unsigned int unit = pkt->n == 32 || p->isa == ISA_JAZELLE ? 0 :
				  p->isa == ISA_T32 || p->isa == ISA_TEE ? 1 : 2;
	const unsigned int bits = pkt->n + unit < 32 ? pkt->n + unit : 32;
	const uint32_t mask = (1ull << bits) - 1;
	char text[64];

	p->addr = (p->addr & ~mask) | (uint32_t)(pkt->val << unit);
	if (bits > p->known)
		p->known = bits;
	out_text(p->out, "Addr=0x");
	for (int i = 7; i >= 0; i--)
		out_char(p->out, 4 * i >= p->known ? '?' :
			 "0123456789ABCDEF"[p->addr >> 4 * i & 15]);
	if (p->known < 32)
		snprintf(text, sizeof(text), " (%u:0) ~[0x%" PRIX32 "]; ", p->known - 1u,
			 p->addr & mask);
	else
		snprintf(text, sizeof(text), " ~[0x%" PRIX32 "]; ", p->addr & mask);
	out_text(p->out, text);
}

static enum isa isa_of(const struct csf_packet *pkt)
{
	if (pkt->info & INFO_JAZELLE)
		return ISA_JAZELLE;
	if (!(pkt->flags & CSF_PKT_IS1))
		return ISA_A32;
	return pkt->info & INFO_ALT ? ISA_TEE : ISA_T32;
}

static void put_isa(struct ocsd_ptm *p)
{
	static const char *const isas[] = {
		"ISA=ARM(32); ", "ISA=Thumb2; ", "ISA=Jazelle; ", "ISA=ThumbEE; ", "ISA=Unknown; ",
	};

	out_text(p->out, isas[p->isa]);
}

/* The instruction set of a full address, if it changes. */
static void put_new_isa(struct ocsd_ptm *p, const struct csf_packet *pkt)
{
	const enum isa was = p->isa;

	if (pkt->n < 32)
		return;
	p->isa = isa_of(pkt);
	if (p->isa != was)
		put_isa(p);
}

static void put_state(struct ocsd_ptm *p, const struct csf_packet *pkt)
{
	out_text(p->out, pkt->info & INFO_NS ? "NS; " : "S; ");
	if (pkt->info & INFO_HYP)
		out_text(p->out, "Hyp; ");
}

static void put_exception(struct ocsd_ptm *p, unsigned int number)
{
	static const char *const names[] = {
		"No Exception", "Debug Halt", "SMC", "Hyp", "Async Data Abort", "Jazelle",
		"Reserved", "Reserved", "PE Reset", "Undefined Instr", "SVC", "Prefetch Abort",
		"Data Fault", "Generic", "IRQ", "FIQ",
	};

	out_text(p->out, "Excep=");
	out_text(p->out, number < 16 ? names[number] : "Unknown");
	out_text(p->out, " [");
	out_hex_wide(p->out, number, 2);
	out_text(p->out, "]; ");
}

static void put_branch(struct ocsd_ptm *p, const struct csf_packet *pkt)
{
	put_addr(p, pkt);
	put_new_isa(p, pkt);
	if (!(pkt->flags & CSF_PKT_CTXT) || pkt->type == CSF_PKT_WAYPOINT)
		return;
	put_state(p, pkt);
	put_exception(p, pkt->exception);
}

static void put_isync(struct ocsd_ptm *p, const struct csf_packet *pkt)
{
	static const char *const reasons[] = {
		"(Periodic); ", "(Trace Enable); ", "(Restart Overflow); ", "(Debug Exit); ",
	};
	char text[64];

	p->addr = pkt->val;
	p->known = 32;
	p->isa = isa_of(pkt);
	out_text(p->out, reasons[pkt->info >> 5 & 3]);
	snprintf(text, sizeof(text), "Addr=0x%08" PRIx32 "; ", p->addr);
	out_text(p->out, text);
	put_state(p, pkt);
	if (!(pkt->info & INFO_HYP))
		out_char(p->out, ' ');
	if (p->source->config.etmcr >> 14 & 3) {
		snprintf(text, sizeof(text), "CtxtID=%08" PRIx32 "; ", pkt->contextid);
		out_text(p->out, text);
	}
	put_isa(p);
}

static void put_time(struct ocsd_ptm *p, const struct csf_packet *pkt)
{
	const uint64_t mask = pkt->n < 64 ? (1ull << pkt->n) - 1 : ~0ull;
	char text[96];

	p->time = (p->time & ~mask) | pkt->val;
	snprintf(text, sizeof(text), "TS=0x%016" PRIX64 " ~[0x%" PRIX64 "](%" PRIu64 "); ",
		 p->time, pkt->val, p->time);
	out_text(p->out, text);
}

static const struct {
	const char *name, *text;
} words[CSF_PKT_NR] = {
	[CSF_PKT_ASYNC] = { "ASYNC", "Alignment Synchronisation Packet" },
	[CSF_PKT_ISYNC] = { "ISYNC", "Instruction Synchronisation packet" },
	[CSF_PKT_BRANCH] = { "BRANCH_ADDRESS", "Branch address packet" },
	[CSF_PKT_WAYPOINT] = { "WP_UPDATE", "Waypoint update packet" },
	[CSF_PKT_ATOM] = { "ATOM", "Atom packet" },
	[CSF_PKT_TIME] = { "TIMESTAMP", "Timestamp packet" },
	[CSF_PKT_CTXTID] = { "CTXTID", "Context ID packet" },
	[CSF_PKT_VMID] = { "VMID", "VM ID packet" },
	[CSF_PKT_TRIGGER] = { "TRIGGER", "Trigger Event packet" },
	[CSF_PKT_IGNORE] = { "IGNORE", "Ignore packet" },
	[CSF_PKT_ERET] = { "ERET", "Exception return packet" },
};

static void put_name(struct ocsd_ptm *p, const char *name, const char *text)
{
	out_text(p->out, name);
	out_text(p->out, " : ");
	out_text(p->out, text);
	out_text(p->out, "; ");
}

static void put_bad(struct ocsd_ptm *p, const struct csf_packet *pkt)
{
	switch ((enum csf_bad)pkt->n) {
	case CSF_BAD_UNSYNC:
		put_name(p, "NOTSYNC", "PTM Not Synchronised");
		break;
	case CSF_BAD_CUT:
		put_name(p, "INCOMPLETE_EOT", "Incomplete packet flushed at end of trace");
		break;
	case CSF_BAD_SEQUENCE:
		put_name(p, "BAD_SEQUENCE", "Invalid sequence in packet");
		out_char(p->out, '[');
		out_text(p->out, words[pkt->info].name ?: "RESERVED");
		out_text(p->out, "]; ");
		break;
	default:
		put_name(p, "RESERVED", "Reserved Packet Header");
		break;
	}
}

static void put_fields(struct ocsd_ptm *p, const struct csf_packet *pkt)
{
	char text[32];

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ISYNC:
		put_isync(p, pkt);
		break;
	case CSF_PKT_BRANCH:
	case CSF_PKT_WAYPOINT:
		put_branch(p, pkt);
		break;
	case CSF_PKT_ATOM:
		for (unsigned int i = 0; i < pkt->n; i++)
			out_char(p->out, pkt->val >> i & 1 ? 'E' : 'N');
		out_text(p->out, "; ");
		break;
	case CSF_PKT_TIME:
		put_time(p, pkt);
		break;
	case CSF_PKT_CTXTID:
		snprintf(text, sizeof(text), "CtxtID=0x%08" PRIx32 "; ", pkt->contextid);
		out_text(p->out, text);
		break;
	case CSF_PKT_VMID:
		snprintf(text, sizeof(text), "VMID=0x%02" PRIx32 "; ", pkt->vmid);
		out_text(p->out, text);
		break;
	default:
		break;
	}
	if (!(pkt->flags & CSF_PKT_COUNT))
		return;
	out_text(p->out, "Cycles=");
	out_dec(p->out, pkt->count);
	out_text(p->out, "; ");
}

/* ---------------------------------------------------------------- lines */

static void line_start(struct ocsd_ptm *p, uint64_t idx, uint8_t id)
{
	out_room(p->out, OCSD_LINE_MAX);
	out_text(p->out, "Idx:");
	out_dec(p->out, idx);
	out_text(p->out, "; ID:");
	out_hex(p->out, id);
	out_char(p->out, ';');
}

static void list_packet(struct ocsd_ptm *p, const struct csf_packet *pkt, const uint8_t *bytes,
			size_t n)
{
	line_start(p, p->last_idx, p->slot);
	if (p->options->bytes) {
		out_text(p->out, " [");
		for (size_t i = 0; i < n && i < 64; i++) {
			out_text(p->out, "0x");
			out_byte(p->out, bytes[i]);
			out_char(p->out, ' ');
		}
		out_text(p->out, "];");
	}
	out_char(p->out, '\t');
	if (pkt->type == CSF_PKT_BAD) {
		put_bad(p, pkt);
	} else {
		put_name(p, words[pkt->type].name, words[pkt->type].text);
		put_fields(p, pkt);
	}
	out_char(p->out, '\n');
}

static void list_made(struct ocsd_ptm *p, const struct abi_element *made)
{
	line_start(p, p->last_idx, p->source->id);
	out_char(p->out, ' ');
	ocsd_element_text(p->out, made, p->options->release);
	out_char(p->out, '\n');
}

static void list_unsync(struct ocsd_ptm *p, enum csf_element_type type, enum abi_unsync reason)
{
	struct abi_element made;

	ocsd_element_unsync(&made, type, reason);
	list_made(p, &made);
}

/* EL0 and EL1 look the same in the trace; the memory space is any of the security state. */
static void list_element(struct ocsd_ptm *p, const struct csf_element *e)
{
	struct abi_element made;

	ocsd_element_make(&made, &p->sticky, &p->source->config, e);
	if (e->type == CSF_ELEM_PE_CONTEXT && e->context.el != 2)
		made.context.flags &= ~ABI_CTX_EL;
	if (e->type == CSF_ELEM_ADDR_NACC)
		made.value = e->context.security == CSF_SECURE ? SPACES_S : SPACES_N;
	if (e->type == CSF_ELEM_EVENT)
		made.event.kind = 1;
	if (e->flags & CSF_ELEM_HAS_CC) {
		made.flags |= ABI_HAS_CC;
		made.cycle_count = e->cycle_count;
	}
	list_made(p, &made);
}

/* ---------------------------------------------------------------- elements */

static void release(struct ocsd_ptm *p)
{
	if (p->has_held)
		list_element(p, &p->held);
	p->has_held = false;
}

static void hold(struct ocsd_ptm *p, const struct csf_element *e)
{
	release(p);
	p->held = *e;
	p->has_held = true;
}

static void add_cycles(struct ocsd_ptm *p, const struct csf_element *e)
{
	if (!p->has_held || p->held.offset != e->offset ||
	    (p->held.type != CSF_ELEM_INSTR_RANGE && p->held.type != CSF_ELEM_EXCEPTION))
		return;
	p->held.flags |= CSF_ELEM_HAS_CC;
	p->held.cycle_count = e->cycle_count;
}

static bool same_context(const struct csf_context *a, const struct csf_context *b)
{
	return a->el == b->el && a->security == b->security &&
	       a->has_contextid == b->has_contextid && a->contextid == b->contextid &&
	       a->has_vmid == b->has_vmid && a->vmid == b->vmid;
}

static void take_element(struct ocsd_ptm *p, const struct csf_element *e)
{
	switch ((enum csf_element_type)e->type) {
	case CSF_ELEM_CYCLE_COUNT:
		add_cycles(p, e);
		break;
	case CSF_ELEM_NO_SYNC:		/* they come from the packets */
	case CSF_ELEM_TRACE_ON:
	case CSF_ELEM_EO_TRACE:
	case CSF_ELEM_ADDR_UNKNOWN:
		break;
	case CSF_ELEM_PE_CONTEXT:
		if (!p->tells && same_context(&e->context, &p->context))
			break;
		p->tells = false;
		p->context = e->context;
		p->has_held &= p->held.type != CSF_ELEM_PE_CONTEXT;
		hold(p, e);
		break;
	case CSF_ELEM_INSTR_RANGE:
		p->executing = e->isa == CSF_T32 ? ISA_T32 : ISA_A32;
		hold(p, e);
		break;
	default:
		hold(p, e);
		break;
	}
}

/* Lists the elements of packets up to and including the one at @pos. */
static void list_elements(struct ocsd_ptm *p, uint64_t pos)
{
	const struct csf_element *e;

	while ((e = stream_next(&p->stream)) != NULL && e->offset <= pos) {
		take_element(p, e);
		stream_take(&p->stream);
	}
	release(p);
	if (p->stream.error)
		p->error = p->stream.error;
}

/* The elements of an I-sync that OpenCSD makes by rules of its own. */
static void follow_isync(struct ocsd_ptm *p, const struct csf_packet *pkt, uint64_t pos)
{
	static const uint8_t reasons[] = {
		CSF_ON_NORMAL, CSF_ON_NORMAL, CSF_ON_OVERFLOW, CSF_ON_DEBUG,
	};
	const unsigned int reason = pkt->info >> 5 & 3;
	const bool other = reason && p->executing != ISA_NONE && p->executing != p->isa;
	struct csf_element on = {
		.type = CSF_ELEM_TRACE_ON, .value = reasons[reason], .cycle_count = pkt->count,
		.flags = pkt->flags & CSF_PKT_COUNT ? CSF_ELEM_HAS_CC : 0,
	};
	struct csf_element context = {
		.type = CSF_ELEM_PE_CONTEXT, .offset = pos, .context = p->context,
		.isa = p->isa == ISA_A32 ? CSF_A32 : CSF_T32,
	};

	if (p->waits || reason)
		list_element(p, &on);
	p->tells = p->waits || reason == 2;	/* overflow */
	if (other)
		hold(p, &context);
	p->waits = false;
	p->executing = p->isa;
}

static void follow(struct ocsd_ptm *p, const struct csf_packet *pkt, uint64_t pos)
{
	if (p->says != ABI_UNSYNC_UNKNOWN)
		list_unsync(p, CSF_ELEM_NO_SYNC, p->says);
	p->says = ABI_UNSYNC_UNKNOWN;
	if (pkt->type == CSF_PKT_ISYNC)
		follow_isync(p, pkt, pos);
	if (pkt->type == CSF_PKT_BAD && pkt->n != CSF_BAD_UNSYNC) {
		p->says = ABI_UNSYNC_BAD;
		p->waits = true;
	}
	list_elements(p, pos);
	if (pkt->type == CSF_PKT_BRANCH)
		p->executing = p->isa;
}

/* ---------------------------------------------------------------- bytes */

/* The index of a byte.  Also forgets earlier pieces: the listing only goes forward. */
static uint64_t idx_of(struct ocsd_ptm *p, uint64_t pos)
{
	while (p->piece_head + 1 < p->n_piece && p->piece[p->piece_head + 1].pos <= pos)
		p->piece_head++;
	return p->piece[p->piece_head].idx + (pos - p->piece[p->piece_head].pos);
}

static void take(struct ocsd_ptm *p, const struct csf_packet *pkt, uint64_t pos,
		 const uint8_t *bytes, size_t n)
{
	p->last_idx = idx_of(p, pos);
	if (p->options->packets)
		list_packet(p, pkt, bytes, n);
	if (p->options->elements && !p->error)
		follow(p, pkt, pos);
}

static void list_unsynced(struct ocsd_ptm *p)
{
	const struct csf_packet pkt = { .type = CSF_PKT_BAD, .n = CSF_BAD_UNSYNC };

	if (p->n_unsynced)
		take(p, &pkt, p->unsynced_pos, p->unsynced, p->n_unsynced);
	p->n_unsynced = 0;
}

/* Does a piece begin at @pos? */
static bool begins(const struct ocsd_ptm *p, uint64_t pos)
{
	for (size_t i = p->piece_head; i < p->n_piece && p->piece[i].pos <= pos; i++)
		if (p->piece[i].pos == pos)
			return true;
	return false;
}

static void take_unsynced(struct ocsd_ptm *p, uint64_t pos, uint8_t byte)
{
	uint8_t *grown = p->unsynced;

	if (begins(p, pos))
		list_unsynced(p);
	if (p->n_unsynced == p->max_unsynced) {
		p->max_unsynced = 2 * p->max_unsynced + 64;
		grown = realloc(p->unsynced, p->max_unsynced);
	}
	if (!grown) {
		p->error = CSF_ERR_MEMORY;
		return;
	}
	p->unsynced = grown;
	if (!p->n_unsynced)
		p->unsynced_pos = pos;
	p->unsynced[p->n_unsynced++] = byte;
}

static void take_all(struct ocsd_ptm *p)
{
	struct csf_packet pkt;
	const uint8_t *bytes;
	uint64_t pos;

	while (!p->error && csf_monitor_next(p->mon, &pkt, &pos, &bytes) > 0) {
		if (pkt.type == CSF_PKT_BAD && pkt.n == CSF_BAD_UNSYNC) {
			for (size_t i = 0; i < pkt.size && !p->error; i++)
				take_unsynced(p, pos + i, bytes[i]);
			continue;
		}
		list_unsynced(p);
		take(p, &pkt, pos, bytes, pkt.size);
	}
}

static bool add_piece(struct ocsd_ptm *p, uint64_t idx)
{
	struct piece *grown = p->piece;
	size_t n = p->n_piece;

	if (p->piece_head > 64 && p->piece_head > n / 2) {
		memmove(p->piece, p->piece + p->piece_head, (n - p->piece_head) * sizeof(*grown));
		p->n_piece = n -= p->piece_head;
		p->piece_head = 0;
	}
	if (!(n & (n - 1)))
		grown = realloc(p->piece, (n ? 2 * n : 1) * sizeof(*grown));
	if (!grown)
		return false;
	p->piece = grown;
	p->piece[p->n_piece++] = (struct piece){ .pos = p->fed, .idx = idx };
	return true;
}

void ocsd_ptm_read(struct ocsd_ptm *p, const uint8_t *bytes, size_t n, uint64_t idx)
{
	if (p->error)
		return;
	if (!add_piece(p, idx)) {
		p->error = CSF_ERR_MEMORY;
		return;
	}
	p->fed += n;
	csf_monitor_feed(p->mon, bytes, n);
	take_all(p);
}

int ocsd_ptm_end(struct ocsd_ptm *p)
{
	csf_monitor_end(p->mon);
	take_all(p);
	list_unsynced(p);
	if (!p->error && p->options->elements) {
		list_elements(p, UINT64_MAX);
		list_unsync(p, CSF_ELEM_EO_TRACE, p->options->release->unsync_end);
	}
	return p->error;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of lines of OpenCSD's instruction decoder:
 * which packet releases which elements.  The elements are ours.
 */
#include <stdlib.h>

#include "list-opencsd-id.h"

static void line_start(struct ocsd_id *s, uint64_t idx, uint8_t id)
{
	out_room(s->out, OCSD_LINE_MAX);
	out_text(s->out, "Idx:");
	out_dec(s->out, idx);
	out_text(s->out, "; ID:");
	out_hex(s->out, id);
	out_char(s->out, ';');
}

static void print_packet(struct ocsd_id *s, const struct ocsd_found *f,
			 const struct abi_packet *packet)
{
	struct out *o = s->out;

	line_start(s, f->idx, s->slot);
	if (s->options->bytes) {
		out_text(o, " [");
		for (size_t i = 0; i < f->size && i < 64; i++) {
			out_text(o, "0x");
			out_byte(o, f->bytes[i]);
			out_char(o, ' ');
		}
		out_text(o, "];");
	}
	out_char(o, '\t');
	ocsd_packet_text(o, packet);
	out_char(o, '\n');
}

static void print_sync(struct ocsd_id *s, enum csf_element_type type, enum abi_unsync reason,
		       uint64_t idx)
{
	struct abi_element made;

	if (!s->options->elements)
		return;
	ocsd_element_unsync(&made, type, reason);
	line_start(s, idx, s->id);
	out_char(s->out, ' ');
	ocsd_element_text(s->out, &made, s->options->release);
	out_char(s->out, '\n');
}

static void print_element(struct ocsd_id *s, const struct csf_element *e, uint64_t idx)
{
	struct abi_element made;

	line_start(s, idx, s->id);
	out_char(s->out, ' ');
	ocsd_element_make(&made, &s->sticky, &s->config, e);
	ocsd_element_text(s->out, &made, s->options->release);
	out_char(s->out, '\n');
}

/* Room for one more at the end; those before @head are no longer needed. */
static void *room(void *array, size_t *head, size_t *n, size_t size)
{
	char *p = array;

	if (*head > 64 && *head > *n / 2) {
		memmove(p, p + *head * size, (*n - *head) * size);
		*n -= *head;
		*head = 0;
	}
	if (*n & (*n - 1))
		return array;
	return realloc(array, (*n ? 2 * *n : 1) * size);
}

static void add_index(struct ocsd_id *s, uint64_t pos, uint64_t idx)
{
	struct ocsd_index *p = room(s->index, &s->index_head, &s->n_index, sizeof(*p));

	if (!p) {
		s->error = CSF_ERR_MEMORY;
		return;
	}
	s->index = p;
	s->index[s->n_index++] = (struct ocsd_index){ .pos = pos, .idx = idx };
}

static void push(struct ocsd_id *s, uint64_t pos, uint32_t n)
{
	struct ocsd_p0 *p = room(s->p0, &s->p0_head, &s->n_p0, sizeof(*p));

	if (!p) {
		s->error = CSF_ERR_MEMORY;
		return;
	}
	s->p0 = p;
	s->p0[s->n_p0++] = (struct ocsd_p0){ .pos = pos, .n = n };
	s->depth += n;
}

/* Also forgets earlier ones: elements come in the order of their packets. */
static uint64_t idx_of(struct ocsd_id *s, uint64_t pos)
{
	while (s->index_head + 1 < s->n_index && s->index[s->index_head + 1].pos <= pos)
		s->index_head++;
	return s->index_head < s->n_index ? s->index[s->index_head].idx : s->last_idx;
}

/* Is it an element that OpenCSD makes from something else, or at another time? */
static bool is_ours_only(const struct ocsd_id *s, const struct csf_element *e)
{
	if (e->type == CSF_ELEM_INSTRUMENTATION && e->type == s->options->release->custom)
		return true;
	switch ((enum csf_element_type)e->type) {
	case CSF_ELEM_UNKNOWN:
	case CSF_ELEM_NO_SYNC:
	case CSF_ELEM_EO_TRACE:
	case CSF_ELEM_ADDR_UNKNOWN:
	case CSF_ELEM_CUSTOM:
		return true;
	default:
		return false;
	}
}

/* Is it an element that stays when its neighbours are dropped? */
static bool is_temporal(const struct csf_element *e)
{
	switch ((enum csf_element_type)e->type) {
	case CSF_ELEM_TIMESTAMP:
	case CSF_ELEM_CYCLE_COUNT:
	case CSF_ELEM_EVENT:
	case CSF_ELEM_SYNC_MARKER:
	case CSF_ELEM_INSTRUMENTATION:
	case CSF_ELEM_MEMTRANS:
		return true;
	default:
		return false;
	}
}

/* If code is missing, OpenCSD looks again when an exception needs the path to its address. */
static void look_again(struct ocsd_id *s, const struct csf_element *e, uint64_t idx)
{
	struct csf_element again = *e;

	if (!s->hole || s->hole_pos == e->offset || e->flags & CSF_ELEM_RET_BR_TGT ||
	    e->en_addr <= s->hole_addr)
		return;
	again.type = CSF_ELEM_ADDR_NACC;
	again.st_addr = s->hole_addr;
	print_element(s, &again, idx);
}

static void emit(struct ocsd_id *s, struct csf_element *e)
{
	uint64_t idx = idx_of(s, e->offset);

	if (e->type == CSF_ELEM_TRACE_ON && s->overflowed) {
		s->overflowed = false;
		e->value = CSF_ON_OVERFLOW;
	}
	if (e->type == CSF_ELEM_EXCEPTION)
		look_again(s, e, idx);
	if (e->type == CSF_ELEM_ADDR_NACC || e->type == CSF_ELEM_INSTR_RANGE) {
		s->hole = e->type == CSF_ELEM_ADDR_NACC;
		s->hole_addr = e->st_addr;
		s->hole_pos = e->offset;
	} else if (e->type == CSF_ELEM_TRACE_ON || e->type == CSF_ELEM_EXCEPTION) {
		s->hole = false;
	}
	print_element(s, e, idx);
}

static const struct csf_element *next_element(struct ocsd_id *s)
{
	const struct csf_element *e = stream_next(&s->stream);

	if (s->stream.error)
		s->error = s->stream.error;
	return e;
}

/* Releases all elements of packets up to and including the one at @pos. */
static void let_out(struct ocsd_id *s, uint64_t pos)
{
	const struct csf_element *e;

	while ((e = next_element(s)) != NULL && e->offset <= pos) {
		if (!is_ours_only(s, e))
			emit(s, &s->stream.element);
		stream_take(&s->stream);
	}
}

/* Drops elements before @pos, except the @kept ones. */
static void drop(struct ocsd_id *s, uint64_t pos, bool (*kept)(const struct csf_element *e))
{
	const struct csf_element *e;

	while ((e = next_element(s)) != NULL && e->offset < pos) {
		if (kept && kept(e))
			emit(s, &s->stream.element);
		stream_take(&s->stream);
	}
}

/* Releases @n more atoms of the packet at @pos, whose others are not yet committed. */
static void let_atoms_out(struct ocsd_id *s, uint64_t pos, uint32_t n)
{
	const struct csf_element *e;
	bool range = false;

	if (pos)
		let_out(s, pos - 1);
	while ((e = next_element(s)) != NULL && e->offset == pos) {
		bool again = e->type == CSF_ELEM_INSTR_RANGE ||
			     (e->type == CSF_ELEM_ADDR_NACC && !range);

		if (again && !n--)
			return;
		range = e->type == CSF_ELEM_INSTR_RANGE;
		if (!is_ours_only(s, e))
			emit(s, &s->stream.element);
		stream_take(&s->stream);
	}
}

static void commit(struct ocsd_id *s, uint64_t n)
{
	if (n > s->depth)
		n = s->depth;
	while (n && s->p0_head < s->n_p0) {
		struct ocsd_p0 *p0 = &s->p0[s->p0_head];

		if (p0->n > n) {
			let_atoms_out(s, p0->pos, n);
			p0->n -= n;
			s->depth -= n;
			return;
		}
		n -= p0->n;
		s->depth -= p0->n;
		let_out(s, p0->pos);
		idx_of(s, p0->pos);
		s->p0_head++;
	}
}

static void cancel(struct ocsd_id *s, uint64_t n)
{
	while (n && s->p0_head < s->n_p0) {
		struct ocsd_p0 *p0 = &s->p0[s->n_p0 - 1];

		if (p0->n > n) {
			p0->n -= n;
			s->depth -= n;
			return;
		}
		n -= p0->n;
		s->depth -= p0->n;
		s->n_p0--;
	}
}

static void lose_sync(struct ocsd_id *s, enum abi_unsync reason)
{
	s->state = OCSD_NO_SYNC;
	s->reason = reason;
	s->p0_head = 0;
	s->n_p0 = 0;
	s->depth = 0;
	s->group = false;
}

static bool survives_overflow(const struct csf_element *e)
{
	return is_temporal(e) && e->type != CSF_ELEM_INSTRUMENTATION;
}

static void discarded(struct ocsd_id *s, const struct ocsd_found *f, enum abi_unsync reason)
{
	drop(s, f->pos, survives_overflow);
	lose_sync(s, reason);
	print_sync(s, CSF_ELEM_NO_SYNC, reason, f->idx);
	s->state = OCSD_WAIT_SYNC;
	s->overflowed = f->pkt.type == CSF_PKT_OVERFLOW;
}

/* P0 elements that a Cycle Count packet commits: none before 1.6.1, as if COMMOPT were 1. */
static uint64_t committed_by_cycles(const struct ocsd_id *s, const struct csf_packet *p)
{
	const uint32_t depth = s->config.trcidr8;

	if (!s->options->release->cycles_commit || !depth || s->config.trcidr0 >> 29 & 1)
		return 0;
	/* the depth minus the count, modulo 2^32 */
	return p->type == CSF_PKT_CC2 && p->info & 1 ? (uint32_t)(p->commit + depth) : p->commit;
}

/* P0 elements that a packet adds. */
static uint32_t p0_of(const struct ocsd_id *s, const struct csf_packet *p)
{
	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_ATOM:
	case CSF_PKT_MISPREDICT:
	case CSF_PKT_CANCEL2:
	case CSF_PKT_CANCEL3:
		return p->n;
	case CSF_PKT_TM_START:
		return !(s->config.trcidr0 >> 30 & 1);
	case CSF_PKT_SRC_MATCH:
	case CSF_PKT_SRC_SHORT:
	case CSF_PKT_SRC32:
	case CSF_PKT_SRC64:
	case CSF_PKT_RETURN:
		return 1;
	case CSF_PKT_Q:
		return p->flags & CSF_PKT_ADDR || p->flags & CSF_PKT_MATCH;
	case CSF_PKT_ERET:
		return s->config.profile == CSF_PROFILE_M && csf_config_version(&s->config) < 0x42;
	default:
		return 0;
	}
}

static bool is_target(const struct csf_packet *p)
{
	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_ADDR_MATCH:
	case CSF_PKT_ADDR_SHORT:
	case CSF_PKT_ADDR32:
	case CSF_PKT_ADDR64:
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_ADDR_CTXT64:
		return true;
	default:
		return false;
	}
}

/* An exception, or a Q without address, is grouped with the address packet after it. */
static bool opens_group(const struct csf_packet *p)
{
	if (p->type == CSF_PKT_EXCEPTION)
		return !(p->flags & CSF_PKT_UNKNOWN);
	return p->type == CSF_PKT_Q && !(p->flags & (CSF_PKT_ADDR | CSF_PKT_MATCH));
}

static uint64_t group(struct ocsd_id *s, const struct ocsd_found *f)
{
	uint64_t idx = s->group ? s->group_idx : f->idx;

	if (opens_group(&f->pkt)) {
		s->group = true;
		s->group_idx = f->idx;
	} else if (s->group && f->pkt.type != CSF_PKT_CONTEXT) {
		if (is_target(&f->pkt))
			push(s, f->pos, 1);
		else
			idx = f->idx;
		s->group = false;
	}
	return idx;
}

static void decode(struct ocsd_id *s, const struct ocsd_found *f)
{
	const struct csf_packet *p = &f->pkt;
	uint32_t n;

	if (is_target(p) && !s->group)
		s->hole = false;
	add_index(s, f->pos, group(s, f));
	n = p0_of(s, p);
	if (n)
		push(s, f->pos, n);
	switch ((enum csf_packet_type)p->type) {
	case CSF_PKT_COMMIT:
		commit(s, p->count);
		break;
	case CSF_PKT_CC1:
	case CSF_PKT_CC2:
	case CSF_PKT_CC3:
		commit(s, committed_by_cycles(s, p));
		break;
	case CSF_PKT_CANCEL1:
	case CSF_PKT_CANCEL2:
	case CSF_PKT_CANCEL3:
		cancel(s, p->count);
		break;
	case CSF_PKT_OVERFLOW:
		discarded(s, f, ABI_UNSYNC_OVERFLOW);
		break;
	case CSF_PKT_DISCARD:
		discarded(s, f, ABI_UNSYNC_DISCARD);
		break;
	case CSF_PKT_BAD:
		lose_sync(s, ABI_UNSYNC_BAD);
		break;
	default:
		break;
	}
	if (s->depth > s->config.trcidr8)
		commit(s, s->depth - s->config.trcidr8);
}

static void follow(struct ocsd_id *s, const struct ocsd_found *f)
{
	if (s->state == OCSD_NO_SYNC) {
		print_sync(s, CSF_ELEM_NO_SYNC, s->reason, f->idx);
		s->state = OCSD_WAIT_SYNC;
	}
	switch (s->state) {
	case OCSD_NO_SYNC:
		break;
	case OCSD_WAIT_SYNC:
		if (f->pkt.type != CSF_PKT_ASYNC)
			break;
		drop(s, f->pos, NULL);
		s->state = OCSD_WAIT_INFO;
		break;
	case OCSD_WAIT_INFO:
		add_index(s, f->pos, f->idx);
		if (f->pkt.type == CSF_PKT_INFO)
			s->state = OCSD_DECODE;
		break;
	case OCSD_DECODE:
		decode(s, f);
		break;
	}
}

void ocsd_found(void *owner, const struct ocsd_found *f)
{
	bool unsynced = f->pkt.type == CSF_PKT_BAD && f->pkt.n == CSF_BAD_UNSYNC;
	const struct abi_packet *packet;
	struct ocsd_id *s = owner;

	packet = ocsd_packet_make(&s->history, &s->config, &f->pkt, f->bytes[0]);
	if (s->options->packets)
		print_packet(s, f, packet);
	if (!s->options->elements || s->error || (unsynced && s->first_chunk))
		return;
	s->first_chunk = unsynced;
	s->last_idx = f->idx;
	follow(s, f);
}

/* At the end, most elements before the next P0 element are released, but not all. */
static void last_elements(struct ocsd_id *s)
{
	const struct csf_element *e;

	while ((e = next_element(s)) != NULL) {
		if (is_temporal(e))
			emit(s, &s->stream.element);
		else if (e->type != CSF_ELEM_PE_CONTEXT && !is_ours_only(s, e))
			break;
		stream_take(&s->stream);
	}
}

void ocsd_found_end(struct ocsd_id *s)
{
	if (!s->options->elements)
		return;
	if (s->state == OCSD_DECODE || (s->state == OCSD_WAIT_INFO && s->ete))
		last_elements(s);
	print_sync(s, CSF_ELEM_EO_TRACE, s->overflowed ? ABI_UNSYNC_OVERFLOW :
		   s->options->release->unsync_end,
		   s->last_idx);
}

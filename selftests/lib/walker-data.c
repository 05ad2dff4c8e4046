// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walker for the data packets of ETMv3.
 *
 * A placeholder gets a number of its own, and its value asks for that number.  If the instruction
 * was cancelled, nothing with that number has come this far, so nothing is said.
 */
#include <string.h>

#include "../../decoder/access.h"
#include "walker-parts.h"

#define CR_VALUES	(3u << 1)	/* of coprocessors, or of all */
#define CR_DATA_ONLY	(1u << 20)

/* ---------------------------------------------------------------- packets to elements */

static void put(struct walker *w, struct elem *e, uint64_t offset)
{
	e->offset = offset;
	e->p0 = w->config.etmcr & CR_DATA_ONLY && e->type != ELEM_VALUE;
	walker_etm3_put(w, e);
}

static void address(struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	struct csf_access *last = &w->last_data;

	e->has_addr = pkt->flags & CSF_PKT_ADDR;
	if (!e->has_addr)
		return;
	for (unsigned int bit = 0; bit < pkt->commit; bit++) {
		last->addr &= ~(1ull << bit);
		last->addr |= pkt->val2 & 1ull << bit;
	}
	if (last->addr_bits < pkt->commit)
		last->addr_bits = pkt->commit;
	if (pkt->commit == 32)
		last->flags = pkt->info & 0x02 ? CSF_ACCESS_BIG : 0;
	e->access.addr = last->addr;
	e->access.addr_bits = last->addr_bits;
	e->access.flags |= last->flags;
}

static void value(struct walker *w, const struct csf_packet *pkt, struct elem *e)
{
	if (!(w->config.etmcr & CR_VALUES))
		return;
	e->access.flags |= CSF_ACCESS_VALUE;
	e->access.value = pkt->val;
}

static void never(struct walker *w, unsigned int tag, uint64_t offset)
{
	struct elem e = {
		.type = ELEM_VALUE, .id = w->tag_id[tag], .access.flags = CSF_ACCESS_LOST,
	};

	if (w->tag_id[tag])
		put(w, &e, offset);
	w->tag_id[tag] = 0;
}

static void alone(struct walker *w, uint64_t offset, unsigned int flags)
{
	struct elem e = { .type = ELEM_VALUE, .alone = true, .access.flags = flags };

	put(w, &e, offset);
}

static void late(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	const unsigned int tag = pkt->info >> 4 & 3;
	struct elem e = {
		.type = ELEM_VALUE, .id = w->tag_id[tag], .alone = !w->tag_id[tag],
		.access.flags = CSF_ACCESS_LATE,
	};

	value(w, pkt, &e);
	put(w, &e, offset);
	w->tag_id[tag] = 0;
}

static void failed(struct walker *w, uint64_t offset)
{
	for (size_t i = w->n_queue; i--; ) {
		if (w->queue[i].type == ELEM_ACCESS) {
			w->queue[i].access.flags |= CSF_ACCESS_FAILED;
			return;
		}
		if (w->queue[i].p0)
			break;
	}
	alone(w, offset, CSF_ACCESS_FAILED);
}

void walker_data_packet(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	const unsigned int tag = pkt->info >> 4 & 3;
	struct elem e = { .type = ELEM_ACCESS };

	if (!(w->marks & CSF_MARK_DATA))
		return;
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_DATA:
		address(w, pkt, &e);
		value(w, pkt, &e);
		put(w, &e, offset);
		break;
	case CSF_PKT_DATA_UNTRACED:
		e.access.flags = CSF_ACCESS_UNTRACED;
		address(w, pkt, &e);
		put(w, &e, offset);
		break;
	case CSF_PKT_DATA_PLACE:
		never(w, tag, offset);
		address(w, pkt, &e);
		e.id = ++w->n_id;
		w->tag_id[tag] = e.id;
		put(w, &e, offset);
		break;
	case CSF_PKT_DATA_LATE:
		late(w, pkt, offset);
		break;
	case CSF_PKT_DATA_FAILED:
		failed(w, offset);
		break;
	case CSF_PKT_DATA_LOST:
		alone(w, offset, CSF_ACCESS_LOST);
		break;
	case CSF_PKT_EXC_ENTRY:
		e.type = ELEM_STACKING;
		put(w, &e, offset);
		break;
	default:
		break;
	}
}

void walker_data_begin(struct walker *w)
{
	memset(&w->last_data, 0, sizeof(w->last_data));
}

void walker_data_drop(struct walker *w, uint64_t offset)
{
	for (unsigned int tag = 1; tag < 4; tag++)
		never(w, tag, offset);
}

/* ---------------------------------------------------------------- elements to marks */

static void say(struct walker *w, const struct csf_access *access)
{
	struct flow_event event = { .kind = FLOW_MARK, .access = *access };

	if (!(w->marks & CSF_MARK_DATA))
		return;
	event.mark = (struct csf_mark){
		.kind = CSF_MARK_DATA, .seq = w->seq, .offset = w->here, .at = access->at,
	};
	walker_send(w, &event);
}

/* Did the atom before this make a step? */
static bool is_executed(const struct walker *w)
{
	return w->has_insn && w->seq == w->insn_seq + 1;
}

static void complete(struct walker *w, const struct elem *e, struct csf_access *a)
{
	const struct csf_access *before = &w->before;
	struct access_kind kind = { 0 };

	a->offset = e->offset;
	if (w->stacking) {
		a->flags |= CSF_ACCESS_ENTRY | CSF_ACCESS_WRITE;
		a->size = 4;
	} else if (is_executed(w)) {
		if (w->insn_read)
			kind = access_of_insn(w->insn_is1 ? CSF_T32 : CSF_A32, w->insn_opcode);
		a->flags |= CSF_ACCESS_INSN | kind.flags;
		a->size = kind.size;
		a->insn = w->insn_addr;
		a->at = w->seq;
	} else if (e->has_addr) {
		w->n_transfer = 0;
	}
	a->number = w->n_transfer++;
	/* SWP accesses one place twice */
	if (!e->has_addr && a->number && before->addr_bits &&
	    !(a->flags & CSF_ACCESS_REGISTER) && !(a->flags & 1 && a->flags & 2)) {
		a->addr = before->addr + 4;
		if (before->addr_bits < 64)
			a->addr &= (1ull << before->addr_bits) - 1;
		a->addr_bits = before->addr_bits;
		a->flags |= CSF_ACCESS_NEXT | (before->flags & CSF_ACCESS_BIG);
	}
	w->before = *a;
}

static struct walker_late *find(struct walker *w, unsigned int id)
{
	for (unsigned int i = 0; i < 4; i++)
		if (w->late[i].id == id)
			return &w->late[i];
	return NULL;
}

static void access_(struct walker *w, const struct elem *e)
{
	struct csf_access access = e->access;
	struct walker_late *free_one;

	complete(w, e, &access);
	if (!e->id) {
		say(w, &access);
		return;
	}
	free_one = find(w, 0);
	if (free_one)
		*free_one = (struct walker_late){ e->id, access };
}

static void value_of(struct walker *w, const struct elem *e)
{
	struct walker_late *l = e->alone ? NULL : find(w, e->id);
	struct csf_access access = e->access;

	access.offset = e->offset;
	if (e->alone)
		say(w, &access);
	if (!l)
		return;
	access = l->access;
	access.flags |= e->access.flags;
	access.value = e->access.value;
	l->id = 0;
	say(w, &access);
}

static void nothing_before(struct walker *w)
{
	w->has_insn = false;
	w->stacking = false;
	w->n_transfer = 0;
}

void walker_data_place(struct walker *w, const struct elem *e)
{
	switch (e->type) {
	case ELEM_ATOM:
		nothing_before(w);
		w->has_insn = w->pc_known && !w->pending;
		w->insn_seq = w->seq;
		w->insn_addr = code_wrap(w, w->pc);
		w->insn_is1 = w->is1;
		w->insn_read = code_opcode(w, w->insn_addr, w->is1, &w->insn_opcode);
		break;
	case ELEM_EXCEPTION:
	case ELEM_ON:
	case ELEM_OVERFLOW:
	case ELEM_LOST:
		nothing_before(w);
		break;
	case ELEM_STACKING:
		nothing_before(w);
		w->stacking = true;
		break;
	case ELEM_ACCESS:
		access_(w, e);
		break;
	case ELEM_VALUE:
		value_of(w, e);
		break;
	default:
		break;
	}
}

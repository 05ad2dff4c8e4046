// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Data packets to accesses, if they are asked for.
 *
 * As the packets are read, addresses are completed, and values find their placeholders.  An element
 * for each then waits in the queue with the atom of its instruction.  When it leaves the queue, the
 * instruction before it is the one that made the access, and its code says how.
 */
#include "../access.h"
#include "../block.h"
#include "parts.h"

/* struct element.n of DATA and DATA_REST; .is1 is the tag, .exception has CSF_ACCESS_x */
enum {
	PART_WHOLE,
	PART_PLACE,	/* the value comes later: nothing to report yet */
	PART_VALUE,	/* for a placeholder */
	PART_NEVER,	/* a placeholder whose value cannot come any more */
	PART_ALONE,	/* belongs to nothing that is known */
	PART_ENTRY,	/* the accesses after it are of an exception entry */
};

#define NO_STEP		UINT64_MAX	/* struct etm3_data.want: no instruction is known */

/* -------- packets to elements */

static void add(struct csf_decoder *d, struct element *el, uint64_t offset)
{
	el->offset = offset;
	/* without atoms, each waits for the next, as a packet may say that its store failed */
	if (d->config.etm3.no_insn && el->type == EL_DATA)
		el->flags |= EL_P0;
	classic_add(d, el);
}

/* The placeholders of @tags get no value any more. */
static void drop(struct csf_decoder *d, uint8_t tags, uint64_t offset)
{
	for (uint8_t tag = 1; tag < ETM3_TAGS; tag++) {
		struct element el = { .type = EL_DATA_REST, .n = PART_NEVER, .is1 = tag };

		if (tags >> tag & 1)
			add(d, &el, offset);
	}
	d->etm3.data.open &= ~tags;
}

void etm3_data_drop(struct csf_decoder *d, uint64_t offset)
{
	drop(d, d->etm3.data.open, offset);
	d->etm3.data.cancelled = 0;
}

/* Low bits take the place of those of the last address in a packet. */
static void take_address(struct csf_decoder *d, const struct csf_packet *pkt, struct element *el)
{
	struct etm3_data *s = &d->etm3.data;

	if (!(pkt->flags & CSF_PKT_ADDR))
		return;
	s->addr = (s->addr & ~low_bits(pkt->commit)) | pkt->val2;
	if (pkt->commit > s->bits)
		s->bits = pkt->commit;
	if (pkt->commit == 32)
		s->big = pkt->info & ETM3_DATA_BIG;
	el->addr = s->addr;
	el->init = s->bits;
	el->flags |= EL_ADDR;
	el->exception |= s->big ? CSF_ACCESS_BIG : 0;
}

static void take_value(struct csf_decoder *d, const struct csf_packet *pkt, struct element *el)
{
	if (!d->config.etm3.values)
		return;
	el->val = pkt->val;
	el->exception |= CSF_ACCESS_VALUE;
}

static void expand_data(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	struct element el = { .type = EL_DATA, .n = PART_WHOLE };

	take_address(d, pkt, &el);
	if (pkt->type == CSF_PKT_DATA)
		take_value(d, pkt, &el);
	else
		el.exception |= CSF_ACCESS_UNTRACED;
	add(d, &el, offset);
}

static void expand_place(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const uint8_t tag = ETM3_DATA_TAG(pkt->info), bit = 1u << tag;
	struct element el = { .type = EL_DATA, .n = PART_PLACE, .is1 = tag };

	drop(d, d->etm3.data.open & bit, offset);
	take_address(d, pkt, &el);
	add(d, &el, offset);
	d->etm3.data.open |= bit;
	d->etm3.data.cancelled &= ~bit;
}

static void expand_late(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	const uint8_t tag = ETM3_DATA_TAG(pkt->info), bit = 1u << tag;
	struct etm3_data *s = &d->etm3.data;
	struct element el = {
		.type = EL_DATA_REST, .n = s->open & bit ? PART_VALUE : PART_ALONE, .is1 = tag,
		.exception = CSF_ACCESS_LATE,
	};

	if (!(s->cancelled & bit)) {
		take_value(d, pkt, &el);
		add(d, &el, offset);
	}
	s->open &= ~bit;
	s->cancelled &= ~bit;
}

/* The element that is @i before the youngest in the queue. */
static struct element *back(struct csf_decoder *d, uint32_t i)
{
	struct element_queue *q = &d->queue;

	return &q->ring[(q->oldest + q->n - 1 - i) & (q->size - 1)];
}

/* The last access of the last instruction was a store that failed. */
static void expand_failed(struct csf_decoder *d, uint64_t offset)
{
	struct element el = {
		.type = EL_DATA_REST, .n = PART_ALONE, .exception = CSF_ACCESS_FAILED,
	};

	for (uint32_t i = 0; i < d->queue.n; i++) {
		struct element *last = back(d, i);

		if (last->type == EL_DATA && last->n != PART_ENTRY) {
			last->exception |= CSF_ACCESS_FAILED;
			return;
		}
		if (element_n_p0(last))
			break;
	}
	add(d, &el, offset);
}

/* Data was left out, which the instruction may have accessed. */
static void expand_lost(struct csf_decoder *d, uint64_t offset)
{
	struct element el = {
		.type = EL_DATA_REST, .n = PART_ALONE, .exception = CSF_ACCESS_LOST,
	};

	add(d, &el, offset);
}

static void expand_entry(struct csf_decoder *d, uint64_t offset)
{
	struct element el = { .type = EL_DATA, .n = PART_ENTRY };

	add(d, &el, offset);
}

void etm3_data_expand(struct csf_decoder *d, const struct csf_packet *pkt, uint64_t offset)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_DATA:
	case CSF_PKT_DATA_UNTRACED:
		expand_data(d, pkt, offset);
		break;
	case CSF_PKT_DATA_PLACE:
		expand_place(d, pkt, offset);
		break;
	case CSF_PKT_DATA_LATE:
		expand_late(d, pkt, offset);
		break;
	case CSF_PKT_DATA_FAILED:
		expand_failed(d, offset);
		break;
	case CSF_PKT_DATA_LOST:
		expand_lost(d, offset);
		break;
	case CSF_PKT_EXC_ENTRY:
		expand_entry(d, offset);
		break;
	default:
		break;
	}
}

/*
 * The last instruction is about to be cancelled, with its placeholders: their values mean nothing.
 * Those that came already are cancelled, too.
 */
void etm3_data_cancel(struct csf_decoder *d)
{
	struct element *value[ETM3_TAGS] = { NULL };
	struct etm3_data *s = &d->etm3.data;

	for (uint32_t i = 0; d->queue.depth; i++) {
		struct element *el = back(d, i), **of = &value[el->is1 & (ETM3_TAGS - 1)];

		if (el->type == EL_DATA && el->n == PART_PLACE && *of) {
			(*of)->type = EL_DATA;
			*of = NULL;
		} else if (el->type == EL_DATA && el->n == PART_PLACE) {
			s->open &= ~(1u << el->is1);
			s->cancelled |= 1u << el->is1;
		} else if (el->type == EL_DATA_REST && el->n != PART_ALONE) {
			*of = el;
		}
		if (element_n_p0(el))
			break;
	}
}

void etm3_data_begin(struct csf_decoder *d)
{
	d->etm3.data.bits = 0;
	d->etm3.data.addr = 0;
	d->etm3.data.big = false;
}

/* -------- elements to accesses */

/* The step of a run, and the address of the last instruction in it. */
static void take_step(struct csf_decoder *d, const struct csf_run *run, uint32_t step)
{
	const uint32_t number = step >> 1;
	struct etm3_data *s = &d->etm3.data;
	const struct csf_block *b = &flow_block(d, number)->pub;
	uint32_t opcode;

	exec_let_go(d);
	s->insn = csf_block_addr(d, run, number) + b->size - b->last_size;
	if (s->block == number)
		return;
	s->block = number;
	s->kind = (struct access_kind){ 0 };
	if (block_opcode(d->image, b, b->size - b->last_size, &opcode) > 0)
		s->kind = access_of_insn(b->isa, opcode);
}

void etm3_data_run(struct csf_decoder *d, const struct csf_run *run)
{
	if (run->n)
		take_step(d, run, run->step[run->n - 1]);
}

void etm3_data_atoms(struct csf_decoder *d)
{
	d->etm3.data.want = flow_now(d) + d->el.n;
	d->etm3.data.entry = false;
	d->etm3.data.number = 0;
}

void etm3_data_lose(struct csf_decoder *d)
{
	d->etm3.data.want = NO_STEP;
	d->etm3.data.entry = false;
	d->etm3.data.number = 0;
}

/* The instruction that made the access, and how. */
static void attribute(struct csf_decoder *d, struct csf_access *a)
{
	struct etm3_data *s = &d->etm3.data;

	if (s->entry) {
		a->flags |= CSF_ACCESS_ENTRY | CSF_ACCESS_WRITE;
		a->size = 4;
		return;
	}
	if (!s->want || s->want != flow_now(d))
		return;
	if (d->out.n_step)
		take_step(d, d->out.run, d->out.step[d->out.n_step - 1]);
	a->flags |= CSF_ACCESS_INSN | s->kind.flags;
	a->size = s->kind.size;
	a->insn = s->insn;
	a->at = s->want;
}

/* Is the address of a transfer without one that after the transfer before? */
static bool follows(const struct etm3_data *s, const struct csf_access *a)
{
	const uint16_t both = CSF_ACCESS_READ | CSF_ACCESS_WRITE;

	return a->number && s->last_bits && !(a->flags & CSF_ACCESS_REGISTER) &&
	       (a->flags & both) != both;
}

static void count(struct etm3_data *s, struct csf_access *a, bool has_addr)
{
	if (has_addr && !(a->flags & (CSF_ACCESS_INSN | CSF_ACCESS_ENTRY)))
		s->number = 0;
	a->number = s->number++;
	if (!has_addr && follows(s, a)) {
		a->addr = (s->last + 4) & low_bits(s->last_bits);
		a->addr_bits = s->last_bits;
		a->flags |= CSF_ACCESS_NEXT | (s->last_big ? CSF_ACCESS_BIG : 0);
	}
	s->last = a->addr;
	s->last_bits = a->addr_bits;
	s->last_big = a->flags & CSF_ACCESS_BIG;
}

static void place_access(struct csf_decoder *d, struct csf_access *a)
{
	const struct element *el = &d->el;

	*a = (struct csf_access){
		.offset = el->offset, .addr = el->addr, .addr_bits = el->init, .value = el->val,
		.flags = el->exception,
	};
	if (el->n == PART_ALONE)
		return;
	attribute(d, a);
	count(&d->etm3.data, a, el->flags & EL_ADDR);
}

void etm3_data_place(struct csf_decoder *d)
{
	struct etm3_data *s = &d->etm3.data;
	struct csf_access *const slot = &s->slot[d->el.is1];

	switch (d->el.n) {
	case PART_ENTRY:
		etm3_data_lose(d);
		s->entry = true;
		d->el_ready = false;
		return;
	case PART_PLACE:
		place_access(d, slot);
		d->el_ready = false;
		return;
	case PART_VALUE:
		d->access = *slot;
		d->access.value = d->el.val;
		d->access.flags |= d->el.exception;
		return;
	case PART_NEVER:
		d->access = *slot;
		d->access.flags |= CSF_ACCESS_LOST;
		return;
	default:
		place_access(d, &d->access);
		return;
	}
}

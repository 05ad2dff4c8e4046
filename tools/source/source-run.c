// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source-run.h"

void source_run_free(struct source_run *r)
{
	for (size_t i = 0; i < r->n_code; i++)
		free((void *)r->code[i].bytes);
	free(r->code);
	free(r->data);
	r->code = NULL;
	r->n_code = 0;
	r->data = NULL;
	r->size_data = 0;
}

/* ---------------------------------------------------------------- data accesses */

/* Values may come out of order; their accesses are put where their instructions are. */
static void insert(struct source_run *r, const struct csf_mark *m)
{
	const struct csf_access *a = &r->run->access[m->value];
	struct source_data d = { .access = m->value, .step = m->seq - r->run->seq };
	size_t i = r->n_data++;

	if (a->flags & CSF_ACCESS_INSN) {
		d.late = a->at < r->run->seq;
		d.step = d.late ? d.step : a->at - r->run->seq;
	}
	for (; i && r->data[i - 1].step > d.step; i--)
		r->data[i] = r->data[i - 1];
	r->data[i] = d;
}

int source_run_begin(struct source_run *r, struct csf_decoder *dec, const struct csf_run *run)
{
	r->dec = dec;
	r->run = run;
	r->step = 0;
	r->over = false;
	r->n_data = 0;
	r->next_data = 0;
	if (!run->access)
		return 0;
	if (run->n_mark > r->size_data) {
		struct source_data *grown = realloc(r->data, run->n_mark * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		r->data = grown;
		r->size_data = run->n_mark;
	}
	for (size_t i = 0; i < run->n_mark; i++)
		if (run->mark[i].kind == CSF_MARK_DATA)
			insert(r, &run->mark[i]);
	return 0;
}

/* Does it say all that a record of memory needs? */
static bool is_memory(const struct csf_access *a)
{
	const uint16_t way = a->flags & (CSF_ACCESS_READ | CSF_ACCESS_WRITE);

	return (way == CSF_ACCESS_READ || way == CSF_ACCESS_WRITE) && a->size &&
	       a->addr_bits >= 32 && !(a->flags & (CSF_ACCESS_REGISTER | CSF_ACCESS_FAILED));
}

static void put_digits(struct source_run *r, const struct csf_access *a, struct source_item *item)
{
	item->digits.p = r->digits;
	item->digits.n = 2 * a->size;
	for (size_t i = 0; i < item->digits.n; i++)
		r->digits[i] = a->flags & CSF_ACCESS_VALUE ?
			"0123456789abcdef"[a->value >> 4 * (item->digits.n - 1 - i) & 15] : 'x';
}

static int data(struct source_run *r, const struct source_data *d, struct source_item *item)
{
	const struct csf_access *a = &r->run->access[d->access];
	char words[ACCESS_WORDS_MAX];

	source_item(item, SOURCE_OTHER);
	item->offset = a->offset;
	if (!d->late && is_memory(a) && a->size <= 8) {
		item->kind = SOURCE_MEM;
		item->addr = a->addr;
		item->has_addr = true;
		item->n = a->size;
		item->write = a->flags & CSF_ACCESS_WRITE;
		put_digits(r, a, item);
		return 1;
	}
	access_words(a, words);
	item->name.p = r->words;
	item->name.n = sprintf(r->words, "DATA: %s", words);
	return 1;
}

/* ---------------------------------------------------------------- instructions */

static int grow(struct source_run *r, uint32_t number)
{
	size_t n = number + number / 2 + 256;
	struct source_code *grown = realloc(r->code, n * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	memset(grown + r->n_code, 0, (n - r->n_code) * sizeof(*grown));
	r->code = grown;
	r->n_code = n;
	return 0;
}

/* Reads block @number, which is at @addr now. */
static int learn(struct source_run *r, uint32_t number, uint64_t addr)
{
	struct source_code *code;
	struct csf_block block;
	uint8_t *bytes;

	if (number >= r->n_code && grow(r, number))
		return -ENOMEM;
	code = &r->code[number];
	csf_block(r->image, number, &block);
	bytes = malloc(block.size + 1);
	if (!bytes)
		return -ENOMEM;
	if (csf_image_read(r->image, r->run->space, addr, r->run->time, bytes,
			   block.size) < block.size) {
		free(bytes);
		bytes = NULL;
	}
	*code = (struct source_code){ .bytes = bytes, .size = block.size, .n_insn = block.n_insn,
				      .isa = block.isa, .known = true };
	code->branch = !(block.flags & CSF_FLAG_CUT) &&
		       (block.kind == CSF_INSN_BRANCH || block.kind == CSF_INSN_INDIRECT);
	return 0;
}

static int insn(struct source_run *r, uint32_t step, struct source_item *item)
{
	uint32_t number = csf_step_block(step);
	uint64_t addr = csf_block_addr(r->dec, r->run, number);
	const struct source_code *code;

	if ((number >= r->n_code || !r->code[number].known) && learn(r, number, addr))
		return -ENOMEM;
	code = &r->code[number];
	source_item(item, SOURCE_INSN);
	item->isa = code->isa;
	item->has_addr = true;
	item->n_insn = code->n_insn;
	item->size = code->size;
	item->addr = addr;
	item->code = code->bytes;
	item->no_code = !code->bytes;
	item->offset = r->run->offset;
	item->in_transaction = r->run->in_transaction;
	/* No atom tells about other instructions. */
	if (code->branch)
		item->how = step & 1 ? SOURCE_DONE : SOURCE_SKIPPED;
	return 1;
}

/* The numbers of ETMv4 for A profile say the kinds of all protocols. */
static uint32_t type_of(const struct source_run *r)
{
	static const uint8_t type[CSF_EXC_KIND_NR] = {
		[CSF_EXC_KIND_RESET] = 0, [CSF_EXC_KIND_HALT] = 1, [CSF_EXC_KIND_CALL] = 2,
		[CSF_EXC_KIND_TRAP] = 3, [CSF_EXC_KIND_SERROR] = 4, [CSF_EXC_KIND_INSN] = 11,
		[CSF_EXC_KIND_DATA] = 12, [CSF_EXC_KIND_IRQ] = 14, [CSF_EXC_KIND_FIQ] = 15,
	};
	const enum csf_exception_kind kind = csf_exception_kind(r->dec, r->run->value);

	return kind == CSF_EXC_KIND_OTHER ? r->run->value : type[kind];
}

static int exception(const struct source_run *r, struct source_item *item)
{
	const struct csf_run *run = r->run;

	item->kind = SOURCE_EXCEPTION;
	item->value = run->value;
	item->type = type_of(r);
	item->addr = run->addr;
	item->has_addr = !(run->flags & (CSF_EXC_NO_ADDR | CSF_EXC_UNRELIABLE));
	return 1;
}

/* Sets the target of the last instruction, even if nothing was traced there. */
static void lead(const struct csf_run *run, struct source_item *item)
{
	item->addr = run->addr;
	if (run->end == CSF_END_TRACE) {
		item->leads = run->addr;
		return;
	}
	switch ((enum csf_gap)run->value) {
	case CSF_GAP_OFF:
	case CSF_GAP_OVERFLOW:
	case CSF_GAP_DISCARD:
	case CSF_GAP_BREAK:
		item->leads = run->addr;
		break;
	case CSF_GAP_IMAGE:
		item->has_addr = !(run->flags & CSF_GAP_RETURN);
		item->leads = item->has_addr && !(run->flags & CSF_GAP_MORE);
		break;
	case CSF_GAP_WALK:
		item->has_addr = true;
		break;
	default:
		break;
	}
}

/* Makes an item for the end of the run; 0: none. */
static int end(const struct source_run *r, struct source_item *item)
{
	const struct csf_run *run = r->run;

	source_item(item, SOURCE_CUT);
	item->offset = run->offset;
	item->value = run->value;
	switch ((enum csf_end_kind)run->end) {
	case CSF_END_CONTEXT:
		item->kind = SOURCE_CONTEXT;
		item->context = run->to;
		return 1;
	case CSF_END_EXCEPTION:
		return exception(r, item);
	case CSF_END_TRANSACTION:
		item->kind = SOURCE_TM;
		return 1;
	case CSF_END_Q:
		item->kind = SOURCE_Q;
		item->addr = run->addr;
		item->has_addr = true;
		return 1;
	case CSF_END_GAP:
		item->kind = SOURCE_GAP;
		lead(run, item);
		return 1;
	case CSF_END_TRACE:
		lead(run, item);
		return 1;
	case CSF_END_FULL:
	case CSF_END_CODE:
	case CSF_END_TIME:
		break;
	}
	return 0;
}

int source_run_next(struct source_run *r, struct source_item *item)
{
	if (r->next_data < r->n_data && r->data[r->next_data].step <= r->step)
		return data(r, &r->data[r->next_data++], item);
	if (r->step < r->run->n)
		return insn(r, r->run->step[r->step++], item);
	if (r->over)
		return 0;
	r->over = true;
	return end(r, item);
}

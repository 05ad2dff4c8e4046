// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "match-side.h"

/* ---------------------------------------------------------------- instructions */

static uint32_t t32_bytes(const struct source_item *item, uint32_t n)
{
	const uint8_t *p = source_code(item);
	uint32_t at = 0;

	while (n-- && at + 2 <= item->size)
		at += p[at + 1] >> 3 >= 0x1d ? 4 : 2;
	return at < item->size ? at : item->size;
}

uint32_t match_bytes(const struct source_item *item, uint32_t n)
{
	if (n >= item->n_insn)
		return item->size;
	if (item->isa == CSF_T32 && !item->no_code)
		return t32_bytes(item, n);
	return (uint64_t)item->size * n / item->n_insn;
}

void match_trim(struct source_item *item, uint32_t n)
{
	uint32_t bytes = match_bytes(item, n);

	if (item->code)
		item->code += bytes;
	item->addr += bytes;
	item->size -= bytes;
	item->n_insn -= n;
	item->id += n;
}

/* ---------------------------------------------------------------- copies */

static void move(struct tarmac_text *text, char **at)
{
	size_t n = text->n < MATCH_TEXT ? text->n : MATCH_TEXT;

	if (n)
		memcpy(*at, text->p, n);
	text->p = *at;
	text->n = n;
	*at += n;
}

int match_keep(struct match_kept *kept, const struct source_item *item)
{
	struct tarmac_text *texts[] = { &kept->item.name, &kept->item.digits, &kept->item.mode,
					&kept->item.disasm };
	size_t need = 1;
	char *at;

	kept->item = *item;
	for (size_t i = 0; i < 4; i++)
		need += texts[i]->n < MATCH_TEXT ? texts[i]->n : MATCH_TEXT;
	if (need > kept->size) {
		char *grown = realloc(kept->text, need + 64);

		if (!grown)
			return -ENOMEM;
		kept->text = grown;
		kept->size = need + 64;
	}
	at = kept->text;
	for (size_t i = 0; i < 4; i++)
		move(texts[i], &at);
	return 0;
}

/* ---------------------------------------------------------------- compared items */

/* Drops the first @n instructions of an item. */
static bool cut_front(struct source_item *item, uint64_t n)
{
	if (n >= item->n_insn)
		return false;
	if (n)
		match_trim(item, n);
	return true;
}

/* Return: the item, or its rest, is compared. */
static bool after_boot(struct match_side *s, struct source_item *item)
{
	uint64_t n = s->boot;

	if (!n)
		return true;
	if (item->kind != SOURCE_INSN)
		return false;
	s->boot -= n < item->n_insn ? n : item->n_insn;
	return cut_front(item, n);
}

static bool after_start(struct match_side *s, struct source_item *item)
{
	if (!s->has_start)
		return true;
	if (item->kind != SOURCE_INSN)
		return false;
	for (uint32_t i = 0; i < item->n_insn; i++)
		if (item->addr + match_bytes(item, i) == s->start) {
			s->has_start = false;
			return cut_front(item, i);
		}
	return false;
}

static bool text_same(struct tarmac_text a, struct tarmac_text b)
{
	return a.n == b.n && (!a.n || !memcmp(a.p, b.p, a.n));
}

/* Do they differ only in time? */
static bool repeats(const struct source_item *a, const struct source_item *b)
{
	if (a->kind != b->kind || a->addr != b->addr || a->n != b->n || a->write != b->write ||
	    a->value != b->value || a->isa != b->isa || a->how != b->how || a->size != b->size)
		return false;
	if (a->kind == SOURCE_INSN && memcmp(source_code(a), source_code(b), a->size))
		return false;
	return text_same(a->name, b->name) && text_same(a->digits, b->digits) &&
	       text_same(a->mode, b->mode);
}

/* Only the first instruction of an item can repeat the one before. */
static bool new_one(struct match_side *s, struct source_item *item)
{
	struct source_item last = *item;

	if (!s->skip_equal || (item->kind == SOURCE_INSN && item->no_code))
		return true;
	if (item->kind == SOURCE_INSN && item->n_insn > 1) {
		last.n_insn = 1;
		last.size = match_bytes(item, 1);
	}
	if (s->has_last && repeats(&s->last.item, &last) && !cut_front(item, 1))
		return false;
	last = *item;
	if (item->kind == SOURCE_INSN && item->n_insn > 1)
		match_trim(&last, item->n_insn - 1);
	s->has_last = !match_keep(&s->last, &last);
	return true;
}

/* Reads the next item to compare.  Return: there is one. */
static bool pull(struct match_side *s, struct source_item *item)
{
	int got;

	while (!s->ended && (got = source_next(s->source, item)) != 0) {
		if (got < 0) {
			s->error = got;
			break;
		}
		if (!(s->kinds >> item->kind & 1))
			continue;
		if (item->kind == SOURCE_REG)
			match_name(s->rules, item, s->pulled, &s->pulled_half);
		if (after_boot(s, item) && after_start(s, item) &&
		    match_rules_keep(s->rules, item,
				     item->kind == SOURCE_REG ? s->pulled : NULL) &&
		    new_one(s, item))
			return true;
	}
	s->ended = true;
	return false;
}

/* ---------------------------------------------------------------- one at a time */

int match_side_start(struct match_side *s, const struct source_stream *stream)
{
	s->have = false;
	s->ended = false;
	s->first = 0;
	s->n = 0;
	s->n_past = 0;
	s->insns = 0;
	s->records = 0;
	s->has_time0 = false;
	s->has_last = false;
	s->error = source_start(s->source, stream);
	return s->error;
}

void match_side_free(struct match_side *s)
{
	for (size_t i = 0; i < s->size; i++)
		free(s->queue[i].text);
	free(s->queue);
	free(s->last.text);
	memset(s, 0, sizeof(*s));
}

bool match_side_load(struct match_side *s)
{
	if (s->n) {
		const struct match_kept *kept = &s->queue[s->first];

		s->item = kept->item;
		memcpy(s->name, kept->name, sizeof(s->name));
		s->half = kept->half;
		s->have = true;
	} else {
		s->have = pull(s, &s->item);
		if (s->have && s->item.kind == SOURCE_REG) {
			memcpy(s->name, s->pulled, sizeof(s->name));
			s->half = s->pulled_half;
		}
	}
	if (s->have && !s->has_time0 && s->item.has_time) {
		s->has_time0 = true;
		s->time0 = s->item.time;
	}
	return s->have;
}

void match_side_done(struct match_side *s)
{
	s->have = false;
	if (s->n) {
		s->first = (s->first + 1) % s->size;
		s->n--;
	}
}

void match_side_remember(struct match_side *s, const struct source_item *item, uint32_t n)
{
	struct source_item *past = &s->past[s->n_past++ % MATCH_PAST];

	*past = *item;
	past->name.n = 0;
	past->digits.n = 0;
	if (item->kind == SOURCE_INSN) {
		past->n_insn = n;
		past->size = match_bytes(item, n);
	}
}

/* ---------------------------------------------------------------- ahead */

static int grow(struct match_side *s)
{
	size_t size = s->size ? 2 * s->size : 64;
	struct match_kept *grown = calloc(size, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	for (size_t i = 0; i < s->size; i++)
		grown[i] = s->queue[(s->first + i) % s->size];
	free(s->queue);
	s->queue = grown;
	s->first = 0;
	s->size = size;
	return 0;
}

/* Appends @item to the waiting ones. */
static int push(struct match_side *s, const struct source_item *item, const char *name, bool half)
{
	struct match_kept *kept;
	int err = s->n == s->size ? grow(s) : 0;

	if (err)
		return err;
	kept = &s->queue[(s->first + s->n) % s->size];
	err = match_keep(kept, item);
	if (err)
		return err;
	memcpy(kept->name, name, sizeof(kept->name));
	kept->half = half;
	s->n++;
	return 0;
}

const struct match_kept *match_side_ahead(struct match_side *s, size_t i)
{
	struct source_item item;

	/* The current one is the first of the queue, perhaps trimmed since. */
	if (!s->n && match_side_next(s)) {
		s->error = push(s, &s->item, s->name, s->half);
		if (!s->error)
			s->item = s->queue[s->first].item;
	}
	while (!s->error && s->n && s->n <= i && pull(s, &item))
		s->error = push(s, &item, s->pulled, s->pulled_half);
	if (s->error || i >= s->n)
		return NULL;
	if (!i && s->have) {
		struct match_kept *kept = &s->queue[s->first];

		kept->item.addr = s->item.addr;
		kept->item.code = s->item.code;
		kept->item.size = s->item.size;
		kept->item.n_insn = s->item.n_insn;
		kept->item.id = s->item.id;
	}
	return &s->queue[(s->first + i) % s->size];
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Words for packets of ITM and DWT, and back: a name, a number, a value and its size, words for
 * flags.  Documentation/format/itm.rst has them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "../line.h"
#include "../word.h"
#include "parts.h"

/* The parts of the text of a type: csf_packet.info as a number, a value, the words of flags. */
static const struct text {
	uint8_t type;
	bool has_info, has_value;
	const char *flag[2];
} texts[] = {
	{ CSF_PKT_ASYNC, .has_value = true },
	{ CSF_PKT_OVERFLOW },
	{ CSF_PKT_STIMULUS, .has_info = true, .has_value = true },
	{ CSF_PKT_HARDWARE, .has_info = true, .has_value = true },
	{ CSF_PKT_LOCAL_TIME, .has_value = true, .flag = { "late", "packet-late" } },
	{ CSF_PKT_GLOBAL_TIME1, .has_value = true, .flag = { "clock", "wrap" } },
	{ CSF_PKT_GLOBAL_TIME2, .has_value = true },
	{ CSF_PKT_EXTENSION, .has_value = true, .flag = { "hardware" } },
};

static const struct text *text_of(uint8_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i].type == type)
			return &texts[i];
	return NULL;
}

static const char *name_of(uint8_t type)
{
	for (size_t i = 0; i < ITM_ROWS; i++)
		if (itm_row[i].type == type)
			return itm_row[i].name;
	return "bad";
}

int itm_print(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n)
{
	const struct text *text = text_of(pkt->type);
	struct line line = line_begin(buf, n);

	if (!text) {
		line_put_bad(&line, pkt, pkt->info ? name_of(pkt->info) : NULL);
		return line.len;
	}
	line_put(&line, "%s", name_of(pkt->type));
	if (text->has_info)
		line_put(&line, " %u", pkt->info);
	if (pkt->type == CSF_PKT_ASYNC)
		line_put(&line, " %u", pkt->n);
	else if (text->has_value)
		line_put(&line, " 0x%" PRIx64 "/%u", pkt->val, pkt->n);
	for (unsigned int i = 0; i < ARRAY_SIZE(text->flag); i++)
		if (text->flag[i] && pkt->info >> i & 1)
			line_put(&line, " %s", text->flag[i]);
	return line.len;
}

/* -------- and back */

/* raw aa bb [+MORE] WHY [NAME] */
static bool parse_bad(struct word *w, struct csf_packet *pkt)
{
	int why;

	if (!word_take_raw(w, &pkt->val, &pkt->size))
		return false;
	why = word_take_one_of(w, bad_word, ARRAY_SIZE(bad_word));
	pkt->n = why < 0 ? CSF_BAD_RESERVED : why;
	for (unsigned int i = 0; i < ITM_ROWS; i++)
		if (word_take(w, itm_row[i].name))
			pkt->info = itm_row[i].type;
	return true;
}

static bool take_small(struct word *w, uint64_t max, uint8_t *v)
{
	const struct word back = *w;
	uint64_t wide;

	if (word_take_number(w, &wide) && wide <= max) {
		*v = wide;
		return true;
	}
	*w = back;
	return false;
}

/* VALUE/SIZE */
static bool take_value(struct word *w, struct csf_packet *pkt)
{
	const struct word back = *w;
	uint64_t size = UINT64_MAX;

	if (word_take_pair(w, '/', &pkt->val, &size) && size <= UINT8_MAX) {
		pkt->n = size;
		return true;
	}
	*w = back;
	return false;
}

static bool parse_fields(struct word *w, const struct text *text, struct csf_packet *pkt)
{
	if (text->has_info && !take_small(w, UINT8_MAX, &pkt->info))
		return false;
	if (text->type == CSF_PKT_ASYNC) {
		pkt->n = ITM_SYNC_ZEROS;
		if (w->len && !take_small(w, ITM_ZEROS_MAX, &pkt->n))
			return false;
	} else if (text->has_value && !take_value(w, pkt)) {
		return false;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(text->flag); i++)
		if (text->flag[i] && word_take(w, text->flag[i]))
			pkt->info |= 1 << i;
	return true;
}

static const struct text *take_name(struct word *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (word_take(w, name_of(texts[i].type)))
			return &texts[i];
	return NULL;
}

int itm_parse(const struct config *c, const char *text, struct csf_packet *pkt,
	      const char **where)
{
	struct word w = { .at = text };
	uint8_t bytes[CSF_PACKET_MAX];
	const struct text *row;
	bool good;

	*pkt = (struct csf_packet){ 0 };
	word_next(&w);
	row = take_name(&w);
	if (row)
		pkt->type = row->type;
	good = row ? parse_fields(&w, row, pkt) : word_take(&w, "raw") && parse_bad(&w, pkt);
	*where = w.at;
	if (!good || w.len)
		return CSF_ERR_ARG;
	if (!row)
		return 0;
	*where = text;
	pkt->size = itm_write(c, bytes, pkt);
	return pkt->size ? 0 : CSF_ERR_ARG;
}

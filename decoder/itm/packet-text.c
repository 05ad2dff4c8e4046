// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Words for packets of ITM and DWT, and back: a name, a number, a value and its size, words for
 * flags.  Documentation/format/itm.rst has them.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "parts.h"

/* What the text of a type has: csf_packet.info as a number, a value, the words of flags. */
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

static const char *const bad_words[] = { "reserved", "config", "sequence", "cut" };

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

/* A line in the making; @len counts on when @buf is full. */
struct line {
	char *buf;
	size_t n;
	size_t len;
};

static void __attribute__((format(printf, 2, 3))) put(struct line *line, const char *format, ...)
{
	const size_t room = line->len < line->n ? line->n - line->len : 0;
	va_list args;

	va_start(args, format);
	line->len += vsnprintf(room ? line->buf + line->len : NULL, room, format, args);
	va_end(args);
}

/* raw: up to 8 bytes, the number of further bytes, the reason. */
static void put_bad(struct line *line, const struct csf_packet *pkt)
{
	put(line, "raw");
	for (unsigned int i = 0; i < pkt->size && i < sizeof(pkt->val); i++)
		put(line, " %02x", (unsigned int)(pkt->val >> 8 * i & 0xff));
	if (pkt->size > sizeof(pkt->val))
		put(line, " +%u", (unsigned int)(pkt->size - sizeof(pkt->val)));
	put(line, " %s", bad_words[pkt->n < ARRAY_SIZE(bad_words) ? pkt->n : CSF_BAD_RESERVED]);
	if (pkt->info)
		put(line, " %s", name_of(pkt->info));
}

int itm_print(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n)
{
	const struct text *text = text_of(pkt->type);
	struct line line = { buf, n, 0 };

	if (n)
		buf[0] = 0;
	if (!text) {
		put_bad(&line, pkt);
		return line.len;
	}
	put(&line, "%s", name_of(pkt->type));
	if (text->has_info)
		put(&line, " %u", pkt->info);
	if (pkt->type == CSF_PKT_ASYNC)
		put(&line, " %u", pkt->n);
	else if (text->has_value)
		put(&line, " 0x%" PRIx64 "/%u", pkt->val, pkt->n);
	for (unsigned int i = 0; i < ARRAY_SIZE(text->flag); i++)
		if (text->flag[i] && pkt->info >> i & 1)
			put(&line, " %s", text->flag[i]);
	return line.len;
}

/* -------- and back */

static void skip_blanks(const char **at)
{
	*at += strspn(*at, " \t");
}

/* Length of the word at @at; 0: the text ends here. */
static size_t word_size(const char *at)
{
	return strcspn(at, " \t\r\n#");
}

/* If the next word is @word, goes past it. */
static bool take_word(const char **at, const char *word)
{
	const size_t n = strlen(word);

	skip_blanks(at);
	if (word_size(*at) != n || memcmp(*at, word, n))
		return false;
	*at += n;
	return true;
}

/* A number up to @max, decimal or 0x hexadecimal, and goes past it and @after. */
static bool take_number(const char **at, uint64_t max, char after, uint64_t *v)
{
	char *end;

	skip_blanks(at);
	if (**at < '0' || **at > '9')
		return false;
	*v = strtoull(*at, &end, (*at)[0] == '0' && (*at)[1] == 'x' ? 16 : 10);
	if (*v > max || (after ? *end != after : word_size(end)))
		return false;
	*at = end + !!after;
	return true;
}

/* A word of two hexadecimal digits. */
static bool take_byte(const char **at, uint8_t *byte)
{
	static const char digits[] = "0123456789abcdef";
	const char *high, *low;

	skip_blanks(at);
	if (word_size(*at) != 2)
		return false;
	high = memchr(digits, (*at)[0], 16);
	low = memchr(digits, (*at)[1], 16);
	if (!high || !low)
		return false;
	*byte = (high - digits) << 4 | (low - digits);
	*at += 2;
	return true;
}

/* What put_bad() has written. */
static bool parse_bad(const char **at, struct csf_packet *pkt)
{
	uint64_t more = 0;
	uint8_t byte;

	while (pkt->size < sizeof(pkt->val) && take_byte(at, &byte))
		pkt->val |= (uint64_t)byte << 8 * pkt->size++;
	skip_blanks(at);
	if (**at == '+') {
		++*at;
		if (pkt->size < sizeof(pkt->val) ||
		    !take_number(at, CSF_PACKET_MAX - sizeof(pkt->val), 0, &more))
			return false;
	}
	pkt->size += more;
	pkt->n = CSF_BAD_RESERVED;
	for (unsigned int i = 0; i < ARRAY_SIZE(bad_words); i++)
		if (take_word(at, bad_words[i])) {
			pkt->n = i;
			break;
		}
	for (unsigned int i = 0; i < ITM_ROWS; i++)
		if (take_word(at, itm_row[i].name))
			pkt->info = itm_row[i].type;
	return pkt->size;
}

static bool parse_fields(const char **at, const struct text *text, struct csf_packet *pkt)
{
	uint64_t v = 0;

	if (text->has_info && !take_number(at, UINT8_MAX, 0, &v))
		return false;
	pkt->info = v;
	if (text->type == CSF_PKT_ASYNC) {
		v = ITM_SYNC_ZEROS;
		skip_blanks(at);
		if (word_size(*at) && !take_number(at, ITM_ZEROS_MAX, 0, &v))
			return false;
		pkt->n = v;
	} else if (text->has_value) {
		if (!take_number(at, UINT64_MAX, '/', &pkt->val) ||
		    !take_number(at, UINT8_MAX, 0, &v))
			return false;
		pkt->n = v;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(text->flag); i++)
		if (text->flag[i] && take_word(at, text->flag[i]))
			pkt->info |= 1 << i;
	return true;
}

static const struct text *take_name(const char **at)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (take_word(at, name_of(texts[i].type)))
			return &texts[i];
	return NULL;
}

int itm_parse(const struct config *c, const char *text, struct csf_packet *pkt,
	      const char **where)
{
	uint8_t bytes[CSF_PACKET_MAX];
	const struct text *row;
	const char *at = text;
	bool good;

	*pkt = (struct csf_packet){ 0 };
	row = take_name(&at);
	if (row)
		pkt->type = row->type;
	good = row ? parse_fields(&at, row, pkt) : take_word(&at, "raw") && parse_bad(&at, pkt);
	skip_blanks(&at);
	*where = at;
	if (!good || word_size(at))
		return CSF_ERR_ARG;
	if (!row)
		return 0;
	*where = text;
	pkt->size = itm_write(c, bytes, pkt);
	return pkt->size ? 0 : CSF_ERR_ARG;
}

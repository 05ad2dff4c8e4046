// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Words to packets: the words that packet-text.c prints. */
#include <stdlib.h>

#include "packet-text.h"

/* A word of the text, and the place where the next may start. */
struct word {
	const char *at;
	size_t len;
};

static void next(struct word *w)
{
	w->at += w->len;
	w->at += strspn(w->at, " \t");
	w->len = strcspn(w->at, " \t\r\n#");
}

static bool take(struct word *w, const char *text)
{
	if (w->len != strlen(text) || memcmp(w->at, text, w->len))
		return false;
	next(w);
	return true;
}

/* One of @n words: returns its index, or -1. */
static int take_one_of(struct word *w, const char *const *words, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (words[i] && take(w, words[i]))
			return i;
	return -1;
}

/* A number of at most @max in the @n characters at @p. */
static bool number(const char *p, size_t n, uint64_t max, uint64_t *v)
{
	char *end;

	if (!n || *p < '0' || *p > '9')
		return false;
	*v = strtoull(p, &end, p[0] == '0' && n > 2 && p[1] == 'x' ? 16 : 10);
	return end == p + n && *v <= max;
}

static bool take_number(struct word *w, uint32_t max, uint32_t *v)
{
	uint64_t wide;

	if (!number(w->at, w->len, max, &wide))
		return false;
	next(w);
	*v = wide;
	return true;
}

/* "VALUE/BITS", or "VALUE" with all @bits; @key, which has the "=", comes before it. */
static bool take_value(struct word *w, const char *key, unsigned int bits, uint64_t *v, uint64_t *n)
{
	const size_t skip = strlen(key);
	const char *at = w->at + skip, *slash;
	size_t len = w->len - skip;

	if (w->len <= skip || memcmp(w->at, key, skip))
		return false;
	slash = memchr(at, '/', len);
	*n = bits;
	if (slash && !number(slash + 1, at + len - slash - 1, bits, n))
		return false;
	if (!number(at, slash ? (size_t)(slash - at) : len, UINT64_MAX, v))
		return false;
	next(w);
	return true;
}

/* "key=NUMBER"; @key has the "=". */
static bool take_key(struct word *w, const char *key, uint32_t *v)
{
	struct word back = *w;
	uint64_t wide, n;

	if (!take_value(w, key, 32, &wide, &n))
		return false;
	if (wide <= UINT32_MAX) {
		*v = wide;
		return true;
	}
	*w = back;
	return false;
}

/*
 * Parsers for what follows the name.  On failure they return false, with @w at the word that is
 * wrong.
 */

/* A full address names its instruction set. */
static bool addr(struct word *w, struct csf_packet *pkt)
{
	uint64_t n;
	int isa;

	if (!take_value(w, "", 32, &pkt->val, &n))
		return false;
	pkt->n = n;
	if (n < 32)
		return true;
	isa = take_one_of(w, etm3_isa_word, ARRAY_SIZE(etm3_isa_word));
	pkt->flags |= isa == ETM3_T32 ? CSF_PKT_IS1 : 0;
	pkt->info |= isa == ETM3_JAZELLE ? ETM3_INFO_JAZELLE : 0;
	return isa >= 0;
}

static bool security(struct word *w, struct csf_packet *pkt)
{
	if (take(w, "ns"))
		pkt->info |= ETM3_INFO_NS;
	else if (!take(w, "s"))
		return false;
	return true;
}

static bool isync(struct word *w, struct csf_packet *pkt)
{
	uint64_t n = 0;
	int reason;

	if (w->len && *w->at >= '0' && *w->at <= '9' && !addr(w, pkt))
		return false;
	reason = take_one_of(w, etm3_reason_word, ARRAY_SIZE(etm3_reason_word));
	if (reason < 0)
		return false;
	pkt->info |= reason << 5;
	if (!security(w, pkt))
		return false;
	pkt->info |= take(w, "hyp") ? ETM3_INFO_HYP : 0;
	pkt->info |= take(w, "alt") ? ETM3_INFO_ALT : 0;
	if (take_value(w, "lsip=", 32, &pkt->val2, &n))
		pkt->info |= ETM3_INFO_LSIP;
	pkt->commit = n;
	if (take_key(w, "cc=", &pkt->count))
		pkt->flags |= CSF_PKT_COUNT;
	take_key(w, "cid=", &pkt->contextid);
	return true;
}

static bool exception(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	char word[ETM3_WORD_MAX];
	uint32_t type = 0;

	if (!take_number(w, 511, &type)) {
		do {
			etm3_exception_word(c, type, word);
		} while (!take(w, word) && ++type < 512);
		if (type == 512)
			return false;
	}
	pkt->exception = type;
	pkt->flags |= CSF_PKT_CTXT;
	if (!security(w, pkt))
		return false;
	if (take(w, "hyp"))
		pkt->info |= ETM3_BRANCH_LONG | ETM3_INFO_HYP;
	else if (take(w, "nohyp") || type > 15)
		pkt->info |= ETM3_BRANCH_LONG;
	pkt->info |= take(w, "alt") ? ETM3_INFO_ALT : 0;
	pkt->info |= take(w, "cancel") ? ETM3_BRANCH_CANCEL : 0;
	pkt->info |= take_key(w, "resume=", &pkt->count) ? ETM3_BRANCH_RESUME : 0;
	return true;
}

static bool branch(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	uint32_t old;

	if (!addr(w, pkt))
		return false;
	if (!w->len)
		return true;
	if (!take_key(w, "old=", &old))
		return exception(w, c, pkt);
	pkt->exception = old;
	pkt->info |= ETM3_BRANCH_OLD | (take(w, "cancel") ? ETM3_BRANCH_CANCEL : 0);
	return true;
}

static bool atoms(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	char letters[ETM3_ATOMS_MAX];

	for (size_t i = 0; i < w->len; i++) {
		if (w->at[i] == 'W')
			pkt->count++;
		else if (w->at[i] == 'E' || w->at[i] == 'N')
			pkt->val |= (uint64_t)(w->at[i] == 'E') << pkt->n++;
		else
			return false;
		if (i == ETM3_ATOMS_MAX - 2)
			return false;
	}
	pkt->flags = c->etm3.cycles ? CSF_PKT_COUNT : 0;
	etm3_atom_letters(pkt, letters);
	return take(w, letters);
}

static bool timestamp(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	uint64_t n;

	if (!take_value(w, "", c->etm3.ts_bits, &pkt->val, &n))
		return false;
	pkt->n = n;
	pkt->info = take(w, "change");
	return true;
}

static bool value(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	uint64_t n;

	if (!c->etm3.values)
		return true;
	if (!take_value(w, "", 4, &pkt->val, &n))
		return false;
	pkt->n = n;
	return true;
}

static bool data_address(struct word *w, struct csf_packet *pkt)
{
	uint64_t n;

	if (take(w, "at")) {
		pkt->info |= ETM3_DATA_A;
		return true;
	}
	if (!take_value(w, "at=", 32, &pkt->val2, &n))
		return true;
	pkt->commit = n;
	pkt->flags = CSF_PKT_ADDR;
	pkt->info |= ETM3_DATA_A | (take(w, "big") ? ETM3_DATA_BIG : 0);
	return true;
}

static bool tag(struct word *w, struct csf_packet *pkt)
{
	uint32_t v;

	if (!take_number(w, 3, &v))
		return false;
	pkt->info = v << 4;
	return true;
}

/* Up to 8 bytes, and perhaps the words after them that say what is wrong. */
static bool bad(struct word *w, struct csf_packet *pkt)
{
	char *end;
	int why;

	for (; w->len == 2; next(w)) {
		const unsigned long byte = strtoul(w->at, &end, 16);

		if (end != w->at + 2 || pkt->size == sizeof(pkt->val))
			break;
		pkt->val |= (uint64_t)byte << 8 * pkt->size++;
	}
	why = take_one_of(w, etm3_bad_word, ARRAY_SIZE(etm3_bad_word));
	if (why < 0)
		return pkt->size;
	pkt->n = why;
	why = take_one_of(w, etm3_name, CSF_PKT_NR);
	pkt->info = why < 0 ? CSF_PKT_BAD : why;
	return pkt->size;
}

/* What follows the name.  Long because it is a flat switch over the types. */
static bool fields(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_BAD:
		return bad(w, pkt);
	case CSF_PKT_ISYNC:
		return isync(w, pkt);
	case CSF_PKT_BRANCH:
		return branch(w, c, pkt);
	case CSF_PKT_ATOM:
		return atoms(w, c, pkt);
	case CSF_PKT_TIME:
		return timestamp(w, c, pkt);
	case CSF_PKT_CYCLES:
		pkt->flags = CSF_PKT_COUNT;
		return take_number(w, UINT32_MAX, &pkt->count);
	case CSF_PKT_CTXTID:
		return take_number(w, UINT32_MAX, &pkt->contextid);
	case CSF_PKT_VMID:
		return take_number(w, 255, &pkt->vmid);
	case CSF_PKT_DATA:
		return value(w, c, pkt) && data_address(w, pkt);
	case CSF_PKT_DATA_LATE:
		return tag(w, pkt) && value(w, c, pkt);
	case CSF_PKT_DATA_PLACE:
		return tag(w, pkt) && data_address(w, pkt);
	case CSF_PKT_DATA_UNTRACED:
		return data_address(w, pkt);
	default:
		return true;
	}
}

int etm3_parse_packet(const struct config *c, const char *text, struct csf_packet *pkt,
		      const char **where)
{
	struct word w = { text, 0 };
	uint8_t bytes[CSF_PACKET_MAX];
	const char *start;
	int type;

	*pkt = (struct csf_packet){ 0 };
	next(&w);
	start = w.at;
	type = take(&w, "raw") ? CSF_PKT_BAD : take_one_of(&w, etm3_name, CSF_PKT_NR);
	pkt->type = type;
	if (type < 0 || !fields(&w, c, pkt) || w.len) {
		*where = w.at;
		return CSF_ERR_ARG;
	}
	if (type == CSF_PKT_BAD)
		return 0;
	pkt->size = etm3_write_packet(c, bytes, pkt);
	if (pkt->size)
		return 0;
	*where = start;
	return CSF_ERR_ARG;
}

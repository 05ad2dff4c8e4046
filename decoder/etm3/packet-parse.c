// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Words to packets: the words that packet-text.c prints. */
#include "../word.h"
#include "packet-text.h"

static bool take_number(struct word *w, uint32_t max, uint32_t *v)
{
	const struct word back = *w;

	if (word_take_number32(w, v) && *v <= max)
		return true;
	*w = back;
	return false;
}

/* "VALUE/BITS", or "VALUE" with all @bits; @key, which has the "=", comes before it. */
static bool take_value(struct word *w, const char *key, unsigned int bits, uint64_t *v, uint64_t *n)
{
	const size_t skip = strlen(key);
	struct word rest = { w->at + skip, w->len - skip };

	if (w->len <= skip || memcmp(w->at, key, skip))
		return false;
	*n = bits;
	if (!word_take_pair(&rest, '/', v, n) || *n > bits)
		return false;
	*w = rest;
	return true;
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
	isa = word_take_one_of(w, etm3_isa_word, ARRAY_SIZE(etm3_isa_word));
	pkt->flags |= isa == ETM3_T32 ? CSF_PKT_IS1 : 0;
	pkt->info |= isa == ETM3_JAZELLE ? ETM3_INFO_JAZELLE : 0;
	return isa >= 0;
}

static bool security(struct word *w, struct csf_packet *pkt)
{
	if (word_take(w, "ns"))
		pkt->info |= ETM3_INFO_NS;
	else if (!word_take(w, "s"))
		return false;
	return true;
}

static bool isync(struct word *w, struct csf_packet *pkt)
{
	uint64_t n = 0;
	int reason;

	if (w->len && *w->at >= '0' && *w->at <= '9' && !addr(w, pkt))
		return false;
	reason = word_take_one_of(w, etm3_reason_word, ARRAY_SIZE(etm3_reason_word));
	if (reason < 0)
		return false;
	pkt->info |= reason << 5;
	if (!security(w, pkt))
		return false;
	pkt->info |= word_take(w, "hyp") ? ETM3_INFO_HYP : 0;
	pkt->info |= word_take(w, "alt") ? ETM3_INFO_ALT : 0;
	if (take_value(w, "lsip=", 32, &pkt->val2, &n))
		pkt->info |= ETM3_INFO_LSIP;
	pkt->commit = n;
	if (word_take_key32(w, "cc=", &pkt->count))
		pkt->flags |= CSF_PKT_COUNT;
	word_take_key32(w, "cid=", &pkt->contextid);
	return true;
}

static bool exception(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	char word[ETM3_WORD_MAX];
	uint32_t type = 0;

	if (!take_number(w, 511, &type)) {
		do {
			etm3_exception_word(c, type, word);
		} while (!word_take(w, word) && ++type < 512);
		if (type == 512)
			return false;
	}
	pkt->exception = type;
	pkt->flags |= CSF_PKT_CTXT;
	if (!security(w, pkt))
		return false;
	if (word_take(w, "hyp"))
		pkt->info |= ETM3_BRANCH_LONG | ETM3_INFO_HYP;
	else if (word_take(w, "nohyp") || type > 15)
		pkt->info |= ETM3_BRANCH_LONG;
	pkt->info |= word_take(w, "alt") ? ETM3_INFO_ALT : 0;
	pkt->info |= word_take(w, "cancel") ? ETM3_BRANCH_CANCEL : 0;
	pkt->info |= word_take_key32(w, "resume=", &pkt->count) ? ETM3_BRANCH_RESUME : 0;
	return true;
}

static bool branch(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	uint32_t old;

	if (!addr(w, pkt))
		return false;
	if (!w->len)
		return true;
	if (!word_take_key32(w, "old=", &old))
		return exception(w, c, pkt);
	pkt->exception = old;
	pkt->info |= ETM3_BRANCH_OLD | (word_take(w, "cancel") ? ETM3_BRANCH_CANCEL : 0);
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
	return word_take(w, letters);
}

static bool timestamp(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	uint64_t n;

	if (!take_value(w, "", c->etm3.ts_bits, &pkt->val, &n))
		return false;
	pkt->n = n;
	pkt->info = word_take(w, "change");
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

	if (word_take(w, "at")) {
		pkt->info |= ETM3_DATA_A;
		return true;
	}
	if (!take_value(w, "at=", 32, &pkt->val2, &n))
		return true;
	pkt->commit = n;
	pkt->flags = CSF_PKT_ADDR;
	pkt->info |= ETM3_DATA_A | (word_take(w, "big") ? ETM3_DATA_BIG : 0);
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

/* raw aa bb [+MORE] [WHY [NAME]] */
static bool bad(struct word *w, struct csf_packet *pkt)
{
	int why;

	if (!word_take_raw(w, &pkt->val, &pkt->size))
		return false;
	why = word_take_one_of(w, etm3_bad_word, ARRAY_SIZE(etm3_bad_word));
	if (why < 0)
		return true;
	pkt->n = why;
	why = word_take_one_of(w, etm3_name, CSF_PKT_NR);
	pkt->info = why < 0 ? CSF_PKT_BAD : why;
	return true;
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
	word_next(&w);
	start = w.at;
	type = word_take(&w, "raw") ? CSF_PKT_BAD : word_take_one_of(&w, etm3_name, CSF_PKT_NR);
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

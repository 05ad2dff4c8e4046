// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Words to packets: the words that packet-text.c prints, and some that are easier to type. */
#include "../line.h"
#include "../word.h"
#include "packet-text.h"

static bool take_el(struct word *w, unsigned int *el)
{
	if (w->len != 3 || memcmp(w->at, "el", 2) || w->at[2] < '0' || w->at[2] > '3')
		return false;
	*el = w->at[2] - '0';
	word_next(w);
	return true;
}

/*
 * Parsers for what follows the name.  On failure they return false, with @w at the word that is
 * wrong.
 */

static bool atoms(struct word *w, struct csf_packet *pkt)
{
	if (w->len > 24)
		return false;
	for (size_t i = 0; i < w->len; i++) {
		if (w->at[i] != 'E' && w->at[i] != 'N')
			return false;
		pkt->val |= (uint64_t)(w->at[i] == 'E') << i;
	}
	pkt->n = w->len;
	word_next(w);
	return true;
}

static bool context(struct word *w, struct csf_packet *pkt)
{
	unsigned int el;
	int state;

	pkt->flags |= CSF_PKT_CTXT;
	if (!take_el(w, &el))
		return false;
	state = word_take_one_of(w, packet_state_word, ARRAY_SIZE(packet_state_word));
	if (state < 0)
		return false;

	pkt->info = el | (state & 1) << 5 | (state & 2) << 2;
	if (word_take(w, "64"))
		pkt->info |= 0x10;
	else if (!word_take(w, "32"))
		return false;
	if (word_take_key32(w, "vmid=", &pkt->vmid))
		pkt->info |= 0x40;
	if (word_take_key32(w, "cid=", &pkt->contextid))
		pkt->info |= 0x80;
	return true;
}

/* Value and number of bits, @bits at most; one less for a short address with IS1. */
static bool addr(struct word *w, unsigned int bits, struct csf_packet *pkt)
{
	uint64_t n = bits - (bits < 32 && pkt->flags & CSF_PKT_IS1);
	struct word back = *w;

	if (!word_take_pair(w, '/', &pkt->val, &n))
		return false;
	if (n <= bits) {
		pkt->n = n;
		return true;
	}
	*w = back;
	return false;
}

/* "cond=N" and the words of the INFO section. */
static bool info_word(struct word *w, struct csf_packet *pkt)
{
	struct word back = *w;
	uint64_t cond;
	int bit;

	bit = word_take_one_of(w, packet_info_word, ARRAY_SIZE(packet_info_word));
	if (bit >= 0) {
		pkt->val |= BIT(bit);
		return true;
	}
	if (word_take_key(w, "cond=", &cond) && cond < 8) {
		pkt->val |= cond << 1;
		return true;
	}
	*w = back;
	return word_take_key(w, "info=", &pkt->val);
}

static bool info(struct word *w, struct csf_packet *pkt)
{
	for (;;) {
		if (info_word(w, pkt))
			pkt->info |= BIT(0);
		else if (word_take_key(w, "key=", &pkt->val2))
			pkt->info |= BIT(1);
		else if (word_take_key32(w, "spec=", &pkt->commit))
			pkt->info |= BIT(2);
		else if (word_take_key32(w, "cyct=", &pkt->count))
			pkt->info |= BIT(3);
		else if (word_take(w, "wndw"))
			pkt->info |= BIT(4);
		else
			return true;
	}
}

/* Without a number of bits, all bits of the value. */
static bool timestamp(struct word *w, struct csf_packet *pkt)
{
	uint64_t n = 64;
	struct word back = *w;

	if (!word_take_pair(w, '/', &pkt->val, &n))
		return false;
	if (n > 64) {
		*w = back;
		return false;
	}
	pkt->n = n;
	if (word_take_key32(w, "cc=", &pkt->count))
		pkt->flags |= CSF_PKT_COUNT;
	return true;
}

static bool exception(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	char word[PACKET_WORD_MAX];
	uint64_t type = 0;
	int e;

	if (!word_number(w->at, w->len, &type))
		for (; type < 1024; type++) {
			packet_exception_word(c, type, word);
			if (word_is(w, word))
				break;
		}
	if (type > 1023)
		return false;
	word_next(w);
	pkt->exception = type;

	e = word_take_one_of(w, packet_return_word, ARRAY_SIZE(packet_return_word));
	pkt->n = e < 0 ? 1 : e;
	if (word_take(w, "fault"))
		pkt->info = 0x20;
	if (word_take(w, "unknown"))
		pkt->flags = CSF_PKT_UNKNOWN;
	return true;
}

static bool cycles(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	if (word_take_key32(w, "count=", &pkt->count))
		pkt->flags = CSF_PKT_COUNT;
	else if (!word_take(w, "unknown"))
		return false;

	pkt->info = pkt->type == CSF_PKT_CC2;
	if (pkt->info && word_take(w, "commit=max"))
		return !c->etm4.commopt;
	if (pkt->info && word_take_key32(w, "commit=max-", &pkt->commit)) {
		pkt->commit = -pkt->commit;
		return true;
	}

	if (!word_take_key32(w, "commit=", &pkt->commit))
		return !pkt->info || c->etm4.commopt;
	pkt->info = 0;
	return true;
}

static bool cond_r1(struct word *w, struct csf_packet *pkt)
{
	uint64_t *const result[2] = { &pkt->val, &pkt->val2 };

	pkt->info |= word_take(w, "ci0") ? 1 : 0;
	pkt->info |= word_take(w, "ci1") ? 2 : 0;
	while (pkt->n < 2 && w->len) {
		uint64_t value, key = 0;
		struct word back = *w;

		if (!word_take_pair(w, ':', &value, &key))
			return false;
		if (value > 15 || key >> 60) {
			*w = back;
			return false;
		}
		*result[pkt->n++] = value | key << 4;
	}
	return pkt->n;
}

/* raw aa bb [+MORE] [WHY [NAME]] */
static bool bad(struct word *w, struct csf_packet *pkt)
{
	int why;

	if (!word_take_raw(w, &pkt->val, &pkt->size))
		return false;
	why = word_take_one_of(w, bad_word, ARRAY_SIZE(bad_word));
	if (why < 0)
		return true;
	pkt->n = why;
	for (unsigned int type = 1; type < CSF_PKT_NR; type++)
		if (word_take(w, packet_name(type))) {
			pkt->info = type;
			break;
		}
	return true;
}

static bool q(struct word *w, struct csf_packet *pkt)
{
	if (!w->len)
		return true;
	if (!word_take_number32(w, &pkt->count))
		return false;
	pkt->flags = CSF_PKT_COUNT;
	if (!w->len)
		return true;

	pkt->flags |= CSF_PKT_ADDR;
	if (word_take(w, "addr.same")) {
		pkt->flags |= CSF_PKT_MATCH;
		return word_take_number(w, &pkt->val);
	}
	if (word_take(w, "addr.s"))
		return addr(w, 17, pkt);
	if (word_take(w, "addr32"))
		return addr(w, 32, pkt);

	pkt->flags |= CSF_PKT_IS1;
	if (word_take(w, "addr.s.is1"))
		return addr(w, 17, pkt);
	return word_take(w, "addr32.is1") && addr(w, 32, pkt);
}

static bool ite(struct word *w, struct csf_packet *pkt)
{
	unsigned int el;

	if (!take_el(w, &el))
		return false;
	pkt->n = el;
	return word_take_number(w, &pkt->val);
}

/* The words after the name.  Long because it is a flat switch over the types. */
static bool fields(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_BAD:
		return bad(w, pkt);
	case CSF_PKT_INFO:
		return info(w, pkt);
	case CSF_PKT_TIME:
		return timestamp(w, pkt);
	case CSF_PKT_EXCEPTION:
		return exception(w, c, pkt);
	case CSF_PKT_ITE:
		return ite(w, pkt);
	case CSF_PKT_CC1:
	case CSF_PKT_CC2:
	case CSF_PKT_CC3:
		return cycles(w, c, pkt);
	case CSF_PKT_COMMIT:
		return word_take_number32(w, &pkt->count);
	case CSF_PKT_CANCEL1:
		if (!word_take_number32(w, &pkt->count))
			return false;
		pkt->flags = word_take(w, "misp") ? CSF_PKT_MISP : 0;
		return true;
	case CSF_PKT_CANCEL2:
		pkt->count = 1;
		pkt->flags = CSF_PKT_MISP;
		return atoms(w, pkt);
	case CSF_PKT_CANCEL3:
		pkt->flags = CSF_PKT_MISP;
		return word_take_number32(w, &pkt->count) && atoms(w, pkt);
	case CSF_PKT_MISPREDICT:
	case CSF_PKT_ATOM:
		return atoms(w, pkt);
	case CSF_PKT_CONTEXT:
		return word_take(w, "same") || context(w, pkt);
	case CSF_PKT_ADDR_CTXT32:
		return addr(w, 32, pkt) && context(w, pkt);
	case CSF_PKT_ADDR_CTXT64:
		return addr(w, 64, pkt) && context(w, pkt);
	case CSF_PKT_ADDR_SHORT:
	case CSF_PKT_SRC_SHORT:
		return addr(w, 17, pkt);
	case CSF_PKT_ADDR32:
	case CSF_PKT_SRC32:
		return addr(w, 32, pkt);
	case CSF_PKT_ADDR64:
	case CSF_PKT_SRC64:
		return addr(w, 64, pkt);
	case CSF_PKT_Q:
		return q(w, pkt);
	case CSF_PKT_COND_R1:
		return cond_r1(w, pkt);
	case CSF_PKT_COND_I3:
		if (!word_take_number(w, &pkt->val))
			return false;
		pkt->val |= word_take(w, "z") ? 0x40 : 0;
		return true;
	case CSF_PKT_EVENT:
	case CSF_PKT_COND_I1:
	case CSF_PKT_COND_R3:
	case CSF_PKT_DSYNC_N:
	case CSF_PKT_DSYNC_U:
	case CSF_PKT_COND_I2:
	case CSF_PKT_COND_R2:
	case CSF_PKT_COND_R4:
	case CSF_PKT_ADDR_MATCH:
	case CSF_PKT_SRC_MATCH:
		return word_take_number(w, &pkt->val);
	default:
		return true;
	}
}

static int type_named(const struct word *w)
{
	static const struct {
		const char *name;
		uint8_t type;
	} other[] = {
		{ "raw", CSF_PKT_BAD },
		{ "cancel", CSF_PKT_CANCEL1 },
		{ "mispredict", CSF_PKT_MISPREDICT },
		{ "addr64", CSF_PKT_ADDR64 },
		{ "addr64.ctx", CSF_PKT_ADDR_CTXT64 },
		{ "src64", CSF_PKT_SRC64 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		if (word_is(w, other[i].name))
			return other[i].type;
	for (unsigned int type = 1; type < CSF_PKT_NR; type++)
		if (word_is(w, packet_name(type)))
			return type;
	return -1;
}

/* Only addresses with a value come in two forms. */
static bool has_is1(int type)
{
	switch (type) {
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_ADDR_CTXT64:
	case CSF_PKT_ADDR_SHORT:
	case CSF_PKT_ADDR32:
	case CSF_PKT_ADDR64:
	case CSF_PKT_SRC_SHORT:
	case CSF_PKT_SRC32:
	case CSF_PKT_SRC64:
		return true;
	default:
		return false;
	}
}

/* The name, and ".is1" after it. */
static bool name(struct word *w, struct csf_packet *pkt)
{
	struct word stem = *w;
	int type;

	if (w->len > 4 && !memcmp(w->at + w->len - 4, ".is1", 4)) {
		stem.len -= 4;
		pkt->flags = CSF_PKT_IS1;
	}

	type = type_named(&stem);
	if (type < 0 || (pkt->flags && !has_is1(type)))
		return false;
	pkt->type = type;
	word_next(w);
	return true;
}

int packet_parse(const struct config *c, const char *text, struct csf_packet *pkt,
		 const char **where)
{
	uint8_t bytes[CSF_PACKET_MAX];
	struct word w = { text, 0 };
	const char *start;

	*pkt = (struct csf_packet){ 0 };
	word_next(&w);
	start = w.at;
	if (!name(&w, pkt) || !fields(&w, c, pkt) || w.len) {
		*where = w.at;
		return CSF_ERR_ARG;
	}
	if (pkt->type == CSF_PKT_BAD)
		return 0;

	pkt->size = packet_write(c, bytes, pkt);
	if (pkt->size)
		return 0;
	*where = start;
	return CSF_ERR_ARG;
}

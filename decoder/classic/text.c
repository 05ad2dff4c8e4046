// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>

#include "text.h"

const char *const classic_reason_word[4] = { "periodic", "on", "overflow", "debug" };

const char *const classic_exception_word[CLASSIC_EXCEPTION_WORDS] = {
	"none", "debug.halt", "smc", "hyp.entry", "async.abort", "thumbee.check", NULL, NULL,
	"reset", "undef", "svc", "prefetch.abort", "data.abort", "generic", "irq", "fiq",
};

/* Indexed by enum classic_isa. */
static const char *const isa_word[3] = { "a32", "t32", "jazelle" };

/* -------- to words */

void classic_put_addr(struct line *line, const struct csf_packet *pkt)
{
	if (pkt->n < 32)
		line_put(line, " 0x%" PRIx64 "/%u", pkt->val, pkt->n);
	else
		line_put(line, " 0x%" PRIx64 " %s", pkt->val, isa_word[classic_isa(pkt)]);
}

void classic_put_state(struct line *line, const struct csf_packet *pkt)
{
	line_put(line, " %s%s%s", pkt->info & CLASSIC_INFO_NS ? "ns" : "s",
		 pkt->info & CLASSIC_INFO_HYP ? " hyp" : "",
		 pkt->info & CLASSIC_INFO_ALT ? " alt" : "");
}

void classic_put(struct line *line, const struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_TIME:
		line_put(line, " 0x%" PRIx64 "/%u%s", pkt->val, pkt->n,
			 pkt->info ? " change" : "");
		break;
	case CSF_PKT_VMID:
		line_put(line, " 0x%" PRIx32, pkt->vmid);
		break;
	case CSF_PKT_CTXTID:
		line_put(line, " 0x%" PRIx32, pkt->contextid);
		break;
	default:
		break;
	}
}

static const char *name_of(const struct classic_text *text, unsigned int type)
{
	return type < CSF_PKT_NR ? text->name[type] : NULL;
}

int classic_print(const struct classic_text *text, const struct config *c,
		  const struct csf_packet *pkt, char *buf, size_t n)
{
	struct line line = line_begin(buf, n);
	const char *name = name_of(text, pkt->type);

	if (!name) {
		line_put_bad(&line, pkt, name_of(text, pkt->info));
		return line.len;
	}
	line_put(&line, "%s", name);
	text->put(&line, c, pkt);
	return line.len;
}

/* -------- and back */

bool classic_take_value(struct word *w, const char *key, unsigned int bits, uint64_t *v,
			uint64_t *n)
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

bool classic_take_addr(struct word *w, struct csf_packet *pkt)
{
	uint64_t n;
	int isa;

	if (!classic_take_value(w, "", 32, &pkt->val, &n))
		return false;
	pkt->n = n;
	if (n < 32)
		return true;
	isa = word_take_one_of(w, isa_word, ARRAY_SIZE(isa_word));
	pkt->flags |= isa == CLASSIC_T32 ? CSF_PKT_IS1 : 0;
	pkt->info |= isa == CLASSIC_JAZELLE ? CLASSIC_INFO_JAZELLE : 0;
	return isa >= 0;
}

bool classic_take_security(struct word *w, struct csf_packet *pkt)
{
	const bool ns = word_take(w, "ns");

	pkt->info |= ns ? CLASSIC_INFO_NS : 0;
	return ns || word_take(w, "s");
}

bool classic_take_state_words(struct word *w, struct csf_packet *pkt)
{
	if (!classic_take_security(w, pkt))
		return false;
	pkt->info |= word_take(w, "hyp") ? CLASSIC_INFO_HYP : 0;
	pkt->info |= word_take(w, "alt") ? CLASSIC_INFO_ALT : 0;
	return true;
}

bool classic_take_reason(struct word *w, struct csf_packet *pkt)
{
	const int reason = word_take_one_of(w, classic_reason_word,
					    ARRAY_SIZE(classic_reason_word));

	if (reason >= 0)
		pkt->info |= reason << 5;
	return reason >= 0;
}

static bool timestamp(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	uint64_t n;

	if (!classic_take_value(w, "", c->classic.ts_bits, &pkt->val, &n))
		return false;
	pkt->n = n;
	pkt->info = word_take(w, "change");
	return true;
}

bool classic_take(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_TIME:
		return timestamp(w, c, pkt);
	case CSF_PKT_CTXTID:
		return word_take_number32(w, &pkt->contextid);
	case CSF_PKT_VMID:
		return word_take_number32(w, &pkt->vmid);
	default:
		return true;
	}
}

/* raw aa bb [+MORE] [WHY [NAME]] */
static bool bad(const struct classic_text *text, struct word *w, struct csf_packet *pkt)
{
	int why;

	if (!word_take_raw(w, &pkt->val, &pkt->size))
		return false;
	why = word_take_one_of(w, bad_word, ARRAY_SIZE(bad_word));
	if (why < 0)
		return true;
	pkt->n = why;
	why = word_take_one_of(w, text->name, CSF_PKT_NR);
	pkt->info = why < 0 ? CSF_PKT_BAD : why;
	return true;
}

int classic_parse(const struct classic_text *text, const struct config *c, const char *words,
		  struct csf_packet *pkt, const char **where)
{
	struct word w = { words, 0 };
	uint8_t bytes[CSF_PACKET_MAX];
	const char *start;
	bool raw;
	int type;

	*pkt = (struct csf_packet){ 0 };
	word_next(&w);
	start = w.at;
	raw = word_take(&w, "raw");
	type = raw ? CSF_PKT_BAD : word_take_one_of(&w, text->name, CSF_PKT_NR);
	pkt->type = type;
	if (type < 0 || !(raw ? bad(text, &w, pkt) : text->take(&w, c, pkt)) || w.len) {
		*where = w.at;
		return CSF_ERR_ARG;
	}
	if (raw)
		return 0;
	pkt->size = text->write(c, bytes, pkt);
	if (pkt->size)
		return 0;
	*where = start;
	return CSF_ERR_ARG;
}

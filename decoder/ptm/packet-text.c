// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Words for packets, and back: those that only PTM has. */
#include <inttypes.h>

#include "../classic/text.h"
#include "packet.h"

static const char *const name[CSF_PKT_NR] = {
	[CSF_PKT_ASYNC] = "async",	[CSF_PKT_ISYNC] = "isync",
	[CSF_PKT_BRANCH] = "branch",	[CSF_PKT_WAYPOINT] = "waypoint",
	[CSF_PKT_ATOM] = "atom",	[CSF_PKT_TIME] = "time",
	[CSF_PKT_CTXTID] = "cid",	[CSF_PKT_VMID] = "vmid",
	[CSF_PKT_TRIGGER] = "trigger",	[CSF_PKT_IGNORE] = "ignore",
	[CSF_PKT_ERET] = "eret",
};

/* -------- to words */

static void put_exception(struct line *line, const struct csf_packet *pkt)
{
	const char *word = NULL;

	if (pkt->exception < CLASSIC_EXCEPTION_WORDS)
		word = classic_exception_word[pkt->exception];
	if (word)
		line_put(line, " %s", word);
	else
		line_put(line, " 0x%x", pkt->exception);
	classic_put_state(line, pkt);
}

static void put_atoms(struct line *line, const struct csf_packet *pkt)
{
	line_put(line, " ");
	for (unsigned int i = 0; i < pkt->n && i < 5; i++)
		line_put(line, "%c", pkt->val >> i & 1 ? 'E' : 'N');
}

static void put_fields(struct line *line, const struct config *c, const struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ISYNC:
		classic_put_addr(line, pkt);
		line_put(line, " %s", classic_reason_word[CLASSIC_INFO_REASON(pkt->info)]);
		classic_put_state(line, pkt);
		break;
	case CSF_PKT_BRANCH:
		classic_put_addr(line, pkt);
		if (pkt->flags & CSF_PKT_CTXT)
			put_exception(line, pkt);
		break;
	case CSF_PKT_WAYPOINT:
		classic_put_addr(line, pkt);
		if (pkt->flags & CSF_PKT_CTXT)
			line_put(line, pkt->info & CLASSIC_INFO_ALT ? " alt" : " noalt");
		break;
	case CSF_PKT_ATOM:
		put_atoms(line, pkt);
		break;
	default:
		classic_put(line, pkt);
		break;
	}
	if (pkt->flags & CSF_PKT_COUNT)
		line_put(line, " cc=%" PRIu32, pkt->count);
	if (pkt->type == CSF_PKT_ISYNC && c->classic.cid_size)
		line_put(line, " cid=0x%" PRIx32, pkt->contextid);
}

/* -------- and back */

static bool cycles(struct word *w, struct csf_packet *pkt)
{
	if (word_take_key32(w, "cc=", &pkt->count))
		pkt->flags |= CSF_PKT_COUNT;
	return true;
}

static bool isync(struct word *w, struct csf_packet *pkt)
{
	if (!classic_take_addr(w, pkt) || !classic_take_reason(w, pkt) ||
	    !classic_take_state_words(w, pkt))
		return false;
	cycles(w, pkt);
	word_take_key32(w, "cid=", &pkt->contextid);
	return true;
}

static bool exception(struct word *w, struct csf_packet *pkt)
{
	int word = word_take_one_of(w, classic_exception_word, ARRAY_SIZE(classic_exception_word));
	uint32_t type = word;

	if (word < 0 && !word_take_number32(w, &type))
		return false;
	pkt->exception = type;
	pkt->flags |= CSF_PKT_CTXT;
	return type < 512 && classic_take_state_words(w, pkt);
}

static bool branch(struct word *w, struct csf_packet *pkt)
{
	if (!classic_take_addr(w, pkt))
		return false;
	if (w->len && (w->len < 3 || memcmp(w->at, "cc=", 3)) && !exception(w, pkt))
		return false;
	return cycles(w, pkt);
}

static bool waypoint(struct word *w, struct csf_packet *pkt)
{
	if (!classic_take_addr(w, pkt))
		return false;
	if (word_take(w, "alt"))
		pkt->info |= CLASSIC_INFO_ALT;
	else if (!word_take(w, "noalt"))
		return true;
	pkt->flags |= CSF_PKT_CTXT;
	return true;
}

static bool atoms(struct word *w, struct csf_packet *pkt)
{
	if (!w->len || w->len > 5 || strspn(w->at, "EN") < w->len)
		return false;
	for (size_t i = 0; i < w->len; i++)
		pkt->val |= (uint64_t)(w->at[i] == 'E') << i;
	pkt->n = w->len;
	word_next(w);
	return cycles(w, pkt);
}

static bool fields(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ISYNC:
		return isync(w, pkt);
	case CSF_PKT_BRANCH:
		return branch(w, pkt);
	case CSF_PKT_WAYPOINT:
		return waypoint(w, pkt);
	case CSF_PKT_ATOM:
		return atoms(w, pkt);
	case CSF_PKT_TIME:
		return classic_take(w, c, pkt) && cycles(w, pkt);
	default:
		return classic_take(w, c, pkt);
	}
}

static const struct classic_text words = {
	.name = name, .put = put_fields, .take = fields, .write = ptm_write_packet,
};

int ptm_print_packet(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n)
{
	return classic_print(&words, c, pkt, buf, n);
}

int ptm_parse_packet(const struct config *c, const char *text, struct csf_packet *pkt,
		     const char **where)
{
	return classic_parse(&words, c, text, pkt, where);
}

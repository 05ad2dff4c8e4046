// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Words for packets, and back: those that only ETMv3 has. */
#include <inttypes.h>
#include <stdio.h>

#include "../classic/text.h"
#include "packet.h"

#define WORD_MAX	16	/* size of the buffer for the word of an exception */
#define ATOMS_MAX	20	/* size of the buffer for the letters of a packet of atoms */

static const char *const name[CSF_PKT_NR] = {
	[CSF_PKT_ASYNC] = "async",		[CSF_PKT_ISYNC] = "isync",
	[CSF_PKT_BRANCH] = "branch",		[CSF_PKT_ATOM] = "atom",
	[CSF_PKT_TIME] = "time",		[CSF_PKT_CYCLES] = "cycles",
	[CSF_PKT_CTXTID] = "cid",		[CSF_PKT_VMID] = "vmid",
	[CSF_PKT_TRIGGER] = "trigger",		[CSF_PKT_IGNORE] = "ignore",
	[CSF_PKT_ERET] = "eret",		[CSF_PKT_EXC_ENTRY] = "exc.entry",
	[CSF_PKT_DATA] = "data",		[CSF_PKT_DATA_PLACE] = "data.place",
	[CSF_PKT_DATA_LATE] = "data.late",	[CSF_PKT_DATA_UNTRACED] = "data.untraced",
	[CSF_PKT_DATA_FAILED] = "data.failed",	[CSF_PKT_DATA_LOST] = "data.lost",
};

static const char *const exception_word_m[] = {
	"none", "irq1", "irq2", "irq3", "irq4", "irq5", "irq6", "irq7", "irq0", "usagefault",
	"nmi", "svc", "debug.mon", "memmanage", "pendsv", "systick", [17] = "reset",
	[19] = "hardfault", [21] = "busfault",
};

/* The word for an exception in this profile; "0x.." if it has none. */
static void exception_text(const struct config *c, unsigned int exception, char word[WORD_MAX])
{
	const bool m = c->profile == CSF_PROFILE_M;
	const char *const *words = m ? exception_word_m : classic_exception_word;
	const size_t n = m ? ARRAY_SIZE(exception_word_m) : CLASSIC_EXCEPTION_WORDS;

	if (exception < n && words[exception])
		snprintf(word, WORD_MAX, "%s", words[exception]);
	else if (m && exception >= 24)
		snprintf(word, WORD_MAX, "irq%u", exception - 16);
	else
		snprintf(word, WORD_MAX, "0x%02x", exception);
}

/* The letters of a packet of atoms: E, N, and W for a cycle, oldest first. */
static void atom_letters(const struct csf_packet *pkt, char letters[ATOMS_MAX])
{
	const bool each = pkt->n > 1 && pkt->count == pkt->n;
	unsigned int n = 0;

	for (unsigned int i = 0; i < (each ? 0 : pkt->count) && i < 8; i++)
		letters[n++] = 'W';
	for (unsigned int i = 0; i < pkt->n && n < ATOMS_MAX - 2; i++) {
		if (each)
			letters[n++] = 'W';
		letters[n++] = pkt->val >> i & 1 ? 'E' : 'N';
	}
	letters[n] = '\0';
}

static void put_exception(struct line *line, const struct config *c, const struct csf_packet *pkt)
{
	char word[WORD_MAX];

	exception_text(c, pkt->exception, word);
	line_put(line, " %s %s", word, pkt->info & CLASSIC_INFO_NS ? "ns" : "s");
	if (pkt->info & ETM3_BRANCH_LONG)
		line_put(line, pkt->info & CLASSIC_INFO_HYP ? " hyp" : " nohyp");
	line_put(line, "%s%s", pkt->info & CLASSIC_INFO_ALT ? " alt" : "",
		 pkt->info & ETM3_BRANCH_CANCEL ? " cancel" : "");
	if (pkt->info & ETM3_BRANCH_RESUME)
		line_put(line, " resume=%" PRIu32, pkt->count);
}

static void put_branch(struct line *line, const struct config *c, const struct csf_packet *pkt)
{
	classic_put_addr(line, pkt);
	if (pkt->info & ETM3_BRANCH_OLD)
		line_put(line, " old=%u%s", pkt->exception,
			 pkt->info & ETM3_BRANCH_CANCEL ? " cancel" : "");
	else if (pkt->flags & CSF_PKT_CTXT)
		put_exception(line, c, pkt);
}

static void put_isync(struct line *line, const struct config *c, const struct csf_packet *pkt)
{
	if (pkt->n)
		classic_put_addr(line, pkt);
	line_put(line, " %s", classic_reason_word[CLASSIC_INFO_REASON(pkt->info)]);
	classic_put_state(line, pkt);
	if (pkt->commit)
		line_put(line, " lsip=0x%" PRIx64 "/%" PRIu32, pkt->val2, pkt->commit);
	if (pkt->flags & CSF_PKT_COUNT)
		line_put(line, " cc=%" PRIu32, pkt->count);
	if (c->classic.cid_size)
		line_put(line, " cid=0x%" PRIx32, pkt->contextid);
}

static void put_value(struct line *line, const struct config *c, const struct csf_packet *pkt)
{
	if (c->etm3.values)
		line_put(line, " 0x%" PRIx64 "/%u", pkt->val, pkt->n);
}

/* The address of the data; "at" alone: the header says that there is one, but none is traced. */
static void put_data_address(struct line *line, const struct csf_packet *pkt)
{
	if (pkt->flags & CSF_PKT_ADDR)
		line_put(line, " at=0x%" PRIx64 "/%" PRIu32 "%s", pkt->val2, pkt->commit,
			 pkt->info & ETM3_DATA_BIG ? " big" : "");
	else if (pkt->info & ETM3_DATA_A)
		line_put(line, " at");
}

/* Writes what follows the name.  Long because it is a flat switch over the types. */
static void put_fields(struct line *line, const struct config *c, const struct csf_packet *pkt)
{
	char letters[ATOMS_MAX];

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ISYNC:
		put_isync(line, c, pkt);
		break;
	case CSF_PKT_BRANCH:
		put_branch(line, c, pkt);
		break;
	case CSF_PKT_ATOM:
		atom_letters(pkt, letters);
		line_put(line, " %s", letters);
		break;
	case CSF_PKT_CYCLES:
		line_put(line, " %" PRIu32, pkt->count);
		break;
	case CSF_PKT_DATA:
		put_value(line, c, pkt);
		put_data_address(line, pkt);
		break;
	case CSF_PKT_DATA_LATE:
		line_put(line, " %u", ETM3_DATA_TAG(pkt->info));
		put_value(line, c, pkt);
		break;
	case CSF_PKT_DATA_PLACE:
		line_put(line, " %u", ETM3_DATA_TAG(pkt->info));
		put_data_address(line, pkt);
		break;
	case CSF_PKT_DATA_UNTRACED:
		put_data_address(line, pkt);
		break;
	default:
		classic_put(line, pkt);
		break;
	}
}

/* -------- and back */

static bool take_number(struct word *w, uint32_t max, uint32_t *v)
{
	const struct word back = *w;

	if (word_take_number32(w, v) && *v <= max)
		return true;
	*w = back;
	return false;
}

static bool isync(struct word *w, struct csf_packet *pkt)
{
	uint64_t n = 0;

	if (w->len && *w->at >= '0' && *w->at <= '9' && !classic_take_addr(w, pkt))
		return false;
	if (!classic_take_reason(w, pkt) || !classic_take_state_words(w, pkt))
		return false;
	if (classic_take_value(w, "lsip=", 32, &pkt->val2, &n))
		pkt->info |= ETM3_INFO_LSIP;
	pkt->commit = n;
	if (word_take_key32(w, "cc=", &pkt->count))
		pkt->flags |= CSF_PKT_COUNT;
	word_take_key32(w, "cid=", &pkt->contextid);
	return true;
}

static bool exception(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	char word[WORD_MAX];
	uint32_t type = 0;

	if (!take_number(w, 511, &type)) {
		do {
			exception_text(c, type, word);
		} while (!word_take(w, word) && ++type < 512);
		if (type == 512)
			return false;
	}
	pkt->exception = type;
	pkt->flags |= CSF_PKT_CTXT;
	if (!classic_take_security(w, pkt))
		return false;
	if (word_take(w, "hyp"))
		pkt->info |= ETM3_BRANCH_LONG | CLASSIC_INFO_HYP;
	else if (word_take(w, "nohyp") || type > 15)
		pkt->info |= ETM3_BRANCH_LONG;
	pkt->info |= word_take(w, "alt") ? CLASSIC_INFO_ALT : 0;
	pkt->info |= word_take(w, "cancel") ? ETM3_BRANCH_CANCEL : 0;
	pkt->info |= word_take_key32(w, "resume=", &pkt->count) ? ETM3_BRANCH_RESUME : 0;
	return true;
}

static bool branch(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	uint32_t old;

	if (!classic_take_addr(w, pkt))
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
	char letters[ATOMS_MAX];

	for (size_t i = 0; i < w->len; i++) {
		if (w->at[i] == 'W')
			pkt->count++;
		else if (w->at[i] == 'E' || w->at[i] == 'N')
			pkt->val |= (uint64_t)(w->at[i] == 'E') << pkt->n++;
		else
			return false;
		if (i == ATOMS_MAX - 2)
			return false;
	}
	pkt->flags = c->classic.cycles ? CSF_PKT_COUNT : 0;
	atom_letters(pkt, letters);
	return word_take(w, letters);
}

static bool value(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	uint64_t n;

	if (!c->etm3.values)
		return true;
	if (!classic_take_value(w, "", 4, &pkt->val, &n))
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
	if (!classic_take_value(w, "at=", 32, &pkt->val2, &n))
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

/* Writes what follows the name.  Long because it is a flat switch over the types. */
static bool fields(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ISYNC:
		return isync(w, pkt);
	case CSF_PKT_BRANCH:
		return branch(w, c, pkt);
	case CSF_PKT_ATOM:
		return atoms(w, c, pkt);
	case CSF_PKT_CYCLES:
		pkt->flags = CSF_PKT_COUNT;
		return take_number(w, UINT32_MAX, &pkt->count);
	case CSF_PKT_DATA:
		return value(w, c, pkt) && data_address(w, pkt);
	case CSF_PKT_DATA_LATE:
		return tag(w, pkt) && value(w, c, pkt);
	case CSF_PKT_DATA_PLACE:
		return tag(w, pkt) && data_address(w, pkt);
	case CSF_PKT_DATA_UNTRACED:
		return data_address(w, pkt);
	default:
		return classic_take(w, c, pkt);
	}
}

static const struct classic_text words = {
	.name = name, .put = put_fields, .take = fields, .write = etm3_write_packet,
};

int etm3_print_packet(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n)
{
	return classic_print(&words, c, pkt, buf, n);
}

int etm3_parse_packet(const struct config *c, const char *text, struct csf_packet *pkt,
		      const char **where)
{
	return classic_parse(&words, c, text, pkt, where);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "packet-text.h"

const char *const etm3_name[CSF_PKT_NR] = {
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

const char *const etm3_reason_word[4] = { "periodic", "on", "overflow", "debug" };
const char *const etm3_isa_word[3] = { "a32", "t32", "jazelle" };
const char *const etm3_bad_word[5] = { "reserved", "config", "sequence", "cut", "unsync" };

static const char *const exception_word[] = {
	"none", "debug.halt", "smc", "hyp.entry", "async.abort", "thumbee.check", NULL, NULL,
	"reset", "undef", "svc", "prefetch.abort", "data.abort", "generic", "irq", "fiq",
};

static const char *const exception_word_m[] = {
	"none", "irq1", "irq2", "irq3", "irq4", "irq5", "irq6", "irq7", "irq0", "usagefault",
	"nmi", "svc", "debug.mon", "memmanage", "pendsv", "systick", [17] = "reset",
	[19] = "hardfault", [21] = "busfault",
};

void etm3_exception_word(const struct config *c, unsigned int exception, char word[ETM3_WORD_MAX])
{
	const bool m = c->profile == CSF_PROFILE_M;
	const char *const *words = m ? exception_word_m : exception_word;
	const size_t n = m ? ARRAY_SIZE(exception_word_m) : ARRAY_SIZE(exception_word);

	if (exception < n && words[exception])
		snprintf(word, ETM3_WORD_MAX, "%s", words[exception]);
	else if (m && exception >= 24)
		snprintf(word, ETM3_WORD_MAX, "irq%u", exception - 16);
	else
		snprintf(word, ETM3_WORD_MAX, "0x%02x", exception);
}

void etm3_atom_letters(const struct csf_packet *pkt, char letters[ETM3_ATOMS_MAX])
{
	const bool each = pkt->n > 1 && pkt->count == pkt->n;
	unsigned int n = 0;

	for (unsigned int i = 0; i < (each ? 0 : pkt->count) && i < 8; i++)
		letters[n++] = 'W';
	for (unsigned int i = 0; i < pkt->n && n < ETM3_ATOMS_MAX - 2; i++) {
		if (each)
			letters[n++] = 'W';
		letters[n++] = pkt->val >> i & 1 ? 'E' : 'N';
	}
	letters[n] = '\0';
}

/* A line in the making; @len counts on when @buf is full. */
struct line {
	char *buf;
	size_t n;
	size_t len;
};

static void __attribute__((format(printf, 2, 3))) put(struct line *line, const char *format, ...)
{
	size_t room = line->len < line->n ? line->n - line->len : 0;
	va_list args;

	va_start(args, format);
	line->len += vsnprintf(room ? line->buf + line->len : NULL, room, format, args);
	va_end(args);
}

static void put_addr(struct line *line, const struct csf_packet *pkt)
{
	if (pkt->n < 32)
		put(line, " 0x%" PRIx64 "/%u", pkt->val, pkt->n);
	else
		put(line, " 0x%" PRIx64 " %s", pkt->val, etm3_isa_word[etm3_isa(pkt)]);
}

static void put_exception(struct line *line, const struct config *c, const struct csf_packet *pkt)
{
	char word[ETM3_WORD_MAX];

	etm3_exception_word(c, pkt->exception, word);
	put(line, " %s %s", word, pkt->info & ETM3_INFO_NS ? "ns" : "s");
	if (pkt->info & ETM3_BRANCH_LONG)
		put(line, pkt->info & ETM3_INFO_HYP ? " hyp" : " nohyp");
	put(line, "%s%s", pkt->info & ETM3_INFO_ALT ? " alt" : "",
	    pkt->info & ETM3_BRANCH_CANCEL ? " cancel" : "");
	if (pkt->info & ETM3_BRANCH_RESUME)
		put(line, " resume=%" PRIu32, pkt->count);
}

static void put_branch(struct line *line, const struct config *c, const struct csf_packet *pkt)
{
	put_addr(line, pkt);
	if (pkt->info & ETM3_BRANCH_OLD)
		put(line, " old=%u%s", pkt->exception,
		    pkt->info & ETM3_BRANCH_CANCEL ? " cancel" : "");
	else if (pkt->flags & CSF_PKT_CTXT)
		put_exception(line, c, pkt);
}

static void put_isync(struct line *line, const struct config *c, const struct csf_packet *pkt)
{
	if (pkt->n)
		put_addr(line, pkt);
	put(line, " %s %s%s%s", etm3_reason_word[ETM3_INFO_REASON(pkt->info)],
	    pkt->info & ETM3_INFO_NS ? "ns" : "s", pkt->info & ETM3_INFO_HYP ? " hyp" : "",
	    pkt->info & ETM3_INFO_ALT ? " alt" : "");
	if (pkt->commit)
		put(line, " lsip=0x%" PRIx64 "/%" PRIu32, pkt->val2, pkt->commit);
	if (pkt->flags & CSF_PKT_COUNT)
		put(line, " cc=%" PRIu32, pkt->count);
	if (c->etm3.cid_size)
		put(line, " cid=0x%" PRIx32, pkt->contextid);
}

static void put_value(struct line *line, const struct config *c, const struct csf_packet *pkt)
{
	if (c->etm3.values)
		put(line, " 0x%" PRIx64 "/%u", pkt->val, pkt->n);
}

/* The address of the data; "at" alone: the header says that there is one, but none is traced. */
static void put_data_address(struct line *line, const struct csf_packet *pkt)
{
	if (pkt->flags & CSF_PKT_ADDR)
		put(line, " at=0x%" PRIx64 "/%" PRIu32 "%s", pkt->val2, pkt->commit,
		    pkt->info & ETM3_DATA_BIG ? " big" : "");
	else if (pkt->info & ETM3_DATA_A)
		put(line, " at");
}

static void put_bad(struct line *line, const struct csf_packet *pkt)
{
	put(line, "raw");
	for (unsigned int i = 0; i < pkt->size && i < sizeof(pkt->val); i++)
		put(line, " %02x", (unsigned int)(pkt->val >> 8 * i & 0xff));
	if (pkt->size > sizeof(pkt->val))
		put(line, " +%u", (unsigned int)(pkt->size - sizeof(pkt->val)));
	put(line, " %s", etm3_bad_word[pkt->n < ARRAY_SIZE(etm3_bad_word) ? pkt->n : 0]);
	if (pkt->info && pkt->info < CSF_PKT_NR && etm3_name[pkt->info])
		put(line, " %s", etm3_name[pkt->info]);
}

/* What follows the name.  Long because it is a flat switch over the types. */
static void put_fields(struct line *line, const struct config *c, const struct csf_packet *pkt)
{
	char letters[ETM3_ATOMS_MAX];

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ISYNC:
		put_isync(line, c, pkt);
		break;
	case CSF_PKT_BRANCH:
		put_branch(line, c, pkt);
		break;
	case CSF_PKT_ATOM:
		etm3_atom_letters(pkt, letters);
		put(line, " %s", letters);
		break;
	case CSF_PKT_TIME:
		put(line, " 0x%" PRIx64 "/%u%s", pkt->val, pkt->n, pkt->info ? " change" : "");
		break;
	case CSF_PKT_CYCLES:
		put(line, " %" PRIu32, pkt->count);
		break;
	case CSF_PKT_VMID:
		put(line, " 0x%" PRIx32, pkt->vmid);
		break;
	case CSF_PKT_CTXTID:
		put(line, " 0x%" PRIx32, pkt->contextid);
		break;
	case CSF_PKT_DATA:
		put_value(line, c, pkt);
		put_data_address(line, pkt);
		break;
	case CSF_PKT_DATA_LATE:
		put(line, " %u", ETM3_DATA_TAG(pkt->info));
		put_value(line, c, pkt);
		break;
	case CSF_PKT_DATA_PLACE:
		put(line, " %u", ETM3_DATA_TAG(pkt->info));
		put_data_address(line, pkt);
		break;
	case CSF_PKT_DATA_UNTRACED:
		put_data_address(line, pkt);
		break;
	default:
		break;
	}
}

int etm3_print_packet(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n)
{
	struct line line = { buf, n, 0 };

	if (n)
		buf[0] = 0;
	if (pkt->type >= CSF_PKT_NR || !etm3_name[pkt->type]) {
		put_bad(&line, pkt);
		return line.len;
	}
	put(&line, "%s", etm3_name[pkt->type]);
	put_fields(&line, c, pkt);
	return line.len;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "packet-text.h"

const char *const ptm_name[CSF_PKT_NR] = {
	[CSF_PKT_ASYNC] = "async",	[CSF_PKT_ISYNC] = "isync",
	[CSF_PKT_BRANCH] = "branch",	[CSF_PKT_WAYPOINT] = "waypoint",
	[CSF_PKT_ATOM] = "atom",	[CSF_PKT_TIME] = "time",
	[CSF_PKT_CTXTID] = "cid",	[CSF_PKT_VMID] = "vmid",
	[CSF_PKT_TRIGGER] = "trigger",	[CSF_PKT_IGNORE] = "ignore",
	[CSF_PKT_ERET] = "eret",
};

const char *const ptm_exc_word[PTM_EXC_WORDS] = {
	"none", "debug.halt", "smc", "hyp.entry", "async.abort", "thumbee.check", NULL, NULL,
	"reset", "undef", "svc", "prefetch.abort", "data.abort", "generic", "irq", "fiq",
};

const char *const ptm_reason_word[4] = { "periodic", "on", "overflow", "debug" };
const char *const ptm_isa_word[3] = { "a32", "t32", "jazelle" };

const char *const ptm_bad_word[5] = { "reserved", "config", "sequence", "cut", "unsync" };

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

static void put_state(struct line *line, const struct csf_packet *pkt)
{
	put(line, " %s%s%s", pkt->info & PTM_INFO_NS ? "ns" : "s",
	    pkt->info & PTM_INFO_HYP ? " hyp" : "", pkt->info & PTM_INFO_ALT ? " alt" : "");
}

static void put_addr(struct line *line, const struct csf_packet *pkt)
{
	if (pkt->n < 32)
		put(line, " 0x%" PRIx64 "/%u", pkt->val, pkt->n);
	else
		put(line, " 0x%" PRIx64 " %s", pkt->val,
		    ptm_isa_word[pkt->info & PTM_INFO_JAZELLE ? 2 : pkt->flags & CSF_PKT_IS1]);
}

static void put_exception(struct line *line, const struct csf_packet *pkt)
{
	const char *word = pkt->exception < PTM_EXC_WORDS ? ptm_exc_word[pkt->exception] : NULL;

	if (word)
		put(line, " %s", word);
	else
		put(line, " 0x%x", pkt->exception);
	put_state(line, pkt);
}

static void put_atoms(struct line *line, const struct csf_packet *pkt)
{
	put(line, " ");
	for (unsigned int i = 0; i < pkt->n && i < 5; i++)
		put(line, "%c", pkt->val >> i & 1 ? 'E' : 'N');
}

static void put_bad(struct line *line, const struct csf_packet *pkt)
{
	put(line, "raw");
	for (unsigned int i = 0; i < pkt->size && i < sizeof(pkt->val); i++)
		put(line, " %02x", (unsigned int)(pkt->val >> 8 * i & 0xff));
	if (pkt->size > sizeof(pkt->val))
		put(line, " +%u", (unsigned int)(pkt->size - sizeof(pkt->val)));
	put(line, " %s", ptm_bad_word[pkt->n < ARRAY_SIZE(ptm_bad_word) ? pkt->n : 0]);
	if (pkt->info && pkt->info < CSF_PKT_NR && ptm_name[pkt->info])
		put(line, " %s", ptm_name[pkt->info]);
}

static void put_fields(struct line *line, const struct config *c, const struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ISYNC:
		put_addr(line, pkt);
		put(line, " %s", ptm_reason_word[PTM_INFO_REASON(pkt->info)]);
		put_state(line, pkt);
		break;
	case CSF_PKT_BRANCH:
		put_addr(line, pkt);
		if (pkt->flags & CSF_PKT_CTXT)
			put_exception(line, pkt);
		break;
	case CSF_PKT_WAYPOINT:
		put_addr(line, pkt);
		if (pkt->flags & CSF_PKT_CTXT)
			put(line, pkt->info & PTM_INFO_ALT ? " alt" : " noalt");
		break;
	case CSF_PKT_ATOM:
		put_atoms(line, pkt);
		break;
	case CSF_PKT_TIME:
		put(line, " 0x%" PRIx64 "/%u%s", pkt->val, pkt->n, pkt->info ? " change" : "");
		break;
	case CSF_PKT_VMID:
		put(line, " 0x%" PRIx32, pkt->vmid);
		break;
	case CSF_PKT_CTXTID:
		put(line, " 0x%" PRIx32, pkt->contextid);
		break;
	default:
		break;
	}
	if (pkt->flags & CSF_PKT_COUNT)
		put(line, " cc=%" PRIu32, pkt->count);
	if (pkt->type == CSF_PKT_ISYNC && c->ptm.cid_size)
		put(line, " cid=0x%" PRIx32, pkt->contextid);
}

int ptm_print_packet(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n)
{
	struct line line = { buf, n, 0 };

	if (n)
		buf[0] = 0;
	if (pkt->type >= CSF_PKT_NR || !ptm_name[pkt->type]) {
		put_bad(&line, pkt);
		return line.len;
	}
	put(&line, "%s", ptm_name[pkt->type]);
	put_fields(&line, c, pkt);
	return line.len;
}

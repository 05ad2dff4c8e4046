// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "packet.h"

int mtb_read_packet(const struct config *c, const uint8_t *p, size_t n, struct csf_packet *pkt)
{
	if (n < MTB_SIZE) {
		*pkt = (struct csf_packet){
			.type = CSF_PKT_BAD, .n = CSF_BAD_CUT, .size = n,
			.val = get_le64(p) & low_bits(8 * n), .info = CSF_PKT_BRANCH,
		};
		return n;
	}
	*pkt = (struct csf_packet){
		.type = CSF_PKT_BRANCH, .size = MTB_SIZE, .n = 32,
		.val = get_le32(p) & ~1u, .val2 = get_le32(p + 4) & ~1u,
		.info = (*p & 1 ? MTB_EXCEPTION : 0) | (p[4] & 1 ? MTB_START : 0),
	};
	return MTB_SIZE;
}

int mtb_write_packet(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	if (pkt->type == CSF_PKT_BAD && pkt->size <= MTB_SIZE) {
		for (unsigned int i = 0; i < pkt->size; i++)
			p[i] = pkt->val >> 8 * i;
		return pkt->size;
	}
	if (pkt->type != CSF_PKT_BRANCH || (pkt->val | pkt->val2) > UINT32_MAX ||
	    (pkt->val | pkt->val2) & 1)
		return 0;
	for (unsigned int i = 0; i < 4; i++) {
		p[i] = pkt->val >> 8 * i;
		p[i + 4] = pkt->val2 >> 8 * i;
	}
	p[0] |= !!(pkt->info & MTB_EXCEPTION);
	p[4] |= !!(pkt->info & MTB_START);
	return MTB_SIZE;
}

static int print_bad(const struct csf_packet *pkt, char *buf, size_t n)
{
	int len = snprintf(buf, n, "raw");

	for (unsigned int i = 0; i < pkt->size; i++)
		len += snprintf(buf + len, n > len ? n - len : 0, " %02x",
				(unsigned int)(pkt->val >> 8 * i & 0xff));
	return len + snprintf(buf + len, n > len ? n - len : 0, " ; cut off");
}

int mtb_print_packet(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n)
{
	if (pkt->type != CSF_PKT_BRANCH)
		return print_bad(pkt, buf, n);
	return snprintf(buf, n, "%s 0x%" PRIx64 " 0x%" PRIx64 "%s",
			pkt->info & MTB_EXCEPTION ? "exception" : "branch", pkt->val, pkt->val2,
			pkt->info & MTB_START ? " start" : "");
}

/* Returns the text after @word and the blanks after it; NULL: there is another word. */
static const char *after(const char *text, const char *word)
{
	const size_t n = strlen(word);

	if (strncmp(text, word, n) || !strchr(" \t\r\n#;", text[n]))
		return NULL;
	return text + n + strspn(text + n, " \t");
}

/* Reads an even number of 32 bits.  Returns the text after it; NULL: there is none. */
static const char *take_address(const char *text, uint64_t *v)
{
	char *end;

	*v = strtoull(text, &end, 0);
	if (end == text || *text < '0' || *text > '9' || *v > UINT32_MAX || *v & 1 ||
	    !strchr(" \t\r\n#;", *end))
		return NULL;
	return end + strspn(end, " \t");
}

int mtb_parse_packet(const struct config *c, const char *text, struct csf_packet *pkt,
		     const char **where)
{
	uint64_t *const address[] = { &pkt->val, &pkt->val2 };
	const char *at;

	*pkt = (struct csf_packet){ .type = CSF_PKT_BRANCH, .size = MTB_SIZE, .n = 32 };
	*where = text += strspn(text, " \t");
	at = after(text, "branch");
	if (!at) {
		at = after(text, "exception");
		pkt->info = MTB_EXCEPTION;
	}
	for (unsigned int i = 0; at && i < ARRAY_SIZE(address); i++) {
		*where = at;
		at = take_address(at, address[i]);
	}
	if (!at)
		return CSF_ERR_ARG;
	*where = at;
	if (after(at, "start")) {
		at = after(at, "start");
		pkt->info |= MTB_START;
	}
	return *at && !strchr("\r\n#;", *at) ? CSF_ERR_ARG : 0;
}

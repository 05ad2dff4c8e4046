// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>

#include "../word.h"
#include "packet.h"

int mtb_read_packet(const struct config *c, const uint8_t *p, size_t n, struct csf_packet *pkt)
{
	uint8_t rest[MTB_SIZE] = { 0 };

	if (n < MTB_SIZE) {
		memcpy(rest, p, n);
		*pkt = (struct csf_packet){
			.type = CSF_PKT_BAD, .n = CSF_BAD_CUT, .size = n,
			.val = get_le64(rest), .info = CSF_PKT_BRANCH,
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

/* An even number of 32 bits. */
static bool take_address(struct word *w, uint64_t *v)
{
	const struct word back = *w;
	uint32_t address;

	if (word_take_number32(w, &address) && !(address & 1)) {
		*v = address;
		return true;
	}
	*w = back;
	return false;
}

int mtb_parse_packet(const struct config *c, const char *text, struct csf_packet *pkt,
		     const char **where)
{
	struct word w = { text, 0 };
	bool good;

	*pkt = (struct csf_packet){ .type = CSF_PKT_BRANCH, .size = MTB_SIZE, .n = 32 };
	word_next(&w);
	pkt->info = word_is(&w, "exception") ? MTB_EXCEPTION : 0;
	good = (word_take(&w, "branch") || word_take(&w, "exception")) &&
	       take_address(&w, &pkt->val) && take_address(&w, &pkt->val2);
	pkt->info |= good && word_take(&w, "start") ? MTB_START : 0;
	*where = w.at;
	return good && !w.len ? 0 : CSF_ERR_ARG;
}

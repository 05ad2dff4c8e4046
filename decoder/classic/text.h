/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words for packets that ETMv3 and PTM have in common: one set of tables for both ways. */
#ifndef CSF_CLASSIC_TEXT_H
#define CSF_CLASSIC_TEXT_H

#include "../line.h"
#include "../word.h"
#include "packet.h"

/* Indexed by enum classic_reason. */
extern const char *const classic_reason_word[4] __hidden;

/* Exceptions by number; NULL: reserved. */
#define CLASSIC_EXCEPTION_WORDS	16
extern const char *const classic_exception_word[CLASSIC_EXCEPTION_WORDS] __hidden;

/**
 * struct classic_text - what a protocol prints and parses in its own way
 * @name: indexed by enum csf_packet_type; NULL: it has no such packet
 * @put: prints what follows the name
 * @take: parses it.  On failure it returns false, with @w at the word that is wrong
 * @write: as csf_packet_write()
 */
struct classic_text {
	const char *const *name;
	void (*put)(struct line *line, const struct config *c, const struct csf_packet *pkt);
	bool (*take)(struct word *w, const struct config *c, struct csf_packet *pkt);
	int (*write)(const struct config *c, uint8_t *p, const struct csf_packet *pkt);
};

/* For struct protocol: csf_packet_print() and csf_packet_parse(). */
int classic_print(const struct classic_text *text, const struct config *c,
		  const struct csf_packet *pkt, char *buf, size_t n);
int classic_parse(const struct classic_text *text, const struct config *c, const char *words,
		  struct csf_packet *pkt, const char **where);

/* The fields of packets that are the same in both; they do nothing for other types. */
void classic_put(struct line *line, const struct csf_packet *pkt);
bool classic_take(struct word *w, const struct config *c, struct csf_packet *pkt);

/* An address; a full one names its instruction set. */
void classic_put_addr(struct line *line, const struct csf_packet *pkt);
bool classic_take_addr(struct word *w, struct csf_packet *pkt);

/* "ns" or "s", and perhaps "hyp" and "alt"; the first alone. */
void classic_put_state(struct line *line, const struct csf_packet *pkt);
bool classic_take_state_words(struct word *w, struct csf_packet *pkt);
bool classic_take_security(struct word *w, struct csf_packet *pkt);

/* One of classic_reason_word. */
bool classic_take_reason(struct word *w, struct csf_packet *pkt);

/* "VALUE/BITS", or "VALUE" with all @bits; @key, which has the "=", comes before it. */
bool classic_take_value(struct word *w, const char *key, unsigned int bits, uint64_t *v,
			uint64_t *n);

#endif /* CSF_CLASSIC_TEXT_H */

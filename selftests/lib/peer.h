/* SPDX-License-Identifier: GPL-2.0-only */
/* The peer: Debian's libopencsd over the same buffer, through its C interface. */
#ifndef SELFTESTS_PEER_H
#define SELFTESTS_PEER_H

#include <stdio.h>

#include "rig.h"

/* PEER_MONITOR: elements are decoded, but what is printed is the bytes of each packet. */
enum peer_mode { PEER_FRAMES, PEER_PACKETS, PEER_FULL, PEER_MONITOR };

struct peer;

/* Return: NULL and a reason on stderr if the peer cannot do it. */
struct peer *peer_new(const struct rig *rig, enum peer_mode mode);
void peer_free(struct peer *peer);

/* Decodes @n bytes from reset to the end; adds to @sum what it counts; sum and kept with @mix. */
int peer_run(struct peer *peer, const uint8_t *data, size_t n, bool mix, struct rig_sum *sum);

/* Every element of @n bytes, a line each, to @out.  Return: as peer_run(). */
int peer_print(struct peer *peer, const uint8_t *data, size_t n, FILE *out);

/* Likewise, with indexes and text; with PEER_PACKETS every packet and its fields. */
int peer_print_all(struct peer *peer, const uint8_t *data, size_t n, FILE *out);

/* Writes one packet that a sink got. */
void peer_packet(FILE *out, enum csf_protocol protocol, uint8_t id, uint32_t op, uint32_t index,
		 const void *packet);

const char *peer_version(void);

/* Code at @addr, borrowed. */
struct peer_code {
	uint64_t addr;
	const void *bytes;
	size_t n;
};

/* As peer_new(), with code besides that of the rig's snapshot, which may be empty. */
struct peer *peer_open(const struct rig *rig, const struct peer_code *code, size_t n_code,
		       enum peer_mode mode);

/**
 * struct peer_element - what the peer says of instructions and exceptions
 * @start: of the range; an exception's return address
 * @end: of the range; 0: it is an exception
 * @number: of the exception; else enum csf_isa
 */
struct peer_element {
	uint64_t start, end;
	uint32_t number;
};

/* @elements: to be filled with up to @max.  Return: how many there were; -1: the peer gave up. */
long peer_list(const struct csf_config *config, const struct peer_code *code, size_t n_code,
	       const uint8_t *trace, size_t n, struct peer_element *elements, size_t max);

#endif /* SELFTESTS_PEER_H */

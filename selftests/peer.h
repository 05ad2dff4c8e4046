/* SPDX-License-Identifier: GPL-2.0-only */
/* The peer: Debian's libopencsd over the same buffer, through its C interface. */
#ifndef SELFTESTS_PEER_H
#define SELFTESTS_PEER_H

#include "rig.h"

enum peer_mode { PEER_FRAMES, PEER_PACKETS, PEER_FULL };

struct peer;

/* Return: NULL and a reason on stderr if the peer cannot do it. */
struct peer *peer_new(const struct rig *rig, enum peer_mode mode);
void peer_free(struct peer *peer);

/* Decodes @n bytes from reset to the end; adds to @sum what it counts; sum and kept with @mix. */
int peer_run(struct peer *peer, const uint8_t *data, size_t n, bool mix, struct rig_sum *sum);

const char *peer_version(void);

#endif /* SELFTESTS_PEER_H */

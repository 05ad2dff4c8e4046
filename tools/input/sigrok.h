/* SPDX-License-Identifier: GPL-2.0-only */
/* A capture of sigrok: a zip with a text that describes it, and samples.  libzip reads it. */
#ifndef CSF_SIGROK_H
#define CSF_SIGROK_H

#include <stdbool.h>

#include "line.h"

/**
 * struct sigrok - what the file has
 * @samples: its bytes are in @data; free() that
 * @rate: samples a second; 0: the file does not say
 */
struct sigrok {
	struct line_samples samples;
	uint8_t *data;
	double rate;
};

/* Is a file that begins with these bytes a zip? */
bool sigrok_is(const uint8_t *data, size_t n);

/**
 * sigrok_read() - read the samples of a channel
 * @channel: its name, or its number from 1; NULL: the one with SWO in its name, or the only one
 *
 * Return: NULL, or what is wrong.
 */
const char *sigrok_read(struct sigrok *s, const char *path, const char *channel);

#endif /* CSF_SIGROK_H */

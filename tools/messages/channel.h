/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Channels that a user names: "0", "161:66", and lists and ranges of them, "0-3,161:66".
 *
 *	struct channels ports = { 0 };
 *
 *	err = channels_read(&ports, "0,161:66");
 *	if (channels_have(&ports, &message))
 */
#ifndef CSF_MESSAGES_CHANNEL_H
#define CSF_MESSAGES_CHANNEL_H

#include "../../decoder/csflow.h"

/* A port of an ITM, with page, or a channel of an STM. */
#define CHANNEL_LAST	0xffffu

/**
 * struct channel_range - the channels @first to @last
 * @master: of an STM; -1: any, or none
 */
struct channel_range {
	int32_t master;
	uint32_t first, last;
};

/**
 * struct channels - zero is none
 * @range: @n of them, in the order given
 */
struct channels {
	struct channel_range *range;
	size_t n;
};

/* Adds those of @text.  Return: 0; -EINVAL: it is no such list; -ENOMEM. */
int channels_read(struct channels *c, const char *text);
void channels_free(struct channels *c);

/* The number of the range that has the channel of @m; -1: none has it. */
int channels_find(const struct channels *c, const struct csf_message *m);

/* Numbers alone, for masters and trace IDs: "2,16-18".  @most: the greatest that there is. */
int numbers_read(struct channels *c, const char *text, uint32_t most);
bool numbers_have(const struct channels *c, uint32_t number);

#endif /* CSF_MESSAGES_CHANNEL_H */

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"

#define MASTER_LAST	0xffffu

static int add(struct channels *c, const struct channel_range *range)
{
	struct channel_range *more = realloc(c->range, (c->n + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	c->range = more;
	c->range[c->n++] = *range;
	return 0;
}

/* Reads a number of at most @most, and moves *@at after it. */
static bool number(const char **at, uint32_t most, uint32_t *value)
{
	char *end;
	unsigned long long v;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	v = strtoull(*at, &end, (*at)[0] == '0' && ((*at)[1] | 0x20) == 'x' ? 16 : 10);
	if (errno || v > most)
		return false;
	*at = end;
	*value = v;
	return true;
}

/* "N" or "N-M" */
static bool range(const char **at, uint32_t most, struct channel_range *r)
{
	if (!number(at, most, &r->first))
		return false;
	r->last = r->first;
	if (**at != '-')
		return true;
	++*at;
	return number(at, most, &r->last) && r->last >= r->first;
}

static int read_list(struct channels *c, const char *text, uint32_t most, bool masters)
{
	const char *colon;

	for (;; text++) {
		struct channel_range r = { .master = -1 };
		uint32_t master;
		int err;

		colon = text + strcspn(text, ":,");
		if (masters && *colon == ':') {
			if (!number(&text, MASTER_LAST, &master) || *text++ != ':')
				return -EINVAL;
			r.master = master;
		}
		if (!range(&text, most, &r) || (*text && *text != ','))
			return -EINVAL;
		err = add(c, &r);
		if (err || !*text)
			return err;
	}
}

int channels_read(struct channels *c, const char *text)
{
	return read_list(c, text, CHANNEL_LAST, true);
}

int numbers_read(struct channels *c, const char *text, uint32_t most)
{
	return read_list(c, text, most, false);
}

void channels_free(struct channels *c)
{
	free(c->range);
	*c = (struct channels){ 0 };
}

int channels_find(const struct channels *c, const struct csf_message *m)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct channel_range *r = &c->range[i];

		if (m->channel < r->first || m->channel > r->last)
			continue;
		if (r->master < 0 ||
		    (m->flags & CSF_MESSAGE_HAS_MASTER && m->master == r->master))
			return i;
	}
	return -1;
}

bool numbers_have(const struct channels *c, uint32_t number)
{
	for (size_t i = 0; i < c->n; i++)
		if (number >= c->range[i].first && number <= c->range[i].last)
			return true;
	return false;
}

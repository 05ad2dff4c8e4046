// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Single packets of any protocol. */
#include <string.h>

#include "protocol.h"

/* Packets of some protocols are not whole bytes. */
static int read_config(struct config *c, const struct csf_config *config)
{
	return config_read(c, config) || !protocol_of(c)->read_packet ? CSF_ERR_CONFIG : 0;
}

/* Packet after packet is read in one configuration, so the last one is kept.  NULL: invalid. */
static const struct config *keep_config(const struct csf_config *config)
{
	static __thread struct {
		struct csf_config from;
		struct config to;
	} last;

	if (config && config->size == sizeof(*config) &&
	    !memcmp(config, &last.from, sizeof(*config)))
		return &last.to;
	last.from.size = 0;
	if (read_config(&last.to, config))
		return NULL;
	if (config->size == sizeof(*config))
		last.from = *config;
	return &last.to;
}

int csf_packet_read(const struct csf_config *config, const void *p, size_t n,
		    struct csf_packet *packet)
{
	const struct config *c = keep_config(config);

	if (!c)
		return CSF_ERR_CONFIG;
	if (!p || !packet)
		return CSF_ERR_ARG;
	return n ? protocol_of(c)->read_packet(c, p, n, packet) : 0;
}

int csf_packet_write(const struct csf_config *config, void *p, const struct csf_packet *packet)
{
	struct config c;

	if (read_config(&c, config))
		return CSF_ERR_CONFIG;
	return p && packet ? protocol_of(&c)->write_packet(&c, p, packet) : CSF_ERR_ARG;
}

int csf_packet_print(const struct csf_config *config, const struct csf_packet *packet, char *buf,
		     size_t n)
{
	struct config c;

	if (read_config(&c, config))
		return CSF_ERR_CONFIG;
	if (!packet || (!buf && n))
		return CSF_ERR_ARG;
	return protocol_of(&c)->print_packet(&c, packet, buf, n);
}

int csf_packet_parse(const struct csf_config *config, const char *text, struct csf_packet *packet,
		     const char **where)
{
	const char *at = text;
	struct config c;
	int err;

	if (where)
		*where = text;
	if (read_config(&c, config))
		return CSF_ERR_CONFIG;
	if (!text || !packet)
		return CSF_ERR_ARG;

	err = protocol_of(&c)->parse_packet(&c, text, packet, &at);
	if (where)
		*where = at;
	return err;
}

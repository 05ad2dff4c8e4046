// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"
#include "protocol.h"

/* A configuration from the far future would still not be this large. */
#define SIZE_MAX_SANE	4096
#define RUN_DEFAULT	8192
#define RUN_MAX		65536
#define MARKS		0x1fff

/* The caller's fields, whatever its age; what it has and we do not must be zero. */
static int copy(struct csf_config *own, const struct csf_config *config)
{
	const uint8_t *bytes = (const uint8_t *)config;
	size_t size;

	if (!config)
		return CSF_ERR_CONFIG;

	size = config->size;
	if (size < sizeof(size) || size > SIZE_MAX_SANE)
		return CSF_ERR_CONFIG;
	for (size_t i = sizeof(*own); i < size; i++)
		if (bytes[i])
			return CSF_ERR_CONFIG;

	memset(own, 0, sizeof(*own));
	memcpy(own, config, size < sizeof(*own) ? size : sizeof(*own));
	return 0;
}

int config_read(struct config *own, const struct csf_config *config)
{
	const struct protocol *protocol;
	struct csf_config c;

	if (copy(&c, config))
		return CSF_ERR_CONFIG;
	protocol = protocol_at(c.protocol);
	if (!protocol || c.profile > CSF_PROFILE_M || c.marks & ~MARKS ||
	    c.without & ~CSF_WITHOUT_ALL)
		return CSF_ERR_CONFIG;

	memset(own, 0, sizeof(*own));
	own->profile = c.profile;
	own->marks = c.marks ? c.marks : CSF_MARK_DEFAULT;
	own->many = MANY_BLOCKS;
	own->run_max = c.run_max ? c.run_max : RUN_DEFAULT;
	if (own->run_max > RUN_MAX)
		own->run_max = RUN_MAX;
	own->without = c.without;
	if (protocol->read_config(own, &c) || (c.protocol && c.protocol != own->protocol))
		return CSF_ERR_CONFIG;
	return 0;
}

int csf_config_protocol(const struct csf_config *config)
{
	struct config own;

	return config_read(&own, config) ? CSF_ERR_CONFIG : own.protocol;
}

int csf_config_version(const struct csf_config *config)
{
	struct config own;

	return config_read(&own, config) ? CSF_ERR_CONFIG : own.etm4.version;
}

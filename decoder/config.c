// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"
#include "protocol.h"

/* No future version of the configuration will be larger than this. */
#define SIZE_MAX_SANE	4096
#define RUN_DEFAULT	8192
#define RUN_MAX		65536
#define MARKS		0x7fff

/*
 * Copies the fields of the caller's version; fields that only the caller has must be zero.
 * Return: a problem, or NULL.
 */
static const char *copy(struct csf_config *own, const struct csf_config *config)
{
	const uint8_t *bytes = (const uint8_t *)config;
	size_t size;

	if (!config)
		return "there is no configuration";

	size = config->size;
	if (size < sizeof(size) || size > SIZE_MAX_SANE)
		return ".size: want sizeof(struct csf_config)";
	for (size_t i = sizeof(*own); i < size; i++)
		if (bytes[i])
			return ".size: there are fields that this version does not know, and not 0";

	memset(own, 0, sizeof(*own));
	memcpy(own, config, size < sizeof(*own) ? size : sizeof(*own));
	return NULL;
}

/* Checks the fields that are the same for all protocols. */
static const char *check(const struct csf_config *c)
{
	if (!protocol_at(c->protocol))
		return ".protocol: it is not decoded";
	if (c->profile > CSF_PROFILE_M)
		return ".profile: want one of enum csf_profile";
	if (c->unchecked > 1)
		return ".unchecked: want 0 or 1";
	if (c->marks & ~MARKS)
		return ".marks: want CSF_MARK_x or-ed";
	return c->without & ~CSF_WITHOUT_ALL ? ".without: want CSF_WITHOUT_x or-ed" : NULL;
}

/* Return: a problem, or NULL. */
static const char *read_all(struct config *own, const struct csf_config *config)
{
	const char *problem;
	struct csf_config c;

	problem = copy(&c, config) ?: check(&c);
	if (problem)
		return problem;
	memset(own, 0, sizeof(*own));
	own->profile = c.profile;
	own->marks = c.marks ? c.marks : CSF_MARK_DEFAULT;
	own->many = MANY_BLOCKS;
	own->run_max = c.run_max ? c.run_max : RUN_DEFAULT;
	if (own->run_max > RUN_MAX)
		own->run_max = RUN_MAX;
	own->without = c.without;
	problem = protocol_at(c.protocol)->read_config(own, &c);
	if (!own->data)
		own->marks &= ~CSF_MARK_DATA;
	if (!problem && c.protocol &&
	    (c.protocol != own->protocol || (etm4_is_named(&c) && c.protocol > CSF_PROTOCOL_ETE)))
		problem = ".protocol: the registers say another";
	return problem;
}

int config_read(struct config *own, const struct csf_config *config)
{
	return read_all(own, config) ? CSF_ERR_CONFIG : 0;
}

const char *csf_config_problem(const struct csf_config *config)
{
	struct config own;

	return read_all(&own, config);
}

int csf_config_protocol(const struct csf_config *config)
{
	struct config own;

	return config_read(&own, config) ? CSF_ERR_CONFIG : own.protocol;
}

uint32_t csf_config_data(const struct csf_config *config)
{
	struct config own;

	return config_read(&own, config) ? 0 : own.data;
}

int csf_config_version(const struct csf_config *config)
{
	struct config own;

	return config_read(&own, config) ? CSF_ERR_CONFIG : own.version;
}

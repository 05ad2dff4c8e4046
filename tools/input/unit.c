// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "../lib/log.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define REGISTER(name)	{ #name, offsetof(struct csf_config, name) }

const char *const unit_protocols[] = {
	"etmv4", "ete", "ptm", "mtb", "etmv3", "itm", "stm", NULL
};

/* As enum csf_protocol; the registers tell the first two apart. */
static const uint8_t protocols[] = {
	CSF_PROTOCOL_TOLD, CSF_PROTOCOL_TOLD, CSF_PROTOCOL_PTM, CSF_PROTOCOL_MTB,
	CSF_PROTOCOL_ETM3, CSF_PROTOCOL_ITM, CSF_PROTOCOL_STM,
};

enum { UNIT_ETM4, UNIT_ETE };

const char *const unit_profiles[] = { "a", "r", "m", NULL };

static const struct {
	const char *name;
	size_t at;
} registers[] = {
	REGISTER(trcconfigr), REGISTER(trcdevarch), REGISTER(trcidr0), REGISTER(trcidr1),
	REGISTER(trcidr2), REGISTER(trcidr8), REGISTER(trcidr9), REGISTER(trcidr10),
	REGISTER(trcidr11), REGISTER(trcidr12), REGISTER(trcidr13), REGISTER(etmcr),
	REGISTER(etmccer), REGISTER(etmidr), REGISTER(itmtcr),
	{ "stp-order", offsetof(struct csf_config, stp_order) },
};

static uint32_t *register_of(struct csf_config *config, size_t i)
{
	return (uint32_t *)((char *)config + registers[i].at);
}

static int protocol_of(const struct csf_config *c)
{
	for (size_t i = UNIT_ETE + 1; i < ARRAY_SIZE(protocols); i++)
		if (c->protocol == protocols[i])
			return i;
	return c->trcdevarch ? UNIT_ETE : UNIT_ETM4;
}

void unit_text(const struct csf_config *config, char text[UNIT_TEXT_MAX])
{
	struct csf_config c = *config;
	int n = snprintf(text, UNIT_TEXT_MAX, "--protocol=%s", unit_protocols[protocol_of(&c)]);

	if (c.profile)
		n += snprintf(text + n, UNIT_TEXT_MAX - n, " --profile=%s",
			      unit_profiles[c.profile]);
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		if (*register_of(&c, i))
			n += snprintf(text + n, UNIT_TEXT_MAX - n, " --%s=0x%" PRIx32,
				      registers[i].name, *register_of(&c, i));
}

const char *unit_value(const char *word, const char *name)
{
	const size_t n = strlen(name);

	if (!strncmp(word, "--", 2))
		word += 2;
	return !strncmp(word, name, n) && word[n] == '=' ? word + n + 1 : NULL;
}

/* Return: the index of @value, up to the end of its word, in @list; -1: none. */
static int choice_of(const char *value, const char *const *list)
{
	const size_t n = strcspn(value, UNIT_BETWEEN);

	for (int i = 0; list[i]; i++)
		if (strlen(list[i]) == n && !strncmp(list[i], value, n))
			return i;
	return -1;
}

bool unit_read_word(struct unit *u, const char *word)
{
	const char *value = unit_value(word, "protocol");
	char *end;

	if (value)
		return (u->protocol = choice_of(value, unit_protocols)) >= 0;
	value = unit_value(word, "profile");
	if (value)
		return (u->profile = choice_of(value, unit_profiles)) >= 0;
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++) {
		value = unit_value(word, registers[i].name);
		if (!value)
			continue;
		*register_of(&u->config, i) = strtoul(value, &end, 0);
		return end != value && strchr(UNIT_BETWEEN, *end);
	}
	return false;
}

const char *unit_read(struct unit *u, const char *text)
{
	*u = (struct unit){ .protocol = 0 };
	while (*(text += strspn(text, UNIT_BETWEEN))) {
		if (!unit_read_word(u, text))
			return text;
		text += strcspn(text, UNIT_BETWEEN);
	}
	return NULL;
}

bool unit_id_fits(uint64_t id, const char *command)
{
	if (id < CSF_ID_MAX)
		return true;
	log_say(LOG_USAGE, "csflow %s: --id: a trace ID has 7 bits\n", command);
	return false;
}

bool unit_complete(struct unit *u)
{
	u->config.size = sizeof(u->config);
	u->config.profile = u->profile;
	u->config.protocol = protocols[u->protocol];
	if (u->protocol == UNIT_ETM4 && !u->config.trcidr1)
		u->config.trcidr1 = 0x4100f403;
	if (u->protocol == UNIT_ETE && !u->config.trcdevarch)
		u->config.trcdevarch = 0x47705a13;
	return !csf_config_problem(&u->config);
}

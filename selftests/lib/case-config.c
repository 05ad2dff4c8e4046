// SPDX-License-Identifier: GPL-2.0-only
/* Configurations in words. */
#include <stdlib.h>
#include <string.h>

#include "case.h"

#define REG(name)	offsetof(struct csf_config, name)

/* A word that sets bits, one that clears them, one with a value to put into a field. */
static const struct option {
	const char *word;
	size_t reg;
	uint32_t set, clear;
	uint8_t shift, bits;		/* of the value after the word; bits 0: there is none */
} option[] = {
	{ "ete1.0", REG(trcdevarch), 0x47705a13, ~0u },
	{ "ete1.1", REG(trcdevarch), 0x47715a13, ~0u },
	{ "ete1.2", REG(trcdevarch), 0x47725a13, ~0u },
	{ "ete1.3", REG(trcdevarch), 0x47735a13, ~0u },
	{ "etmv4.0", REG(trcdevarch), 0x47704a13, ~0u },
	{ "etmv4.1", REG(trcdevarch), 0x47714a13, ~0u },
	{ "etmv4.2", REG(trcdevarch), 0x47724a13, ~0u },
	{ "etmv4.3", REG(trcdevarch), 0x47734a13, ~0u },
	{ "etmv4.4", REG(trcdevarch), 0x47744a13, ~0u },
	{ "etmv4.5", REG(trcdevarch), 0x47754a13, ~0u },
	{ "etmv4.6", REG(trcdevarch), 0x47764a13, ~0u },
	{ "etmv3.3", REG(etmidr), 0x4104f230, ~0u },
	{ "etmv3.4", REG(etmidr), 0x4114f240, ~0u },
	{ "etmidr", REG(etmidr), 0, 0, 0, 32 },
	{ "ptm1.0", REG(etmidr), 0x411cf301, ~0u },
	{ "ptm1.1", REG(etmidr), 0x411cf312, ~0u },
	{ "mtb", REG(protocol), CSF_PROTOCOL_MTB, ~0u },
	{ "etmcr", REG(etmcr), 0, 0, 0, 32 },
	{ "etmccer", REG(etmccer), 0, 0, 0, 32 },
	{ "bb", REG(trcconfigr), 1 << 3, 0 },
	{ "cci", REG(trcconfigr), 1 << 4, 0 },
	{ "cid", REG(trcconfigr), 1 << 6, 0 },
	{ "vmid", REG(trcconfigr), 1 << 7, 0 },
	{ "ts", REG(trcconfigr), 1 << 11, 0 },
	{ "rs", REG(trcconfigr), 1 << 12, 0 },
	{ "maxspec", REG(trcidr8), 0, 0, 0, 32 },
	{ "commopt", REG(trcidr0), 1u << 29, 0 },
	{ "nocommopt", REG(trcidr0), 0, 1u << 29 },
	{ "commtrans", REG(trcidr0), 1u << 30, 0 },
	{ "tsmark", REG(trcidr0), 1 << 23, 0 },
	{ "ite", REG(trcidr0), 1 << 22, 0 },
	{ "noq", REG(trcidr0), 0, 3 << 15 },
	{ "cond", REG(trcidr0), 1 << 6, 0 },
	{ "data", REG(trcidr0), 3 << 3, 0 },
	{ "instp0", REG(trcidr0), 3 << 1, 0 },
	{ "loads", REG(trcconfigr), 1 << 1, 0 },
	{ "stores", REG(trcconfigr), 1 << 2, 0 },
	{ "wfx", REG(trcidr2), 1u << 31, 0 },
	{ "nowfx", REG(trcidr2), 0, 1u << 31 },
	{ "cidsize", REG(trcidr2), 0, 0, 5, 5 },
	{ "vmidsize", REG(trcidr2), 0, 0, 10, 5 },
	{ "ccsize", REG(trcidr2), 0, 0, 25, 4 },
	{ "profile-a", REG(profile), CSF_PROFILE_A, 3 },
	{ "profile-r", REG(profile), CSF_PROFILE_R, 3 },
	{ "profile-m", REG(profile), CSF_PROFILE_M, 3 },
	{ "marks", REG(marks), 0, 0, 0, 15 },
	{ "condtype", REG(trcidr0), 0, 0, 12, 2 },
	{ "condkeys", REG(trcidr12), 0, 0, 0, 32 },
	{ "condspecial", REG(trcidr13), 0, 0, 0, 32 },
	{ "unchecked", REG(unchecked), 1, 0 },
	{ "trcidr0", REG(trcidr0), 0, 0, 0, 32 },
	{ "trcidr2", REG(trcidr2), 0, 0, 0, 32 },
	{ "trcconfigr", REG(trcconfigr), 0, 0, 0, 32 },
};

/* ETE 1.0: cycle counts without commits, Q, return stack there but off, WFI takes an atom. */
void case_config(struct csf_config *config)
{
	*config = (struct csf_config){
		.size = sizeof(*config),
		.trcdevarch = 0x47705a13,
		.trcidr0 = 0x2801cea1,
		.trcidr1 = 0x4100fff0,
		.trcidr2 = 0xd0001088,
		.trcconfigr = 1,
	};
}

static const struct option *find(const char *word)
{
	for (size_t i = 0; i < sizeof(option) / sizeof(*option); i++)
		if (!strcmp(option[i].word, word))
			return &option[i];
	return NULL;
}

const char *case_configure(struct csf_config *config, char *words)
{
	char *save = NULL;

	for (char *w = strtok_r(words, " \t\n", &save); w; w = strtok_r(NULL, " \t\n", &save)) {
		const struct option *o = find(w);
		uint32_t mask, *reg;
		char *value;

		if (!o)
			return w;
		reg = (uint32_t *)((char *)config + o->reg);
		*reg = (*reg & ~o->clear) | o->set;
		if (!o->bits)
			continue;
		value = strtok_r(NULL, " \t\n", &save);
		if (!value)
			return w;
		mask = (uint32_t)((1ull << o->bits) - 1) << o->shift;
		*reg = (*reg & ~mask) | ((uint32_t)strtoul(value, NULL, 0) << o->shift & mask);
	}
	if (config->etmidr) {
		config->protocol = (config->etmidr >> 8 & 15) == 3 ? CSF_PROTOCOL_PTM :
								     CSF_PROTOCOL_ETM3;
		config->trcdevarch = 0;
	}
	if (config->protocol == CSF_PROTOCOL_MTB)
		config->trcdevarch = 0;
	return NULL;
}

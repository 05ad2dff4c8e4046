// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>

#include "../../decoder/csflow.h"
#include "unit-ini.h"

/* Trace of both security states is implemented and allowed. */
#define AUTHSTATUS	0xcc

struct reg {
	const char *name;
	uint32_t value;
};

static void put(FILE *f, const struct reg *reg, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s=0x%" PRIx32 "\n", reg[i].name, reg[i].value);
}

static void put_older(FILE *f, const struct csf_config *c, uint8_t id)
{
	const struct reg regs[] = {
		{ "ETMCR", c->etmcr }, { "ETMIDR", c->etmidr }, { "ETMCCER", c->etmccer },
		{ "ETMTRACEIDR", id },
	};

	put(f, regs, sizeof(regs) / sizeof(*regs));
}

/* TRCAUTHSTATUS is there because Arm's decoder needs it. */
static void put_etm4(FILE *f, const struct csf_config *c, uint8_t id)
{
	const struct reg regs[] = {
		{ "TRCCONFIGR", c->trcconfigr }, { "TRCTRACEIDR", id },
		{ "TRCAUTHSTATUS", AUTHSTATUS }, { "TRCIDR0", c->trcidr0 },
		{ "TRCIDR1", c->trcidr1 }, { "TRCIDR2", c->trcidr2 }, { "TRCIDR8", c->trcidr8 },
		{ "TRCIDR9", c->trcidr9 }, { "TRCIDR10", c->trcidr10 },
		{ "TRCIDR11", c->trcidr11 }, { "TRCIDR12", c->trcidr12 },
		{ "TRCIDR13", c->trcidr13 }, { "TRCDEVARCH", c->trcdevarch },
	};

	put(f, regs, sizeof(regs) / sizeof(*regs) - !c->trcdevarch);
}

/* The trace ID is in a register that has other bits, too: an STM is on, and sends timestamps. */
static void put_messages(FILE *f, const struct csf_config *c, uint8_t id)
{
	const bool itm = csf_config_protocol(c) == CSF_PROTOCOL_ITM;
	const uint32_t others = itm ? c->itmtcr & ~(0x7fu << 16) : 3;

	put(f, &(struct reg){ itm ? "ITM_TCR" : "STMTCSR", others | (uint32_t)id << 16 }, 1);
}

void unit_ini_write(FILE *f, const struct csf_config *config, const char *name, uint8_t id)
{
	const int protocol = csf_config_protocol(config), minor = csf_config_version(config) & 0xf;

	fprintf(f, "[device]\nname=%s\nclass=trace_source\ntype=", name);
	if (protocol == CSF_PROTOCOL_PTM)
		fprintf(f, "PTM1.%d", minor);
	else if (protocol == CSF_PROTOCOL_ETM3)
		fprintf(f, "ETM3.%d", minor);
	else if (protocol == CSF_PROTOCOL_MTB)
		fputs("MTB", f);
	else if (csf_config_has_messages(config))
		fputs(csf_protocol_name(protocol), f);
	else
		fputs(protocol == CSF_PROTOCOL_ETE ? "ETE" : "ETM4", f);
	fputs("\n\n[regs]\n", f);
	if (protocol == CSF_PROTOCOL_PTM || protocol == CSF_PROTOCOL_ETM3)
		put_older(f, config, id);
	else if (csf_config_has_messages(config))
		put_messages(f, config, id);
	else if (protocol != CSF_PROTOCOL_MTB)
		put_etm4(f, config, id);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../config.h"

/* Bits @hi to @lo of a register. */
static uint32_t field(uint32_t reg, unsigned int hi, unsigned int lo)
{
	return reg >> lo & low_bits(hi - lo + 1);
}

/*
 * TRCDEVARCH: ARCHITECT 31:21, PRESENT 20, REVISION 19:16, ARCHVER 15:12, ARCHPART 11:0.  TRCIDR1:
 * TRCARCHMAJ 11:8, TRCARCHMIN 7:4; all ones in both: see TRCDEVARCH.
 */
static int read_version(const struct csf_config *config)
{
	uint32_t devarch = config->trcdevarch;
	uint32_t archver = field(devarch, 15, 12);
	bool arm = field(devarch, 31, 20) == (0x23b << 1 | 1) && field(devarch, 11, 0) == 0xa13;

	if (arm && (archver == 4 || archver == 5))
		return archver << 4 | field(devarch, 19, 16);
	if (!config->trcidr1)
		return ETM40;
	if (field(config->trcidr1, 11, 8) == 4)
		return field(config->trcidr1, 11, 4);
	return CSF_ERR_CONFIG;
}

/* VMIDSIZE: in ETMv4.0 the only size is 8 bits. */
static const char *sizes(struct config *own, uint32_t trcidr2)
{
	uint32_t cid_size = field(trcidr2, 9, 5);
	uint32_t vmid_size = field(trcidr2, 14, 10);

	if (cid_size & ~4u)
		return ".trcidr2: CIDSIZE is neither 0 nor 4 bytes";
	if (vmid_size > 4 || vmid_size == 3)
		return ".trcidr2: VMIDSIZE is none of 0, 1, 2 and 4 bytes";

	own->etm4.cid_size = cid_size;
	own->etm4.vmid_size = own->etm4.version == ETM40 && vmid_size > 1 ? 0 : vmid_size;
	own->etm4.cc_bits = 12 + field(trcidr2, 28, 25);
	return NULL;
}

/* Loads and stores are P0 only in ETMv4, and there only where TRCIDR0.INSTP0 is 3. */
static uint32_t p0_rule(const struct config *own, const struct csf_config *config)
{
	uint32_t rule = 0;

	if (own->etm4.version >= ETM43 && field(config->trcidr2, 31, 31))
		rule |= CSF_RULE_WFX;
	if (own->profile == CSF_PROFILE_M)
		rule |= CSF_RULE_M;
	if (etm4_is_ete(&own->etm4) || field(config->trcidr0, 2, 1) != 3)
		return rule;

	if (field(config->trcconfigr, 1, 1))
		rule |= CSF_RULE_LOAD;
	if (field(config->trcconfigr, 2, 2))
		rule |= CSF_RULE_STORE;
	return rule;
}

/*
 * Without speculation there is nothing to commit, and COMMOPT must be 1.  If cycles are not
 * counted, this cannot be checked: the register's value is used.
 */
static bool commopt(const struct config *own, const struct csf_config *config)
{
	if (field(config->trcidr0, 29, 29))
		return true;
	return !own->max_spec && field(config->trcconfigr, 4, 4);
}

/* The features of TRCIDR0 that the version can have. */
static void features(struct config *own, uint32_t trcidr0)
{
	bool etm = !etm4_is_ete(&own->etm4);

	own->etm4.data = etm && field(trcidr0, 4, 3) == 3;
	own->etm4.cond = etm && field(trcidr0, 6, 6);
	own->etm4.condtype = field(trcidr0, 13, 12);
	own->etm4.q = field(trcidr0, 16, 15);
	own->etm4.ite = own->etm4.version >= ETE13 && field(trcidr0, 22, 22);
	own->tsmark = own->etm4.version >= ETM46 && field(trcidr0, 23, 23);
	own->etm4.trans_p0 = !field(trcidr0, 30, 30);
}

/* The special keys are the last ones. */
static void conditions(struct config *own, const struct csf_config *c)
{
	const uint32_t special = c->trcidr13;

	own->etm4.conditions = own->etm4.cond && own->marks & CSF_MARK_COND;
	own->etm4.cond_keys = c->trcidr12;
	own->etm4.cond_counted = special < c->trcidr12 ? c->trcidr12 - special : 0;
}

bool etm4_is_named(const struct csf_config *config)
{
	return config->trcdevarch;
}

const char *etm4_read_config(struct config *own, const struct csf_config *c)
{
	int version = read_version(c);

	if (version < 0)
		return ".trcidr1: neither it nor TRCDEVARCH names ETMv4 or ETE";
	own->version = version;
	own->etm4.version = version;
	own->protocol = etm4_is_ete(&own->etm4) ? CSF_PROTOCOL_ETE : CSF_PROTOCOL_ETM4;
	own->traces_eret = !etm4_is_ete(&own->etm4);
	own->max_spec = c->trcidr8;
	own->retstack = field(c->trcconfigr, 12, 12);
	own->bb = field(c->trcconfigr, 3, 3);
	own->checks = !c->unchecked;
	own->etm4.cycles = field(c->trcconfigr, 4, 4);
	own->rule = p0_rule(own, c);
	features(own, c->trcidr0);
	conditions(own, c);
	own->etm4.commopt = commopt(own, c);
	return sizes(own, c->trcidr2);
}

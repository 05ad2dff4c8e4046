// SPDX-License-Identifier: GPL-2.0-only
/* The registers of an ETMv4 or ETE. */
#include "encode-setup.h"

/* TRCIDR0 */
#define IDR0_BUILT	0x0801cea1	/* BB, CCI, return stack, 4 events, QFILT, 64-bit times */
#define IDR0_Q_EITHER	0x00018000
#define IDR0_Q_COUNT	0x00008000
#define IDR0_ITE	0x00400000
#define IDR0_TSMARK	0x00800000
#define IDR0_COMMTRANS	0x40000000
/* TRCIDR2: 64-bit addresses, 32-bit context IDs, 20-bit cycle counter, CONTEXTIDR_EL2 possible */
#define IDR2_BUILT	0x50000088
#define IDR2_VMID	10		/* shift: bytes of a VMID */
/* The sizes of VMIDs, context IDs and addresses, and VMIDOPT */
#define IDR2_SIZES	0x60007fff
#define IDR2_32BIT	0x00000004
#define IDR2_WFX	0x80000000
/* TRCCONFIGR */
#define CONFIG_BUILT	0x00000001
#define CONFIG_VMIDOPT	0x00008000

/* 0x4n: ETMv4.n, 0x5n: ETE 1.n */
static unsigned int version_of(const struct word *w)
{
	return (w->protocol == CSF_PROTOCOL_ETE ? 0x50 : 0x40) | w->minor;
}

/* M profile has neither processes nor virtual machines, and no trace unit of it is an ETE. */
static int check_m(const struct word *w)
{
	if (w->protocol == CSF_PROTOCOL_ETE)
		return setup_conflict(w, "m: M profile has ETMv4: etm4=4.0 to 4.6");
	if (w->setup->config.trcconfigr & (CONFIG_CID | CONFIG_VMID))
		return setup_conflict(w, "cid, vmid: M profile has neither");
	return 0;
}

static int check_sizes(const struct word *w)
{
	const uint32_t config = w->setup->config.trcconfigr;

	if (config & CONFIG_CCI && !w->setup->threshold)
		return setup_conflict(w, "cc: want a number");
	if (config & CONFIG_CID && w->cid_bits != 32)
		return setup_conflict(w, "cid: want 32");
	if (config & CONFIG_VMID && w->vmid_bits != 32 && w->protocol == CSF_PROTOCOL_ETE)
		return setup_conflict(w, "vmid: ETE has 32 bits");
	if (config & CONFIG_VMID && w->vmid_bits != 8 && version_of(w) == 0x40)
		return setup_conflict(w, "vmid: ETMv4.0 has vmid=8");
	return 0;
}

/* Checks for words that do not fit together, or do not exist in this version. */
static int check(const struct word *w)
{
	const struct enc_setup *s = w->setup;
	const uint32_t config = s->config.trcconfigr;
	const unsigned int version = version_of(w);
	const bool ete = version >= 0x50;

	if (w->m && check_m(w))
		return CSF_ERR_ARG;
	if (s->rate[ENC_RATE_SOURCE] && !ete)
		return setup_conflict(w, "source: ETMv4 has no source addresses");
	if (s->rate[ENC_RATE_TM] && !ete)
		return setup_conflict(w, "tm: ETMv4 has no transactions");
	if (s->rate[ENC_RATE_ITE] && version < 0x53)
		return setup_conflict(w, "ite: from ETE 1.3 on");
	if (s->rate[ENC_RATE_IGNORE] && version < 0x43)
		return setup_conflict(w, "ignore: from ETMv4.3 on");
	if (s->rate[ENC_RATE_Q] && config & CONFIG_BB)
		return setup_conflict(w, "q: not with bb");
	if (s->marker && (version < 0x46 || version == 0x50))
		return setup_conflict(w, "marker: ETMv4.6, or from ETE 1.1 on");
	if (s->marker && !(config & CONFIG_TS))
		return setup_conflict(w, "marker: of timestamps, so say ts=N too");
	if (w->wfx_given && s->wfx && version < 0x43)
		return setup_conflict(w, "wfx: from ETMv4.3 on");
	if (s->tm_quiet && (!ete || !s->spec_depth))
		return setup_conflict(w, "commtrans: ETE, with spec=DEPTH");
	if (s->likely_only && !s->rate[ENC_RATE_SPEC])
		return setup_conflict(w, "likely: with spec=DEPTH:N");
	if (w->commopt_given && !(s->config.trcidr0 & IDR0_COMMOPT) && !s->spec_depth)
		return setup_conflict(w, "commopt=0: with spec=DEPTH only");
	return check_sizes(w);
}

static void registers(const struct word *w)
{
	struct csf_config *c = &w->setup->config;
	const unsigned int version = version_of(w);

	c->trcidr0 |= IDR0_BUILT;
	c->trcidr0 |= w->setup->marker ? IDR0_TSMARK : 0;
	c->trcidr0 |= w->setup->tm_quiet ? IDR0_COMMTRANS : 0;
	c->trcidr2 = IDR2_BUILT | w->vmid_bits / 8 << IDR2_VMID;
	c->trcconfigr |= CONFIG_BUILT;
	if (version >= 0x50) {
		c->trcdevarch = 0x47705a13 | w->minor << 16;
		c->trcidr1 = 0x4100fff0;
	} else {
		c->trcidr1 = 0x4100f403 | w->minor << 4;
	}
	if (version >= 0x53)
		c->trcidr0 |= IDR0_ITE;
	if (w->setup->rate[ENC_RATE_Q] && (c->trcconfigr & CONFIG_Q_EITHER) == CONFIG_Q_COUNT)
		c->trcidr0 &= ~(IDR0_Q_EITHER & ~IDR0_Q_COUNT);
	if (w->setup->wfx)
		c->trcidr2 |= IDR2_WFX;
	c->trcidr8 = w->setup->spec_depth;
	if (w->m) {
		c->profile = CSF_PROFILE_M;
		c->trcidr2 = (c->trcidr2 & ~IDR2_SIZES) | IDR2_32BIT;
	}
}

int etm4_setup(struct word *w)
{
	if (w->vmidopt)
		w->setup->config.trcconfigr |= CONFIG_VMIDOPT | CONFIG_VMID;
	if (!w->wfx_given)
		w->setup->wfx = version_of(w) >= 0x43;
	if (check(w))
		return CSF_ERR_ARG;
	registers(w);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* The registers of an ETMv3. */
#include "encode-setup.h"

/* ETMCR */
#define CR_CPRT		0x00000002
#define CR_VALUES	0x00000004
#define CR_ADDRESSES	0x00000008
#define CR_BROADCAST	0x00000100
#define CR_CYCLES	0x00001000
#define CR_CID		14		/* shift: size of context IDs */
#define CR_TIME		0x10000000
#define CR_VMID		0x40000000
/* ETMCCER: timestamps; from ETMv3.5 on virtualization, not in M profile */
#define CCER_TIME	0x00400000
#define CCER_HYP	0x04000000
#define CCER_BINARY	0x10000000
#define CCER_64		0x20000000
/* ETMIDR: 11:8 ETMv3, 7:4 the minor version */
#define IDR_BUILT	0x4108f200	/* with security extensions */
#define IDR_WHOLE_BL	0x00040000
#define IDR_ALT		0x00100000

static int check(const struct word *w)
{
	const struct enc_setup *s = w->setup;
	const uint32_t asked = s->config.trcconfigr;
	const uint32_t *rate = s->rate;

	if (s->threshold)
		return setup_conflict(w, "cc: ETMv3 counts all cycles: want no number");
	if (s->broadcast.n)
		return setup_conflict(w, "bb: ETMv3 has it everywhere: want no range");
	if (asked & CONFIG_VMID && (w->minor < 5 || w->m))
		return setup_conflict(w, "vmid: from ETMv3.5 on, and not with m");
	if (w->vmid_given && w->vmid_bits != 8)
		return setup_conflict(w, "vmid: ETMv3 has 8 bits");
	if (asked & CONFIG_CID && w->m)
		return setup_conflict(w, "cid: M profile has none");
	if (w->alt && w->minor < 4)
		return setup_conflict(w, "alt: from ETMv3.4 on");
	if (w->m && w->minor < 4)
		return setup_conflict(w, "m: from ETMv3.4 on");
	if (w->cprt && w->data == SETUP_ADDRESSES)
		return setup_conflict(w, "cprt: not with data=addresses");
	if (!(asked & CONFIG_TS) && (w->gray || w->time_bits))
		return setup_conflict(w, "gray, tsbits: of timestamps, so say ts=N too");
	if (!w->data && !w->cprt && rate[ENC_RATE_SUPPRESS])
		return setup_conflict(w, "suppress: of data, so say data or cprt too");
	if (!w->data && (rate[ENC_RATE_LATE] || rate[ENC_RATE_UNTRACED]))
		return setup_conflict(w, "late, untraced: of data, so say data too");
	return 0;
}

static uint32_t control(const struct word *w, uint32_t asked)
{
	uint32_t cr = (asked & CONFIG_BB ? CR_BROADCAST : 0) |
		      (asked & CONFIG_CCI ? CR_CYCLES : 0) |
		      (asked & CONFIG_TS ? CR_TIME : 0) |
		      (asked & CONFIG_VMID ? CR_VMID : 0) | (w->cprt ? CR_CPRT : 0);

	if (w->data != SETUP_VALUES && w->data)
		cr |= CR_ADDRESSES;
	if (w->data != SETUP_ADDRESSES && w->data)
		cr |= CR_VALUES;
	if (asked & CONFIG_CID)
		cr |= (w->cid_bits == 32 ? 3 : w->cid_bits / 8) << CR_CID;
	return cr;
}

static void registers(const struct word *w)
{
	struct csf_config *c = &w->setup->config;
	const uint32_t asked = c->trcconfigr;

	*c = (struct csf_config){ .size = sizeof(*c), .protocol = CSF_PROTOCOL_ETM3 };
	c->profile = w->m ? CSF_PROFILE_M : 0;
	c->etmidr = IDR_BUILT | w->minor << 4 | (w->halves ? 0 : IDR_WHOLE_BL) |
		    (w->alt ? IDR_ALT : 0);
	c->etmcr = control(w, asked);
	c->etmccer = CCER_TIME | (w->gray ? 0 : CCER_BINARY) | (w->time_bits == 48 ? 0 : CCER_64) |
		     (w->minor >= 5 && !w->m ? CCER_HYP : 0);
}

int etm3_setup(struct word *w)
{
	if (check(w))
		return CSF_ERR_ARG;
	registers(w);
	return 0;
}

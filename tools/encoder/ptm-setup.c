// SPDX-License-Identifier: GPL-2.0-only
/* The registers of a PTM. */
#include "encode-setup.h"

/* ETMCR */
#define CR_BROADCAST	0x00000100
#define CR_CYCLES	0x00001000
#define CR_CID		14		/* shift: size of context IDs */
#define CR_TIME		0x10000000
#define CR_STACK	0x20000000
#define CR_VMID		0x40000000
/* ETMCCER: timestamps, a return stack, virtualization */
#define CCER_BUILT	0x04c00000
#define CCER_BARRIERS	0x01000000
#define CCER_BINARY	0x10000000
#define CCER_64		0x20000000
/* PFT 1.0 tells of no timestamps, and has no virtual machines. */
#define CCER_BUILT_10	0x00800000
/* ETMIDR: 11:8 PFT, 7:4 the minor version */
#define IDR_BUILT	0x4100f301

static int check(const struct word *w)
{
	const struct enc_setup *s = w->setup;
	const bool time = s->config.trcconfigr & CONFIG_TS;

	if (s->threshold)
		return setup_conflict(w, "cc: PTM counts all cycles: want no number");
	if (s->broadcast.n)
		return setup_conflict(w, "bb: PTM has it everywhere: want no range");
	if (w->vmid_given && w->vmid_bits != 8)
		return setup_conflict(w, "vmid: PTM has 8 bits");
	if (!w->minor && s->config.trcconfigr & CONFIG_VMID)
		return setup_conflict(w, "vmid: from PFT 1.1 on");
	if (!w->minor && (w->gray || w->time_bits == 64))
		return setup_conflict(w, "gray, tsbits=64: from PFT 1.1 on");
	if (!time && (w->gray || w->time_bits))
		return setup_conflict(w, "gray, tsbits: of timestamps, so say ts=N too");
	return 0;
}

static void registers(const struct word *w)
{
	struct csf_config *c = &w->setup->config;
	const uint32_t asked = c->trcconfigr;

	*c = (struct csf_config){ .size = sizeof(*c), .protocol = CSF_PROTOCOL_PTM };
	c->etmidr = IDR_BUILT | w->minor << 4;
	c->etmcr = (asked & CONFIG_BB ? CR_BROADCAST : 0) | (asked & CONFIG_CCI ? CR_CYCLES : 0) |
		   (asked & CONFIG_TS ? CR_TIME : 0) | (asked & CONFIG_RS ? CR_STACK : 0) |
		   (asked & CONFIG_VMID ? CR_VMID : 0);
	if (asked & CONFIG_CID)
		c->etmcr |= (w->cid_bits == 32 ? 3 : w->cid_bits / 8) << CR_CID;
	c->etmccer = w->setup->barriers ? CCER_BARRIERS : 0;
	if (!w->minor) {
		c->etmccer |= CCER_BUILT_10;
		return;
	}
	c->etmccer |= CCER_BUILT | (w->gray ? 0 : CCER_BINARY) |
		      (w->time_bits == 48 ? 0 : CCER_64);
}

int ptm_setup(struct word *w)
{
	if (check(w))
		return CSF_ERR_ARG;
	registers(w);
	return 0;
}

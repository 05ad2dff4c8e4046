/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The option string of a trace unit, and what a protocol makes of it.
 *
 * Words that several protocols have are kept as bits of TRCCONFIGR, or here; <protocol>_setup()
 * checks them, and sets the registers of the protocol.
 */
#ifndef CSF_ENCODE_SETUP_H
#define CSF_ENCODE_SETUP_H

#include "encoder.h"

/* TRCCONFIGR */
#define CONFIG_BB	0x00000008
#define CONFIG_CCI	0x00000010
#define CONFIG_CID	0x00000040
#define CONFIG_VMID	0x00000080
#define CONFIG_TS	0x00000800
#define CONFIG_RS	0x00001000
#define CONFIG_Q_COUNT	0x00002000
#define CONFIG_Q_EITHER	0x00006000
/* TRCIDR0 */
#define IDR0_COMMOPT	0x20000000

/* The parts of data transfers that are traced. */
enum setup_data { SETUP_NO_DATA, SETUP_DATA, SETUP_VALUES, SETUP_ADDRESSES };

/**
 * struct word - a word of the string, and the setup under construction
 * @text: the word; @value: after the =, or NULL
 * @seen: the words so far, by row of the table
 * @protocol: enum csf_protocol, and the minor number of its version, @minor
 * @cid_bits, @vmid_bits, @time_bits: sizes; 0: not given
 * @data: enum setup_data
 */
struct word {
	struct enc_setup *setup;
	char text[64];
	char *value;
	char *problem;
	uint64_t seen;
	uint32_t protocol, minor;
	uint32_t cid_bits, vmid_bits, time_bits;
	uint32_t data;
	bool wfx_given, commopt_given, vmid_given, m, gray, vmidopt;
	bool cprt, alt, halves;
};

/* Both write the error, and return CSF_ERR_ARG. */
int setup_wrong(const struct word *w, const char *what);
int setup_conflict(const struct word *w, const char *what);

/*
 * All words are read: check whether they fit together, and set registers.  Return: 0,
 * CSF_ERR_ARG.
 */
int etm4_setup(struct word *w);
int ptm_setup(struct word *w);
int mtb_setup(struct word *w);
int etm3_setup(struct word *w);

#endif /* CSF_ENCODE_SETUP_H */

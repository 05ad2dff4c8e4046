/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace unit described by options: for trace that does not describe itself. */
#ifndef CSF_UNIT_H
#define CSF_UNIT_H

#include "../../decoder/csflow.h"
#include "../lib/options.h"

/**
 * struct unit - zero it before the options are parsed
 * @protocol: index into unit_protocols[]
 * @profile: enum csf_profile
 */
struct unit {
	struct csf_config config;
	int protocol, profile;
};

extern const char *const unit_protocols[], *const unit_profiles[];

/* Rows of an option table. */
#define UNIT_OPTIONS(u) \
	OPT_CHOICE(0, "protocol", &(u)->protocol, unit_protocols, "PROTOCOL", \
		   "the kind of trace unit"), \
	OPT_CHOICE(0, "profile", &(u)->profile, unit_profiles, "PROFILE", \
		   "the profile of the processor"), \
	OPT_U32(0, "trcconfigr", &(u)->config.trcconfigr, "VALUE", \
		"register TRCCONFIGR: what it traces"), \
	OPT_U32(0, "trcdevarch", &(u)->config.trcdevarch, "VALUE", \
		"register TRCDEVARCH: its version"), \
	OPT_U32(0, "trcidr0", &(u)->config.trcidr0, "VALUE", "register TRCIDR0"), \
	OPT_U32(0, "trcidr1", &(u)->config.trcidr1, "VALUE", "register TRCIDR1"), \
	OPT_U32(0, "trcidr2", &(u)->config.trcidr2, "VALUE", "register TRCIDR2"), \
	OPT_U32(0, "trcidr8", &(u)->config.trcidr8, "VALUE", "register TRCIDR8"), \
	OPT_U32(0, "trcidr9", &(u)->config.trcidr9, "VALUE", "register TRCIDR9"), \
	OPT_U32(0, "trcidr10", &(u)->config.trcidr10, "VALUE", "register TRCIDR10"), \
	OPT_U32(0, "trcidr11", &(u)->config.trcidr11, "VALUE", "register TRCIDR11"), \
	OPT_U32(0, "trcidr12", &(u)->config.trcidr12, "VALUE", "register TRCIDR12"), \
	OPT_U32(0, "trcidr13", &(u)->config.trcidr13, "VALUE", "register TRCIDR13"), \
	OPT_U32(0, "etmcr", &(u)->config.etmcr, "VALUE", \
		"register ETMCR of an ETMv3 or a PTM"), \
	OPT_U32(0, "etmccer", &(u)->config.etmccer, "VALUE", \
		"register ETMCCER of an ETMv3 or a PTM"), \
	OPT_U32(0, "etmidr", &(u)->config.etmidr, "VALUE", \
		"register ETMIDR of an ETMv3 or a PTM"), \
	OPT_U32(0, "itmtcr", &(u)->config.itmtcr, "VALUE", "register ITM_TCR of an ITM"), \
	OPT_U32(0, "stp-order", &(u)->config.stp_order, "VALUE", \
		"STM: nibbles of a byte: 1: low one first, 2: high one, 0: as the trace shows " \
		"(default: 0)")

/* Is @id a possible trace ID?  If not, reports it as @command. */
bool unit_id_fits(uint64_t id, const char *command);

/* The message if unit_complete() returns false. */
#define UNIT_UNKNOWN	\
	"these registers are of no ETMv4, ETE, ETMv3 or PTM that csflow knows: the version of an ETMv4 is in --trcidr1, that of an ETE, with --protocol=ete, in --trcdevarch, that of an ETMv3 or a PTM, with --protocol=etmv3 or ptm, in --etmidr; without them a common one is assumed"

/* Room for unit_text(). */
#define UNIT_TEXT_MAX	512

/* Writes these options for @config on one line, without those that are 0. */
void unit_text(const struct csf_config *config, char text[UNIT_TEXT_MAX]);

/* What may be between the words of such a line. */
#define UNIT_BETWEEN	", \t\r\n"

/* The text after "NAME=" or "--NAME=", with which @word begins; NULL: it does not. */
const char *unit_value(const char *word, const char *name);

/* Reads one of these options; its dashes may be missing.  Return: it is one. */
bool unit_read_word(struct unit *u, const char *word);

/* Reads such a line.  Return: the first word that is not such an option; NULL: none. */
const char *unit_read(struct unit *u, const char *text);

/* Fills in the defaults.  Return: the library knows this trace unit. */
bool unit_complete(struct unit *u);

#endif /* CSF_UNIT_H */

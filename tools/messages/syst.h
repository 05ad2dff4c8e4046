/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages of MIPI SyS-T. */
#ifndef CSF_SYST_H
#define CSF_SYST_H

#include <stdbool.h>

#include "syst-catalog.h"

/* Longer texts are cut. */
#define SYST_TEXT_MAX	4096

enum syst_status { SYST_OK, SYST_CHECKSUM, SYST_SHORT, SYST_UNKNOWN };

/**
 * struct syst_message - a message
 * @status: SYST_CHECKSUM: the checksum is wrong; SYST_SHORT: bytes are missing; SYST_UNKNOWN: the
 *          catalog does not have it, or its type is unknown
 * @type: "CATALOG:ID32P32"
 * @severity: "INFO"
 * @origin: name of the client, or of the module; a GUID, or a number; "" for a short message
 * @location: "file.c:12", or an address; "" if there is none
 * @time: its own timestamp, if @has_time
 * @length: all its bytes
 * @text: @n_text bytes, of any value
 */
struct syst_message {
	enum syst_status status;
	char type[48];
	const char *severity;
	char origin[64], location[128];
	uint64_t time;
	size_t length, n_text;
	unsigned int unit;
	bool has_time;
	char text[SYST_TEXT_MAX];
};

/* "ok", "bad-checksum", "incomplete", "unknown" */
const char *syst_status(enum syst_status status);

/**
 * struct syst_source - the writer of a message, as the trace says
 * @master: of an STM; 0: none
 */
struct syst_source {
	uint16_t master, channel;
};

/**
 * syst_decode() - decode the message at the beginning of @bytes
 * @whole: the message ends with @n; otherwise it may be followed by more, or go on
 *
 * Return: bytes of the message; 0: more bytes are needed, only without @whole.
 */
size_t syst_decode(const struct syst_catalog *catalog, const struct syst_source *source,
		   const uint8_t *bytes, size_t n, bool whole, struct syst_message *m);

#endif /* CSF_SYST_H */

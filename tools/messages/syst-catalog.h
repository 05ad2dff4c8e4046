/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A collateral of MIPI SyS-T: the texts of messages of which the trace has only numbers, as XML.
 *
 *	err = syst_catalog_read(&catalog, path, problem);
 *	client = syst_catalog_client(catalog, guid);
 *	format = syst_catalog_format(catalog, client, SYST_CATALOG32, id);
 */
#ifndef CSF_SYST_CATALOG_H
#define CSF_SYST_CATALOG_H

#include <stddef.h>
#include <stdint.h>

/* What a number means: a list of the collateral for each. */
enum syst_list {
	SYST_CATALOG32, SYST_CATALOG64, SYST_SHORT32, SYST_SHORT64, SYST_WRITE, SYST_MODULE,
	SYST_FILE, SYST_BUILD, SYST_LISTS
};

/**
 * struct syst_format - one entry
 * @id, @mask: it is for numbers with these bits
 * @client: number of its client
 * @file, @line: of the source; 0: none
 */
struct syst_format {
	uint64_t id, mask;
	char *text;
	uint32_t client, file, line;
	enum syst_list list;
};

/* A GUID of a client, and the bits of it that count. */
struct syst_guid {
	uint8_t id[16], mask[16];
	uint32_t client;
};

/**
 * struct syst_catalog - all clients
 * @client: names of @n_client; numbers are from 0
 */
struct syst_catalog {
	char **client;
	struct syst_guid *guid;
	struct syst_format *format;
	size_t n_client, n_guid, n_format;
};

#define SYST_PROBLEM_MAX	160

/*
 * Return: 0; a negative errno: the file cannot be read, or with -EBADMSG it is no collateral, and
 * @problem says where and why.
 */
int syst_catalog_read(struct syst_catalog *c, const char *path, char problem[SYST_PROBLEM_MAX]);
void syst_catalog_free(struct syst_catalog *c);

/* The client of a GUID; -1: unknown. */
int syst_catalog_client(const struct syst_catalog *c, const uint8_t guid[16]);

/* The entry for @id; @client -1: of any client.  NULL: there is none. */
const struct syst_format *syst_catalog_format(const struct syst_catalog *c, int client,
					      enum syst_list list, uint64_t id);

#endif /* CSF_SYST_CATALOG_H */

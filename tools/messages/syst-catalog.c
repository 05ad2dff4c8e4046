// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <expat.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/file.h"
#include "syst-catalog.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* More would be no text for a reader. */
#define TEXT_MAX	(64u << 10)

/**
 * struct reading - the parser's state
 * @format: of the entry that is open; its text goes to @text
 * @list: the list that is open; SYST_LISTS: none
 */
struct reading {
	struct syst_catalog *catalog;
	XML_Parser parser;
	struct syst_format format;
	enum syst_list list;
	bool is_open, is_collateral;
	char *text;
	size_t n_text;
	int err;
};

/* The name without the prefix of its namespace. */
static const char *local(const char *name)
{
	const char *colon = strrchr(name, ':');

	return colon ? colon + 1 : name;
}

static const char *attribute(const char **all, const char *name)
{
	for (; *all; all += 2)
		if (!strcmp(local(*all), name))
			return all[1];
	return NULL;
}

static uint64_t number(const char **all, const char *name, uint64_t fallback)
{
	const char *text = attribute(all, name);

	return text ? strtoull(text, NULL, 0) : fallback;
}

/* Reads "{494E5443-8A9C-...}".  Digits that are missing are @fill. */
static void read_guid(const char *text, uint8_t guid[16], uint8_t fill)
{
	size_t n = 0;

	memset(guid, fill, 16);
	for (; text && *text && n < 32; text++) {
		const char c = tolower((unsigned char)*text);
		int digit;

		if (!isxdigit((unsigned char)c))
			continue;
		digit = c <= '9' ? c - '0' : c - 'a' + 10;
		guid[n / 2] = n & 1 ? (guid[n / 2] & 0xf0) | digit : digit << 4 | (fill & 15);
		n++;
	}
}

static void stop(struct reading *r, int err)
{
	if (!r->err)
		r->err = err;
	XML_StopParser(r->parser, XML_FALSE);
}

/* Room for one more after the @n elements of @size bytes at *@array. */
static bool grow(struct reading *r, void *array, size_t n, size_t size)
{
	void *more;

	if (n & (n - 1))
		return true;
	more = realloc(*(void **)array, (n ? 2 * n : 1) * size);
	if (!more)
		stop(r, -ENOMEM);
	else
		*(void **)array = more;
	return more;
}

static void add_client(struct reading *r, const char **attributes)
{
	struct syst_catalog *c = r->catalog;
	const char *name = attribute(attributes, "Name");

	if (!grow(r, &c->client, c->n_client, sizeof(*c->client)))
		return;
	c->client[c->n_client] = strdup(name ? name : "");
	if (!c->client[c->n_client])
		stop(r, -ENOMEM);
	else
		c->n_client++;
}

static void add_guid(struct reading *r, const char **attributes)
{
	struct syst_catalog *c = r->catalog;
	struct syst_guid *guid;

	if (!c->n_client || !grow(r, &c->guid, c->n_guid, sizeof(*c->guid)))
		return;
	guid = &c->guid[c->n_guid++];
	read_guid(attribute(attributes, "ID"), guid->id, 0);
	read_guid(attribute(attributes, "Mask"), guid->mask, 0xff);
	guid->client = c->n_client - 1;
}

static enum syst_list list_of(const char *name)
{
	static const char *const names[] = {
		"Catalog32", "Catalog64", "Short32", "Short64", "Write", "Modules", "SourceFiles",
		"Builds",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return i;
	return SYST_LISTS;
}

static bool is_entry(const char *name)
{
	return !strcmp(name, "Format") || !strcmp(name, "Protocol") || !strcmp(name, "Module") ||
	       !strcmp(name, "File") || !strcmp(name, "Build");
}

static void begin_entry(struct reading *r, const char **attributes)
{
	r->format = (struct syst_format){
		.id = number(attributes, "ID", 0), .mask = number(attributes, "Mask", UINT64_MAX),
		.file = number(attributes, "File", 0), .line = number(attributes, "Line", 0),
		.client = r->catalog->n_client - 1, .list = r->list,
	};
	r->is_open = true;
	r->n_text = 0;
}

static void XMLCALL begin(void *user, const char *name, const char **attributes)
{
	struct reading *r = user;

	name = local(name);
	if (!strcmp(name, "Collateral"))
		r->is_collateral = true;
	else if (!strcmp(name, "Client"))
		add_client(r, attributes);
	else if (!strcmp(name, "Guid"))
		add_guid(r, attributes);
	else if (list_of(name) < SYST_LISTS)
		r->list = list_of(name);
	else if (r->catalog->n_client && r->list < SYST_LISTS && is_entry(name))
		begin_entry(r, attributes);
}

static void XMLCALL text(void *user, const char *bytes, int n)
{
	struct reading *r = user;

	if (!r->is_open || r->n_text + n > TEXT_MAX)
		return;
	memcpy(r->text + r->n_text, bytes, n);
	r->n_text += n;
}

static void XMLCALL end(void *user, const char *name)
{
	struct reading *r = user;
	struct syst_catalog *c = r->catalog;

	if (list_of(local(name)) < SYST_LISTS)
		r->list = SYST_LISTS;
	if (!r->is_open || !is_entry(local(name)))
		return;
	r->is_open = false;
	if (!grow(r, &c->format, c->n_format, sizeof(*c->format)))
		return;
	r->format.text = strndup(r->text, r->n_text);
	if (!r->format.text)
		stop(r, -ENOMEM);
	else
		c->format[c->n_format++] = r->format;
}

/* A collateral needs no entities, and they can grow without bounds. */
static void XMLCALL entity(void *user, const char *name, int is_parameter, const char *value,
			   int n, const char *base, const char *system, const char *public,
			   const char *notation)
{
	stop(user, -EBADMSG);
}

static int parse(struct reading *r, const struct file *file, char problem[SYST_PROBLEM_MAX])
{
	enum XML_Error why;

	if (XML_Parse(r->parser, (const char *)file->data, file->n, 1) == XML_STATUS_OK) {
		if (r->is_collateral)
			return 0;
		snprintf(problem, SYST_PROBLEM_MAX, "it has no element Collateral");
		return -EBADMSG;
	}
	if (r->err == -ENOMEM)
		return r->err;
	why = XML_GetErrorCode(r->parser);
	snprintf(problem, SYST_PROBLEM_MAX, "line %lu: %s",
		 (unsigned long)XML_GetCurrentLineNumber(r->parser),
		 r->err ? "entities are not supported" : XML_ErrorString(why));
	return -EBADMSG;
}

int syst_catalog_read(struct syst_catalog *c, const char *path, char problem[SYST_PROBLEM_MAX])
{
	struct reading r = { .catalog = c, .list = SYST_LISTS };
	struct file file;
	int err = file_map(&file, path);

	*problem = '\0';
	if (err)
		return err;
	r.text = malloc(TEXT_MAX + 1);
	r.parser = XML_ParserCreate(NULL);
	if (!r.text || !r.parser) {
		err = -ENOMEM;
	} else if (file.n > INT32_MAX || !file.n) {
		snprintf(problem, SYST_PROBLEM_MAX, file.n ? "too large" : "the file is empty");
		err = -EBADMSG;
	} else {
		XML_SetUserData(r.parser, &r);
		XML_SetElementHandler(r.parser, begin, end);
		XML_SetCharacterDataHandler(r.parser, text);
		XML_SetEntityDeclHandler(r.parser, entity);
		err = parse(&r, &file, problem);
	}
	if (r.parser)
		XML_ParserFree(r.parser);
	free(r.text);
	file_unmap(&file);
	return err;
}

void syst_catalog_free(struct syst_catalog *c)
{
	for (size_t i = 0; i < c->n_client; i++)
		free(c->client[i]);
	for (size_t i = 0; i < c->n_format; i++)
		free(c->format[i].text);
	free(c->client);
	free(c->guid);
	free(c->format);
}

static bool guid_fits(const struct syst_guid *g, const uint8_t guid[16])
{
	for (int i = 0; i < 16; i++)
		if ((g->id[i] ^ guid[i]) & g->mask[i])
			return false;
	return true;
}

int syst_catalog_client(const struct syst_catalog *c, const uint8_t guid[16])
{
	for (size_t i = 0; i < c->n_guid; i++)
		if (guid_fits(&c->guid[i], guid))
			return c->guid[i].client;
	return -1;
}

const struct syst_format *syst_catalog_format(const struct syst_catalog *c, int client,
					      enum syst_list list, uint64_t id)
{
	for (size_t i = 0; i < c->n_format; i++) {
		const struct syst_format *f = &c->format[i];

		if (f->list == list && (client < 0 || f->client == client) &&
		    !((f->id ^ id) & f->mask))
			return f;
	}
	return NULL;
}

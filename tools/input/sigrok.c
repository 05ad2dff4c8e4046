// SPDX-License-Identifier: GPL-2.0-only
/*
 * libzip is loaded when it is first needed, as few users need it.
 *
 * Source: sigrok.org, "File format:sigrok/v2", and zip_open(3)
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sigrok.h"

#define READ_ONLY	16	/* ZIP_RDONLY */
#define STEP		(1u << 20)
#define CHANNELS	64

struct zip {
	void *archive;
	void *(*open)(const char *path, int flags, int *err);
	void *(*fopen)(void *archive, const char *name, uint32_t flags);
	int64_t (*fread)(void *file, void *to, uint64_t n);
	int (*fclose)(void *file);
	void (*discard)(void *archive);
};

/* What the text says. */
struct metadata {
	char name[64];
	char channel[CHANNELS][64];
	unsigned int unit;
	double rate;
};

/* Bytes that grow; @failed: there was no memory, or the archive is damaged. */
struct grown {
	uint8_t *p;
	size_t n, room;
	bool failed;
};

bool sigrok_is(const uint8_t *data, size_t n)
{
	return n >= 4 && !memcmp(data, "PK\003\004", 4);
}

static bool load(struct zip *z)
{
	void *lib = dlopen("libzip.so.5", RTLD_NOW) ?: dlopen("libzip.so.4", RTLD_NOW);

	if (!lib)
		return false;
	/* as in POSIX, since there is no conversion from data pointers to function pointers */
	*(void **)&z->open = dlsym(lib, "zip_open");
	*(void **)&z->fopen = dlsym(lib, "zip_fopen");
	*(void **)&z->fread = dlsym(lib, "zip_fread");
	*(void **)&z->fclose = dlsym(lib, "zip_fclose");
	*(void **)&z->discard = dlsym(lib, "zip_discard");
	return z->open && z->fopen && z->fread && z->fclose && z->discard;
}

static bool make_room(struct grown *g)
{
	uint8_t *p = g->p;

	if (g->room - g->n >= STEP)
		return true;
	g->room = 2 * g->room + 2 * STEP;
	p = realloc(p, g->room);
	if (!p)
		return false;
	g->p = p;
	return true;
}

/* Appends a member.  Return: there is one. */
static bool append(const struct zip *z, const char *name, struct grown *g)
{
	void *file = z->fopen(z->archive, name, 0);
	int64_t got = 1;

	while (file && got > 0 && !g->failed) {
		g->failed = !make_room(g);
		got = g->failed ? -1 : z->fread(file, g->p + g->n, STEP);
		g->n += got > 0 ? got : 0;
		g->failed |= got < 0;
	}
	if (file)
		z->fclose(file);
	return file;
}

/* ---------------------------------------------------------------- the text */

/* "24 MHz" or "24000000" */
static double read_rate(const char *text)
{
	char *unit;
	const double rate = strtod(text, &unit);

	while (*unit == ' ')
		unit++;
	switch (tolower((unsigned char)*unit)) {
	case 'g':
		return rate * 1e9;
	case 'm':
		return rate * 1e6;
	case 'k':
		return rate * 1e3;
	default:
		return rate;
	}
}

static void read_line(struct metadata *m, const char *key, const char *value)
{
	const unsigned int i = strncmp(key, "probe", 5) ? 0 : atoi(key + 5);

	if (!strcmp(key, "capturefile"))
		snprintf(m->name, sizeof(m->name), "%s", value);
	else if (!strcmp(key, "unitsize"))
		m->unit = atoi(value);
	else if (!strcmp(key, "samplerate"))
		m->rate = read_rate(value);
	else if (i >= 1 && i <= CHANNELS)
		snprintf(m->channel[i - 1], sizeof(m->channel[0]), "%s", value);
}

/* Blanks around a key and its value do not count.  @text is changed. */
static void read_text(struct metadata *m, char *text)
{
	char *rest = NULL;

	for (char *line; (line = strtok_r(text, "\r\n", &rest)); text = NULL) {
		char *value = strchr(line, '='), *end = value;

		if (!value || *line == '#')
			continue;
		while (end > line && isspace((unsigned char)end[-1]))
			end--;
		*end = 0;
		value++;
		read_line(m, line + strspn(line, " \t"), value + strspn(value, " \t"));
	}
}

/* Return: bit of the channel; -1: it is not clear which one is meant. */
static int find_channel(const struct metadata *m, const char *wanted)
{
	int only = -1, n = 0;

	if (wanted && isdigit((unsigned char)*wanted) && atoi(wanted) >= 1)
		return atoi(wanted) <= CHANNELS ? atoi(wanted) - 1 : -1;
	for (int i = 0; i < CHANNELS; i++) {
		const char *name = m->channel[i];

		if (wanted ? !strcasecmp(name, wanted) : !!strcasestr(name, "swo"))
			return i;
		n += !!*m->channel[i];
		only = *m->channel[i] ? i : only;
	}
	return !wanted && n == 1 ? only : -1;
}

/* ---------------------------------------------------------------- the samples */

/* One member, or several with a number each. */
static void read_members(const struct zip *z, const struct metadata *m, struct grown *g)
{
	char name[96];

	if (append(z, m->name, g))
		return;
	for (int i = 1; !g->failed; i++) {
		snprintf(name, sizeof(name), "%s-%d", m->name, i);
		if (!append(z, name, g))
			return;
	}
}

static const char *read_archive(struct sigrok *s, const struct zip *z, const char *channel)
{
	struct metadata m = { .name = "logic-1", .unit = 1 };
	struct grown text = { 0 }, data = { 0 };
	int bit;

	if (!append(z, "metadata", &text) || text.failed || !make_room(&text)) {
		free(text.p);
		return "a zip, but not one of sigrok: it has no metadata";
	}
	text.p[text.n] = 0;
	read_text(&m, (char *)text.p);
	free(text.p);
	bit = find_channel(&m, channel);
	if (bit < 0)
		return channel ? "it has no channel of the name in --wire" :
				 "it is not clear which channel is the wire: see --wire";
	if (!m.unit || bit / 8 >= m.unit)
		return "its samples have no such channel";
	read_members(z, &m, &data);
	if (data.failed || data.n < m.unit) {
		free(data.p);
		return data.failed ? "its samples cannot be read" : "it has no samples";
	}
	s->data = data.p;
	s->rate = m.rate;
	s->samples = (struct line_samples){
		.data = data.p, .n = data.n / m.unit, .unit = m.unit, .bit = bit,
	};
	return NULL;
}

const char *sigrok_read(struct sigrok *s, const char *path, const char *channel)
{
	const char *wrong;
	struct zip z;

	*s = (struct sigrok){ 0 };
	if (!load(&z))
		return "a capture of sigrok, which only libzip can read: it is not installed";
	z.archive = z.open(path, READ_ONLY, NULL);
	if (!z.archive)
		return "a damaged zip";
	wrong = read_archive(s, &z, channel);
	z.discard(z.archive);
	return wrong;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/file.h"
#include "snapshot-device.h"

/* The longest device list, buffer list or map; a longer one is an attack. */
#define ENTRIES_MAX 10000

static bool leaves_folder(const char *name)
{
	if (name[0] == '/')
		return true;
	for (const char *p = name; p; p = strchr(p, '/')) {
		p += *p == '/';
		if (p[0] == '.' && p[1] == '.' && (!p[2] || p[2] == '/'))
			return true;
	}
	return false;
}

/* Finds the file in the folder of @path whose name differs only within tolerance. */
static void find_alike(char *path, size_t start)
{
	char *name = strrchr(path + start, '/');
	struct dirent *entry;
	DIR *dir;

	if (!name)
		return;
	*name = '\0';
	dir = opendir(path);
	*name++ = '/';
	if (!dir)
		return;
	while ((entry = readdir(dir)) != NULL) {
		if (strlen(entry->d_name) == strlen(name) && ini_same(entry->d_name, name)) {
			memcpy(name, entry->d_name, strlen(name));
			break;
		}
	}
	closedir(dir);
}

char *snapshot_path(struct snapshot *s, const char *name)
{
	size_t n = strlen(s->dir), size = n + strlen(name) + 2;
	char *path = malloc(size);

	if (!path)
		return NULL;
	memcpy(path, s->dir, n);
	path[n] = '/';
	strcpy(path + n + 1, name);
	for (char *c = path + n + 1; *c; c++)
		if (*c == '\\')
			*c = '/';
	if (leaves_folder(path + n + 1))
		*path = '\0';
	else if (access(path, F_OK))
		find_alike(path, n);
	return path;
}

static bool same_name(const char *a, const char *b, bool exact)
{
	return exact ? !strcmp(a, b) : ini_same(a, b);
}

const struct snapshot_device *snapshot_device(const struct snapshot *s, const char *name)
{
	for (int exact = 1; exact >= 0; exact--) {
		for (size_t i = 0; i < s->n_device; i++) {
			const struct snapshot_device *d = &s->device[i];

			if (name[0] == '@' && *d->location &&
			    same_name(d->location, name + 1, exact))
				return d;
			if (*d->name && same_name(d->name, name, exact))
				return d;
		}
	}
	return NULL;
}

const struct snapshot_buffer *snapshot_buffer(const struct snapshot *s, const char *name)
{
	for (int exact = 1; exact >= 0; exact--)
		for (size_t i = 0; i < s->n_buffer; i++)
			if (same_name(s->buffer[i].name, name, exact))
				return &s->buffer[i];
	return NULL;
}

static bool names_device(const struct snapshot *s, const char *name,
			 const struct snapshot_device *device)
{
	return snapshot_device(s, name) == device;
}

const struct snapshot_device *snapshot_core(const struct snapshot *s,
					    const struct snapshot_device *source)
{
	for (size_t i = 0; i < s->n_source_core; i++)
		if (names_device(s, s->source_core[i].from, source))
			return snapshot_device(s, s->source_core[i].to);
	return NULL;
}

/* Does the map name a unit for @buffer? */
static bool has_unit(const struct snapshot *s, const struct snapshot_buffer *buffer)
{
	for (size_t i = 0; i < s->n_source_buffer; i++)
		if (snapshot_buffer(s, s->source_buffer[i].to) == buffer &&
		    snapshot_device(s, s->source_buffer[i].from))
			return true;
	return false;
}

/* Does the map name the buffers of @stream of @source?  -1: of @source, without a stream. */
static bool is_mapped(const struct snapshot *s, const struct snapshot_device *source, int stream)
{
	for (size_t i = 0; i < s->n_source_buffer; i++)
		if (s->source_buffer[i].stream == stream &&
		    names_device(s, s->source_buffer[i].from, source))
			return true;
	return false;
}

bool snapshot_in_buffer(const struct snapshot *s, const struct snapshot_device *source,
			enum snapshot_stream stream, const struct snapshot_buffer *buffer)
{
	const int named = is_mapped(s, source, stream) ? (int)stream : -1;

	for (size_t i = 0; i < s->n_source_buffer; i++) {
		const struct snapshot_link *link = &s->source_buffer[i];

		if (link->stream == named && names_device(s, link->from, source) &&
		    snapshot_buffer(s, link->to) == buffer)
			return true;
	}
	if (buffer->format == FORMAT_RAW && has_unit(s, buffer))	/* it has one unit */
		return false;
	return !is_mapped(s, source, named) && (!s->n_source_buffer || s->n_buffer == 1);
}

static bool sends_messages(const struct snapshot_device *d)
{
	return d->protocol == CSF_PROTOCOL_ITM || d->protocol == CSF_PROTOCOL_STM;
}

const struct snapshot_device *snapshot_raw_unit(const struct snapshot *s,
						const struct snapshot_buffer *buffer)
{
	const struct snapshot_device *unit = NULL;

	for (size_t i = 0; i < s->n_device; i++) {
		const struct snapshot_device *d = &s->device[i];

		if (d->class != CLASS_SOURCE ||
		    !snapshot_in_buffer(s, d, STREAM_INSTRUCTIONS, buffer))
			continue;
		if (!unit || (sends_messages(d) - sends_messages(unit) ?:
			      strcmp(d->name, unit->name)) < 0)
			unit = d;
	}
	return unit;
}

/* An MTB has a memory of its own, in which there are no frames. */
static void check_mtb(struct snapshot *s)
{
	for (size_t i = 0; i < s->n_buffer; i++) {
		struct snapshot_buffer *b = &s->buffer[i];
		const struct snapshot_device *unit = snapshot_raw_unit(s, b);

		if (b->format == FORMAT_RAW || !unit || unit->protocol != CSF_PROTOCOL_MTB)
			continue;
		problems_warn(&s->problems, s->trace_ini, 0,
			      "buffer %s: %s is an MTB, which writes no frames: format=source_data is meant",
			      b->name, unit->name);
		b->format = FORMAT_RAW;
	}
}

/* The next item of a comma list, blanks trimmed, empty ones left out; NULL: the end. */
static char *next_item(char **list)
{
	char *item = NULL;
	size_t n;

	while (*list && (!item || !*item)) {
		item = strsep(list, ",");
		item += strspn(item, " \t");
		n = strlen(item);
		while (n && (item[n - 1] == ' ' || item[n - 1] == '\t'))
			item[--n] = '\0';
	}
	return item && *item ? item : NULL;
}

static int add_link(struct snapshot_link **links, size_t *n, const char *from, const char *to)
{
	struct snapshot_link *link = snapshot_grow(*links, *n, sizeof(*link));
	char *stream;

	if (!link)
		return -ENOMEM;
	*links = link;
	link = &link[*n];
	link->from = strdup(from);
	link->to = strdup(to);
	link->stream = -1;
	(*n)++;
	if (!link->from || !link->to)
		return -ENOMEM;
	stream = strstr(link->from, "(stream:");
	if (!stream)
		return 0;
	link->stream = strtoul(stream + 8, NULL, 10) & INT_MAX;
	while (stream > link->from && (stream[-1] == ' ' || stream[-1] == '\t'))
		stream--;
	*stream = '\0';
	return 0;
}

/* A location has commas of its own, so it stands alone. */
static char *next_source(char **list)
{
	char *item = *list;

	if (!item || *item != '@')
		return next_item(list);
	*list = NULL;
	return item;
}

/* core = source; a core may have several sources. */
static int read_source_core(struct snapshot *s, const struct ini *ini,
			    const struct ini_entry *entry)
{
	char *list = strdup(entry->value), *rest = list, *item;
	int err = list ? 0 : -ENOMEM;

	if (!snapshot_device(s, entry->key))
		problems_warn(&s->problems, ini->name, entry->line, "there is no core '%s'",
			      entry->key);
	while (!err && rest && (item = next_source(&rest)) != NULL) {
		if (!snapshot_device(s, item))
			problems_warn(&s->problems, ini->name, entry->line,
				      "there is no trace source '%s'", item);
		err = add_link(&s->source_core, &s->n_source_core, item, entry->key);
	}
	free(list);
	return err;
}

static int read_source_buffer(struct snapshot *s, const struct ini *ini,
			      const struct ini_entry *entry)
{
	char *list = strdup(entry->value), *rest = list, *item;
	int err = list ? 0 : -ENOMEM;

	while (!err && rest && (item = next_item(&rest)) != NULL) {
		if (!snapshot_buffer(s, item))
			problems_warn(&s->problems, ini->name, entry->line,
				      "there is no buffer '%s'", item);
		err = add_link(&s->source_buffer, &s->n_source_buffer, entry->key, item);
	}
	free(list);
	if (!err && s->n_source_buffer) {
		const struct snapshot_link *link = &s->source_buffer[s->n_source_buffer - 1];

		if (!snapshot_device(s, link->from))
			problems_warn(&s->problems, ini->name, entry->line,
				      "there is no trace source '%s'", link->from);
		if (link->stream > STREAM_DATA)
			problems_warn(&s->problems, ini->name, entry->line,
				      "%s has no stream %d: want 0 or 1", link->from, link->stream);
	}
	return err;
}

static enum snapshot_format format_of(const char *text)
{
	if (ini_same(text, "coresight"))
		return FORMAT_FRAMES;
	if (ini_same(text, "dstream_coresight"))
		return FORMAT_DSTREAM;
	if (ini_same(text, "source_data"))
		return FORMAT_RAW;
	if (ini_same(text, "tmc_crash"))
		return FORMAT_CRASH;
	return FORMAT_OTHER;
}

static int add_buffer_path(struct snapshot *s, struct snapshot_buffer *b, const char *name,
			   const struct ini *ini, unsigned int line)
{
	char **grown = snapshot_grow(b->path, b->n_path, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	b->path = grown;
	b->path[b->n_path] = snapshot_path(s, name);
	if (!b->path[b->n_path])
		return -ENOMEM;
	if (!*b->path[b->n_path])
		problems_warn(&s->problems, ini->name, line, "'%s' leads out of the folder", name);
	b->n_path++;
	return 0;
}

static int read_buffer(struct snapshot *s, const struct ini *ini,
		       const struct ini_section *section)
{
	const struct ini_entry *file = ini_entry(section, "file");
	const struct ini_entry *name = ini_entry(section, "name");
	const struct ini_entry *format = ini_entry(section, "format");
	struct snapshot_buffer *b;
	char *list, *rest, *item;
	int err = 0;

	if (!file) {
		problems_warn(&s->problems, ini->name, section->line, "[%s] has no file",
			      section->name);
		return 0;
	}
	b = snapshot_grow(s->buffer, s->n_buffer, sizeof(*b));
	if (!b)
		return -ENOMEM;
	s->buffer = b;
	b = &s->buffer[s->n_buffer++];
	b->id = strdup(section->name);
	b->name = strdup(name ? name->value : section->name);
	b->line = file->line;
	b->format = format ? format_of(format->value) : FORMAT_FRAMES;
	if (b->format == FORMAT_OTHER)
		problems_warn(&s->problems, ini->name, format->line,
			      "buffer format '%s' is none of coresight, dstream_coresight, source_data, tmc_crash; taken for coresight",
			      format->value);
	list = strdup(file->value);
	if (!b->id || !b->name || !list)
		err = -ENOMEM;
	rest = list;
	while (!err && rest && (item = next_item(&rest)) != NULL)
		err = add_buffer_path(s, b, item, ini, file->line);
	free(list);
	return err;
}

static bool in_list(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = list; *p; p += *p == ',') {
		size_t len = strcspn(p, ",");
		size_t blank = strspn(p, " \t");

		if (len >= blank + n && !strncasecmp(p + blank, name, n) &&
		    blank + n + strspn(p + blank + n, " \t") == len)
			return true;
		p += len;
	}
	return false;
}

static void warn_unlisted(struct snapshot *s, const struct ini *ini,
			  const struct ini_section *section)
{
	static const char *const known[] = {
		"trace_buffers", "core_trace_sources", "source_buffers", "timestamp"
	};
	size_t i = 0;

	while (i < 4 && !ini_same(section->name, known[i]))
		i++;
	if (i == 4)
		problems_warn(&s->problems, ini->name, section->line,
			      "[%s]: neither a known section nor one of buffers=: ignored",
			      section->name);
}

static int read_buffers(struct snapshot *s, const struct ini *ini)
{
	const struct ini_entry *list = ini_entry(ini_section(ini, "trace_buffers"), "buffers");
	int err = 0;

	if (!list) {
		problems_error(&s->problems, ini->name, 0, "[trace_buffers] has no buffers=");
		return 0;
	}
	for (size_t i = 0; i < ini->n && !err; i++) {
		const struct ini_section *section = &ini->section[i];

		if (!in_list(list->value, section->name))
			warn_unlisted(s, ini, section);
		else if (ini_section(ini, section->name) == section)
			err = read_buffer(s, ini, section);
	}
	if (!err && !s->n_buffer)
		problems_error(&s->problems, ini->name, list->line,
			       "none of the buffers '%s' has a section", list->value);
	return err;
}

static int read_maps(struct snapshot *s, const struct ini *ini)
{
	int err = 0;

	for (size_t i = 0; i < ini->n && !err; i++) {
		const struct ini_section *section = &ini->section[i];

		for (size_t j = 0; j < section->n && !err; j++) {
			if (s->n_source_core + s->n_source_buffer > ENTRIES_MAX)
				return 0;
			if (ini_same(section->name, "core_trace_sources"))
				err = read_source_core(s, ini, &section->entry[j]);
			else if (ini_same(section->name, "source_buffers"))
				err = read_source_buffer(s, ini, &section->entry[j]);
		}
	}
	return err;
}

static int open_ini(struct snapshot *s, struct ini *ini, const char *name, bool vital)
{
	char *path = snapshot_path(s, name);
	const char *shown = path && *path ? path : name;
	int err = path && *path ? ini_read(ini, path, &s->problems) : -EACCES;

	if (err && vital)	/* perhaps it is not a folder */
		problems_error(&s->problems, shown, 0, "%s", file_words(shown, err));
	else if (err)
		problems_warn(&s->problems, shown, 0, "%s", file_words(shown, err));
	free(path);
	return err;
}

static int read_trace(struct snapshot *s, const struct ini *main_ini)
{
	const struct ini_entry *metadata = ini_entry(ini_section(main_ini, "trace"), "metadata");
	struct ini ini = { 0 };
	int err;

	if (!metadata) {
		problems_warn(&s->problems, main_ini->name, 0,
			      "no [trace] metadata=: the snapshot has no trace");
		return 0;
	}
	s->trace_ini = strdup(metadata->value);
	err = s->trace_ini ? 0 : -ENOMEM;
	if (!err && !open_ini(s, &ini, metadata->value, true)) {
		err = read_buffers(s, &ini);
		if (!err)
			err = read_maps(s, &ini);
		if (!err)
			check_mtb(s);
	}
	ini_free(&ini);
	return err;
}

static int read_devices(struct snapshot *s, const struct ini *main_ini)
{
	const struct ini_section *list = ini_section(main_ini, "device_list");
	int err = 0;

	if (!list)
		problems_warn(&s->problems, main_ini->name, 0, "no [device_list]");
	for (size_t i = 0; list && i < list->n && i < ENTRIES_MAX && !err; i++) {
		struct ini ini = { 0 };

		if (!open_ini(s, &ini, list->entry[i].value, false))
			err = snapshot_device_add(s, &ini);
		ini_free(&ini);
	}
	return err;
}

static void check_version(struct snapshot *s, const struct ini *ini)
{
	const struct ini_entry *version = ini_entry(ini_section(ini, "snapshot"), "version");

	if (!version)
		problems_warn(&s->problems, ini->name, 0, "no version=, taken for 0.1");
	else if (strcmp(version->value, "1") && strncmp(version->value, "1.", 2))
		problems_error(&s->problems, ini->name, version->line,
			       "version '%s' is not supported", version->value);
}

/* Clusters are of no use here, but a wrong name in one may be meant for another file, too. */
static int check_clusters(struct snapshot *s, const struct ini *ini)
{
	const struct ini_section *clusters = ini_section(ini, "clusters");
	char *list, *rest, *item;

	for (size_t i = 0; clusters && i < clusters->n && i < ENTRIES_MAX; i++) {
		list = strdup(clusters->entry[i].value);
		if (!list)
			return -ENOMEM;
		rest = list;
		while (rest && (item = next_item(&rest)) != NULL)
			if (!snapshot_device(s, item))
				problems_warn(&s->problems, ini->name, clusters->entry[i].line,
					      "cluster '%s': there is no device '%s'",
					      clusters->entry[i].key, item);
		free(list);
	}
	return 0;
}

static int read_all(struct snapshot *s, const struct ini *ini)
{
	static const char *const known[] = {
		"snapshot", "device_list", "trace", "clusters", NULL
	};
	const struct ini_section *section = ini_section(ini, "snapshot");
	const struct ini_entry *version = ini_entry(section, "version");
	const struct ini_entry *description = ini_entry(section, "description");
	int err;

	ini_warn_unknown(ini, known, NULL, &s->problems);
	check_version(s, ini);
	s->version = strdup(version ? version->value : "0.1");
	s->description = strdup(description ? description->value : "");
	if (!s->version || !s->description)
		return -ENOMEM;
	err = read_devices(s, ini);
	if (!err)
		err = check_clusters(s, ini);
	return err ? err : read_trace(s, ini);
}

#define NAME	"snapshot.ini"

/* The name of the file at the end of the path, "": another name. */
static const char *name_in(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return strcmp(name, NAME) ? "" : name;
}

bool snapshot_is(const char *path)
{
	struct stat st;

	return *name_in(path) || (!stat(path, &st) && S_ISDIR(st.st_mode));
}

static char *folder_of(const char *path)
{
	const char *name = name_in(path);
	struct stat st;

	if (!*name || (!stat(path, &st) && S_ISDIR(st.st_mode)))
		return strdup(path);
	return name == path ? strdup(".") : strndup(path, name - path - 1);
}

/* Is it a folder with other things?  It is reported. */
static bool is_bare(struct snapshot *s)
{
	char *path = snapshot_path(s, NAME);
	struct stat st;
	const bool bare = path && *path && !stat(s->dir, &st) && S_ISDIR(st.st_mode) &&
			  stat(path, &st) && errno == ENOENT;

	if (bare)
		problems_error(&s->problems, s->dir, 0,
			       "a folder without snapshot.ini, as a snapshot has it, and without data, as a recording has it");
	free(path);
	return bare;
}

int snapshot_open(struct snapshot *s, const char *dir)
{
	struct ini ini = { 0 };
	int err;

	memset(s, 0, sizeof(*s));
	s->dir = folder_of(dir);
	err = !s->dir ? -ENOMEM : is_bare(s) ? -ENOENT : open_ini(s, &ini, NAME, true);
	if (!err)
		err = read_all(s, &ini);
	ini_free(&ini);
	if (err == -ENOMEM)
		problems_error(&s->problems, dir, 0, "no memory");
	return err || s->problems.errors ? -1 : 0;
}

static void free_links(struct snapshot_link *link, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(link[i].from);
		free(link[i].to);
	}
	free(link);
}

static void free_buffer(struct snapshot_buffer *b)
{
	for (size_t i = 0; i < b->n_path; i++)
		free(b->path[i]);
	free(b->path);
	free(b->id);
	free(b->name);
}

void snapshot_close(struct snapshot *s)
{
	for (size_t i = 0; i < s->n_device; i++)
		snapshot_device_free(&s->device[i]);
	for (size_t i = 0; i < s->n_buffer; i++)
		free_buffer(&s->buffer[i]);
	free_links(s->source_core, s->n_source_core);
	free_links(s->source_buffer, s->n_source_buffer);
	free(s->device);
	free(s->buffer);
	free(s->dir);
	free(s->version);
	free(s->description);
	free(s->trace_ini);
	problems_free(&s->problems);
	memset(s, 0, sizeof(*s));
}

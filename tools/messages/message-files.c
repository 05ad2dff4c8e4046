// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../input/frame-ids.h"
#include "../lib/file.h"
#include "../lib/log.h"
#include "../lib/status.h"
#include "feed.h"
#include "message-files.h"

#define CHUNK	(256u << 10)

/* ---------------------------------------------------------------- sources */

static struct message_source *find(struct message_files *f, const struct input_source *source)
{
	char name[sizeof(f->source[0]->name)];

	if (source->name)
		snprintf(name, sizeof(name), "%s", source->name);
	else
		snprintf(name, sizeof(name), "CPU %u", source->number);
	for (size_t i = 0; i < f->n; i++)
		if (f->source[i]->id == source->id && !strcmp(f->source[i]->name, name))
			return f->source[i];
	return NULL;
}

static struct message_source *add(struct message_files *f)
{
	struct message_source **more = realloc(f->source, (f->n + 1) * sizeof(*more));
	struct message_source *s = more ? calloc(1, sizeof(*s)) : NULL;

	if (more)
		f->source = more;
	if (!s)
		return NULL;
	s->number = f->n;
	f->source[f->n++] = s;
	return s;
}

struct message_source *message_files_open(struct message_files *f,
					  const struct input_source *source, int *err)
{
	struct message_source *s = find(f, source);

	if (!s || s->messages || s->monitor)
		s = add(f);

	*err = CSF_ERR_MEMORY;
	if (!s)
		return NULL;
	s->hz = f->hz;
	s->hz_given = f->hz;
	*err = message_source_open(s, source);
	return s;
}

void message_files_shut(struct message_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		message_source_close(f->source[i]);
}

void message_files_close(struct message_files *f)
{
	message_files_shut(f);
	for (size_t i = 0; i < f->n; i++)
		free(f->source[i]);
	free(f->source);
}

static const char *protocol_name(const struct csf_config *config)
{
	switch (csf_config_protocol(config)) {
	case CSF_PROTOCOL_ETE:
		return "an ETE without instrumentation";
	case CSF_PROTOCOL_ETM3:
		return "an ETMv3";
	case CSF_PROTOCOL_PTM:
		return "a PTM";
	case CSF_PROTOCOL_MTB:
		return "an MTB";
	default:
		return "an ETMv4";
	}
}

void message_files_other(struct message_files *f, const struct csf_config *config)
{
	const char *name = protocol_name(config);
	const size_t n = strlen(f->others);

	if (!strstr(f->others, name))
		snprintf(f->others + n, sizeof(f->others) - n, "%s%s", n ? ", " : "", name);
}

int message_files_none(const struct message_files *f, const char *path)
{
	log_say(LOG_UNKNOWN, "csflow: %s: no source of messages", path);
	if (*f->others)
		log_say(LOG_UNKNOWN, ": it has %s; see 'csflow dump'", f->others);
	log_say(LOG_UNKNOWN, "\n");
	return CMD_FAILED;
}

int message_files_end(const struct message_files *f, const char *path, int err)
{
	if (!err)
		return CMD_OK;
	if (!f->listing->error)
		log_say(LOG_FILE, "csflow: %s: %s\n", path, csf_strerror(err));
	return CMD_FAILED;
}

/* ---------------------------------------------------------------- plain bytes */

/* Reads trace as it arrives, in constant memory. */
static int read_all(struct message_files *f, struct feed *feed, struct spool *s, const char *path)
{
	uint8_t *chunk = malloc(CHUNK);
	uint64_t done = 0;
	ssize_t n = 0;
	int err = chunk ? 0 : CSF_ERR_MEMORY;

	while (!err && (n = spool_read(s, chunk, CHUNK)) > 0) {
		err = feed_bytes(feed, chunk, n);
		progress_at(&f->progress, done += n);
	}
	free(chunk);
	if (!err && !n)
		err = feed_end(feed);
	if (n >= 0)
		return message_files_end(f, path, err);
	log_say(LOG_FILE, "csflow: %s: %s\n", path, strerror(-n));
	return CMD_FAILED;
}

int message_files_unit(struct message_files *f, const char *path, struct input_source *source)
{
	static const char *const names[] = {
		[CSF_PROTOCOL_ETE] = "ETE", [CSF_PROTOCOL_ITM] = "ITM", [CSF_PROTOCOL_STM] = "STM",
	};

	*source = (struct input_source){ .config = f->unit.config, .id = f->id };
	if (!message_source_is(&source->config)) {
		message_files_other(f, &source->config);
		return message_files_none(f, path);
	}
	source->name = names[csf_config_protocol(&source->config)];
	return CMD_OK;
}

static int read_spool(struct message_files *f, struct spool *s, const char *path, uint64_t size)
{
	struct feed feed = { .take = listing_take, .owner = f->listing };
	struct message_source *reader;
	struct input_source source;
	int err, status = message_files_unit(f, path, &source);

	if (status)
		return status;
	if (!s->n_head) {
		log_say(LOG_FILE, "csflow: %s: the file is empty\n", path);
		return CMD_FAILED;
	}
	reader = message_files_open(f, &source, &err);
	if (!err)
		err = feed_open(&feed, f->framing, &reader, 1);
	if (err)
		return message_files_end(f, path, err);
	progress_start(&f->progress, path, size, f->show_progress);
	status = read_all(f, &feed, s, path);
	progress_stop(&f->progress);
	message_files_shut(f);
	feed_close(&feed);
	return status;
}

static int find_id(struct message_files *f, const char *path)
{
	uint8_t id;
	int status;

	if (f->framing == INPUT_RAW || f->id_given)
		return CMD_OK;
	status = frame_ids_only("messages", path, path, f->framing, &id);
	f->id = status == CMD_OK ? id : 0;
	return status;
}

int message_files_raw(struct message_files *f, const char *path)
{
	struct spool s = { 0 };
	struct stat st;
	int fd, err, status;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 || fstat(fd, &st) ? -errno : spool_begin(&s, fd);
	if (err) {
		log_say(LOG_FILE, "csflow: %s: %s\n", path, file_words(path, err));
		status = CMD_FAILED;
	} else if (transport_wanted(&f->wire, f->framing, s.head, s.n_head)) {
		status = message_files_wire(f, path, path);
	} else {
		status = find_id(f, path);
		if (!status)
			status = read_spool(f, &s, path, st.st_size);
	}
	spool_end(&s);
	if (fd >= 0)
		close(fd);
	return status;
}

int message_files_standard(struct message_files *f)
{
	struct spool s = { 0 };
	int status, err = spool_begin(&s, STDIN_FILENO);
	const bool wire = transport_wanted(&f->wire, f->framing, s.head, s.n_head);

	if (!err && (wire || spool_is_perf(&s)))
		err = spool_all(&s);
	if (err) {
		log_say(LOG_FILE, "csflow: -: %s\n", strerror(-err));
		status = CMD_FAILED;
	} else if (spool_is_perf(&s)) {
		status = message_files_perf(f, "-");
	} else if (wire) {
		status = message_files_wire(f, s.path, "-");
	} else if (f->framing != INPUT_RAW && !f->id_given) {
		log_say(LOG_UNKNOWN, "csflow: -: frames: name the source with --id\n");
		status = CMD_USAGE;
	} else {
		status = read_spool(f, &s, "-", 0);
	}
	spool_end(&s);
	return status;
}

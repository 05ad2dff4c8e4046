/* SPDX-License-Identifier: GPL-2.0-only */
/* The inputs of csflow messages: plain bytes, snapshots and recordings. */
#ifndef CSF_MESSAGE_FILES_H
#define CSF_MESSAGE_FILES_H

#include "../input/transport.h"
#include "../input/unit.h"
#include "../lib/progress.h"
#include "../lib/spool.h"
#include "listing.h"

/**
 * struct message_files - the input
 * @listing: gets its rows
 * @unit: the source of plain bytes
 * @framing: enum csf_framing or INPUT_x, of plain bytes and, if @framing_given, of a snapshot
 * @wire: how a file with samples of a serial wire is to be read
 * @id: of plain frames, if @id_given
 * @buffer: of a snapshot; NULL: all
 * @hz: frequency of the clocks of all sources; 0: not given
 */
struct message_files {
	struct listing *listing;
	struct unit unit;
	struct transport_options wire;
	int framing;
	bool framing_given, id_given, show_progress;
	uint64_t id, hz;
	const char *buffer;
	/* private */
	struct message_source **source;
	size_t n;
	char others[160];
	struct progress progress;
};

/*
 * Each reads its input, and reports errors.  _wire(): the file at @path, which is @name for the
 * user, with what is around trace of a serial wire.  Return: the exit status.
 */
int message_files_raw(struct message_files *f, const char *path);
int message_files_standard(struct message_files *f);
int message_files_snapshot(struct message_files *f, const char *dir);
int message_files_wire(struct message_files *f, const char *path, const char *name);
int message_files_perf(struct message_files *f, const char *path);

void message_files_close(struct message_files *f);

/*
 * For these files only: opens the source, or opens it anew if it was closed.  Return: NULL: no
 * memory.
 */
struct message_source *message_files_open(struct message_files *f,
					  const struct input_source *source, int *err);

/* The source of plain bytes.  Return: the exit status: one without messages is reported. */
int message_files_unit(struct message_files *f, const char *path, struct input_source *source);

/* Closes all sources, before their frames are freed. */
void message_files_shut(struct message_files *f);

/* Notes a trace unit that sends no messages. */
void message_files_other(struct message_files *f, const struct csf_config *config);

/* Reports that @path has no source of messages.  Return: CMD_FAILED. */
int message_files_none(const struct message_files *f, const char *path);

/* Reports an error of reading.  Return: the exit status. */
int message_files_end(const struct message_files *f, const char *path, int err);

#endif /* CSF_MESSAGE_FILES_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace IDs in frames. */
#ifndef CSF_FRAME_IDS_H
#define CSF_FRAME_IDS_H

#include <stdint.h>

struct input;

/*
 * Finds the one trace ID in the frames of the file at @path if the user named none.  Reports which
 * it is; or that there are several, and which; or what is wrong with the file.  @command, @name:
 * for messages; @framing: enum csf_framing.  Return: exit status; CMD_OK: it is in *@id.
 */
int frame_ids_only(const char *command, const char *path, const char *name, int framing,
		   uint8_t *id);

/* Return: the only trace ID in the frames of an input; 0: there are none, or several. */
uint8_t frame_ids_single(const struct input *in);

/* As frame_ids_only(), of an input with frames. */
int frame_ids_input(const char *command, const struct input *in, uint8_t *id);

#endif /* CSF_FRAME_IDS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace IDs in frames. */
#ifndef CSF_FRAME_IDS_H
#define CSF_FRAME_IDS_H

#include <stdint.h>

/*
 * Finds the one trace ID in the frames of the file at @path if the user named none.  Reports which
 * it is; or that there are several, and which; or what is wrong with the file.  @command, @name:
 * for messages; @framing: enum csf_framing.  Return: exit status; CMD_OK: it is in *@id.
 */
int frame_ids_only(const char *command, const char *path, const char *name, int framing,
		   uint8_t *id);

#endif /* CSF_FRAME_IDS_H */

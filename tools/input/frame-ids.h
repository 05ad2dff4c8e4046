/* SPDX-License-Identifier: GPL-2.0-only */
/* Which trace IDs are in frames. */
#ifndef CSF_FRAME_IDS_H
#define CSF_FRAME_IDS_H

#include <stdint.h>

/*
 * The one trace ID in the frames of the file at @path, for who named none: says which it is; that
 * there are several, and which; or what is wrong with the file.  @command, @name: for messages;
 * @framing: enum csf_framing.  Return: exit status; CMD_OK: it is in *@id.
 */
int frame_ids_only(const char *command, const char *path, const char *name, int framing,
		   uint8_t *id);

#endif /* CSF_FRAME_IDS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * $CSFLOW_WITHOUT: layers of the decoder that the command does without, for who looks for a
 * fault: csf_config.without, in words.
 */
#ifndef CSF_WITHOUT_H
#define CSF_WITHOUT_H

#include <stdbool.h>
#include <stdint.h>

/* Reads it; says what is wrong.  Return: all its words are layers. */
bool without_read(void);

/* As read; for csf_config.without. */
uint32_t without_layers(void);

/* Of that, what csf_frames_new() takes. */
uint32_t without_frames(void);

#endif /* CSF_WITHOUT_H */

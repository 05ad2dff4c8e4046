/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * $CSFLOW_WITHOUT: layers of the decoder to switch off when looking for a bug; csf_config.without
 * in words.
 */
#ifndef CSF_WITHOUT_H
#define CSF_WITHOUT_H

#include <stdbool.h>
#include <stdint.h>

/* Reads it, and reports errors.  Return: all its words are layers. */
bool without_read(void);

/* The layers that were read, for csf_config.without. */
uint32_t without_layers(void);

/* The same, for csf_frames_new(). */
uint32_t without_frames(void);

#endif /* CSF_WITHOUT_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Items of a walk in words. */
#ifndef CSF_BROWSE_TEXT_H
#define CSF_BROWSE_TEXT_H

#include "walk.h"

/* Bytes that are enough for any of these texts. */
#define TEXT_MAX	256

/* An event, as a row shows it. */
void text_event(struct walk *walk, const struct walk_item *item, char *text, size_t size);

/* A time, "12.345678901"; "" if it is not known. */
void text_time(uint64_t time, char *text, size_t size);

/* "thread 12 name", "idle", "an unknown thread". */
void text_thread(struct walk *walk, uint32_t tid, uint64_t time, char *text, size_t size);

/* "CPU 1", "thread 12 name". */
void text_track(struct walk *walk, const struct track *track, char *text, size_t size);

/* The place of an instruction: "main+0x10", or its address where no function is known. */
void text_insn(struct walk *walk, const struct walk_item *item, char *text, size_t size);

/* "main+0x10", or the address in the file. */
void text_place(struct walk *walk, uint32_t section, uint64_t offset, char *text, size_t size);

/* 1234567 as "1,234,567"; borrowed until the fourth call after it. */
const char *text_number(uint64_t number);

/**
 * text_read_time() - a time as perf prints it
 * @text: seconds, maybe with a point and up to nine digits
 *
 * Return: it is one.
 */
bool text_read_time(const char *text, uint64_t *time);

#endif /* CSF_BROWSE_TEXT_H */

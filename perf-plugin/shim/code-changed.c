// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code that the kernel changed during the recording, by two images of its memory: what differs is
 * not decoded, because it is not known which code ran.
 */
#include <errno.h>

#include "code-parts.h"

/* A section has this size, and is at a multiple of it. */
#define WINDOW		(1ULL << 30)
/* On arm64 a kernel and its modules are in two of these, or three. */
#define WINDOWS_MAX	16

int csflow_kernel_compare(struct csflow_code *code)
{
	return code->recording ? plugin_changes_new(&code->changes, code->recording) : 0;
}

static size_t read_nothing(void *context, uint64_t offset __maybe_unused, void *buf __maybe_unused,
			   size_t n __maybe_unused)
{
	const struct code_section *s = context;

	s->code->met_changed = true;
	return 0;
}

/* Sets *@section to that at @base; NULL: there are too many already.  Return: 0, -ENOMEM. */
static int window_at(struct csflow_code *code, u64 base, struct code_section **section)
{
	const struct code_section as = { .code = code, .base = base, .n = WINDOW };
	struct code_section *s = code->changed;
	int n = 0;

	for (; s && s->base != base; s = s->next)
		n++;
	if (!s && n < WINDOWS_MAX) {
		s = csflow_section_new(&as, read_nothing, &code->changed);
		if (!s)
			return -ENOMEM;
	}
	*section = s;
	return 0;
}

/* Hides [@start, @last]. */
static int hide(struct csflow_code *code, u64 start, u64 last)
{
	struct code_section *s;
	u64 base, n;
	int err;

	for (; start <= last; start += n) {
		base = start & -WINDOW;
		n = min_t(u64, last - start + 1, base + WINDOW - start);
		err = window_at(code, base, &s);
		if (err || !s)
			return err;
		if (csf_map(code->image, CSF_SPACE_ALL, start, n, s->number, start - base) ==
		    CSF_ERR_MEMORY)
			return -ENOMEM;
		if (start + n < start)
			break;
	}
	return 0;
}

int csflow_hide_changes(struct csflow_code *code, u64 start, u64 last)
{
	struct plugin_change c;
	int err = 0;

	for (size_t i = plugin_changes_at(code->changes, start);
	     !err && plugin_change(code->changes, i, &c) && c.start <= last; i++)
		err = hide(code, max(c.start, start), min(c.end - 1, last));
	return err;
}

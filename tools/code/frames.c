// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "../../perf-plugin/line-table.h"
#include "../../perf-plugin/lower-bound.h"
#include "frames.h"

int frames_read(struct frames *f, struct elf_file *file)
{
	*f = (struct frames){ .file = file };
	if (!elf_file_bodies(file, &f->bodies))
		return -ENOMEM;
	f->asked = calloc(f->bodies.n_number + 1, sizeof(*f->asked));
	if (!f->asked)
		return -ENOMEM;
	return f->bodies.n ? 0 : -ENODATA;
}

void frames_fini(struct frames *f)
{
	free(f->bodies.body);
	free(f->asked);
	*f = (struct frames){ 0 };
}

static const struct elf_body *body_at(const struct frames *f, uint64_t addr)
{
	const struct elf_body *body = f->bodies.body;
	const size_t next = LOWER_BOUND(f->bodies.n, i, body[i].start <= addr);

	return next && addr < body[next - 1].end ? &body[next - 1] : NULL;
}

const char *frames_entry(const struct frames *f, uint64_t addr)
{
	const struct elf_body *body = body_at(f, addr);

	return body && body->start == addr && body->is_entry ? body->name : NULL;
}

int frames_at(struct frames *f, uint64_t addr, struct frame frame[FRAME_MAX])
{
	const struct elf_body *body = f->body;
	const struct elf_inlined *in;
	const struct line_row *row;
	uint32_t discriminator;
	int64_t line;
	int n;

	if (!body || addr < body->start || addr >= body->end)
		body = body_at(f, addr);
	if (!body)
		return 0;
	f->body = body;
	f->asked[body->number] = true;
	if (elf_file_row(f->file, addr, &row))
		return -ENOMEM;
	if (!row)
		return 0;
	if (addr < f->range.start || addr >= f->range.end)
		f->inlined = elf_file_inlined(f->file, addr, &f->range);
	line = row->line;
	discriminator = row->discriminator;
	for (in = f->inlined; in && in->depth >= FRAME_MAX; in = in->outer) {
		line = in->call_line;
		discriminator = in->call_discriminator;
	}
	n = in ? in->depth + 1 : 1;
	for (int i = n; --i > 0; in = in->outer) {
		frame[i] = (struct frame){ in->function->linkage, line - in->function->line,
					   discriminator, 0 };
		line = in->call_line;
		discriminator = in->call_discriminator;
	}
	frame[0] = (struct frame){ body->name, line - body->line, discriminator, 0 };
	return n;
}

bool frames_asked(const struct frames *f, size_t i)
{
	return f->asked[f->bodies.body[i].number];
}

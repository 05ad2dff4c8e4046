// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>

#include "script-front.h"
#include "script-parts.h"

#define COMM_MAX	64
#define SECOND		1000000000ull

void script_front_init(struct script_front *f, const struct script_print *p)
{
	f->ns = p->ns;
	f->timed = p->fields.branch & SCRIPT_TIME;
	for (unsigned int i = 0; i < FRONT_THOUSAND; i++) {
		f->digits[i][0] = '0' + i / 100;
		f->digits[i][1] = '0' + i / 10 % 10;
		f->digits[i][2] = '0' + i % 10;
		f->digits[i][3] = ':';
	}
}

/* Moves what was printed after @mark to offset @at of the text, out of the output. */
static void take_back(struct script_front *f, struct out *out, size_t mark, size_t at)
{
	f->n = at + out->n - mark;
	assert(f->n <= FRONT_MAX);
	memcpy(f->text + at, out->buf + mark, out->n - mark);
	out->n = mark;
}

bool script_front_run(struct script_front *f, struct script_print *p, const struct perf_run *run)
{
	const uint32_t fields = p->fields.branch;
	char buf[16];
	size_t mark;

	f->n_who = 0;
	f->n = 0;
	f->known = false;
	if (fields & SCRIPT_COMM && strlen(script_comm(p, run, buf)) > COMM_MAX)
		return false;
	if (!(fields & SCRIPT_WHO))
		return true;
	/* text that is taken back must not be written by then */
	out_room(p->out, OUT_SIZE / 2);
	mark = p->out->n;
	script_who(p, run, fields);
	take_back(f, p->out, mark, 0);
	f->n_who = f->n;
	return true;
}

void script_front_who(struct script_front *f, const char *text, size_t n)
{
	memcpy(f->text, text, n);
	f->n_who = n;
	f->n = n;
	f->known = false;
}

void script_front_clock(struct script_front *f, struct out *out, uint64_t time)
{
	const uint64_t second = time / SECOND;
	const uint32_t part = time % SECOND;
	const size_t mark = out->n;
	char *end;

	f->from = time - part % (f->ns ? 1000 : 1000000);
	if (!f->known || second != f->second) {
		script_clock(out, f->ns, time);
		take_back(f, out, mark, f->n_who);
		f->second = second;
		f->known = true;
	}
	/* the last three digits are the caller's */
	end = f->text + f->n - strlen("999: ");
	if (f->ns)
		memcpy(end - 3, f->digits[part / 1000 % 1000], 3);
	memcpy(end - (f->ns ? 6 : 3), f->digits[part / 1000000], 3);
}

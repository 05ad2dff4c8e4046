/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests of samples: a few instructions, packets in words, and samples as lines. */
#ifndef SAMPLE_TRACE_H
#define SAMPLE_TRACE_H

#include <stdio.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/perf-sample.h"

#define USER	0x400000ull
#define KERNEL	0xffff800000000000ull
#define SYNC	"async; info; on; "

static const uint32_t user[] = {
	0x94000004,	/* 00 bl 10 */
	0xd4000001,	/* 04 svc #0 */
	0x54000040,	/* 08 b.eq 10 */
	0xd61f0200,	/* 0c br x16 */
	0x14000002,	/* 10 b 18 */
	0xd4000002,	/* 14 hvc #0 */
	0xd65f03c0,	/* 18 ret */
	0xd63f0000,	/* 1c blr x0 */
	0xd503201f,	/* 20 nop */
	0x14000000,	/* 24 b 24 */
};

static const uint32_t kernel[] = {
	0xd503201f,	/* 0 nop */
	0xd69f03e0,	/* 4 eret */
};

FIXTURE(trace)
{
	struct csf_config config;
	struct csf_image *image;
	struct csf_decoder *dec;
	struct cs_samples it;
	struct cs_sample_state state;
	char text[4096];
	bool times;
	uint64_t input_time;
	uint64_t came;		/* the thread after the first context */
	struct cs_sample last, call;
	/* the same, branches in short where they are */
	struct cs_samples short_it;
	struct cs_sample_state short_state;
	char short_text[4096];
};

FIXTURE_SETUP(trace)
{
	int u, k;

	self->config = (struct csf_config){
		.size = sizeof(self->config), .trcidr0 = 0x28000ea1, .trcidr1 = 0x4100f422,
		.trcidr2 = 0x20001088, .trcconfigr = 0x40,
		.unchecked = 1,		/* the traces say only what a test is about */
	};
	ASSERT_EQ(0, csf_image_new(&self->image));
	u = csf_section_bytes(self->image, user, sizeof(user));
	k = csf_section_bytes(self->image, kernel, sizeof(kernel));
	ASSERT_EQ(0, csf_map(self->image, CSF_SPACE_ALL, USER, sizeof(user), u, 0));
	ASSERT_EQ(0, csf_map(self->image, CSF_SPACE_ALL, KERNEL, sizeof(kernel), k, 0));
	self->dec = NULL;
	self->state = (struct cs_sample_state){ 0 };
	self->text[0] = 0;
	self->times = false;
	self->input_time = 0;
	self->came = 0;
	memset(&self->it, 0, sizeof(self->it));
	self->short_state = self->state;
	self->short_text[0] = 0;
	self->short_it = self->it;
}

FIXTURE_TEARDOWN(trace)
{
	cs_samples_fini(&self->it);
	cs_samples_fini(&self->short_it);
	csf_free(self->dec);
	csf_image_free(self->image);
}

/* Packets in words, with ";" between them, to bytes. */
static size_t assemble(const struct csf_config *config, const char *text, uint8_t *out)
{
	char word[128];
	size_t n = 0;

	while (*text) {
		size_t len = strcspn(text, ";");
		struct csf_packet packet;
		const char *where;

		snprintf(word, sizeof(word), "%.*s", (int)len, text);
		if (csf_packet_parse(config, word, &packet, &where)) {
			printf("# '%s' at '%s'\n", word, where);
			return 0;
		}
		n += csf_packet_write(config, out + n, &packet);
		text += len;
		text += strspn(text, "; ");
	}
	return n;
}

/* A line for the sample, with the fields that the test asks for. */
static void note(struct _test_data_trace *self, char *text, const struct cs_sample *s)
{
	static const char *const kind[] = { "", "insn ", "cycles ", "tx ", "error " };
	char line[160], *p = line, flags[24];

	p += sprintf(p, "%s%s%s %llx", s->wanted ? "" : "(", kind[s->kind],
		     s->kind == CS_SAMPLE_ERROR ? csf_gap_name(s->code) :
		     cs_sample_flags(s->flags, flags), (unsigned long long)s->ip);
	if (s->kind == CS_SAMPLE_BRANCH)
		p += sprintf(p, " %llx", (unsigned long long)s->addr);
	if (s->kind == CS_SAMPLE_INSN || s->kind == CS_SAMPLE_CYCLES)
		p += sprintf(p, " x%llu", (unsigned long long)s->period);
	if (s->kind == CS_SAMPLE_ERROR)
		p += sprintf(p, " lost %llu", (unsigned long long)s->lost);
	if (self->times)
		p += sprintf(p, " @%llu", (unsigned long long)s->time);
	if (s->cyc_cnt)
		p += sprintf(p, " %llu/%llu", (unsigned long long)s->insn_cnt,
			     (unsigned long long)s->cyc_cnt);
	sprintf(p, "%s\n", s->wanted ? "" : ")");
	if (strlen(text) + strlen(line) < sizeof(self->text))
		strcat(text, line);
	self->last = *s;
	if (s->flags & CS_FLAG_CALL && !(s->flags & CS_FLAG_TRACE_END))
		self->call = *s;
}

static void play_in_short(struct _test_data_trace *self, const struct cs_samples_input *in)
{
	struct cs_sample sample;
	struct cs_edge edge[3];

	if (cs_samples_run(&self->short_it, &self->short_state, in))
		return;
	for (;;) {
		size_t n = cs_samples_edges(&self->short_it, edge, 1 + in->run->seq % 3);

		for (size_t i = 0; i < n; i++)
			if (cs_samples_edge(&self->short_it, &edge[i], &sample))
				note(self, self->short_text, &sample);
		if (n)
			continue;
		if (!cs_samples_next(&self->short_it, &sample))
			return;
		note(self, self->short_text, &sample);
	}
}

/* One fragment: decodes @text and puts the samples into self->text, a line each. */
static void trace_play(struct _test_data_trace *self, const char *text)
{
	uint8_t bytes[512];
	size_t n = assemble(&self->config, text, bytes);
	struct cs_samples_input in = {
		.starts = true, .pid = 7, .tid = 8, .time = self->input_time,
	};
	struct cs_sample sample;
	struct csf_run run;

	if (!self->dec && csf_new(&self->dec, &self->config, self->image))
		return;
	csf_feed(self->dec, bytes, n);
	csf_end(self->dec);
	in.dec = self->dec;
	in.run = &run;
	while (csf_next(self->dec, &run) > 0) {
		if (cs_samples_run(&self->it, &self->state, &in))
			return;
		play_in_short(self, &in);
		while (cs_samples_next(&self->it, &sample))
			note(self, self->text, &sample);
		in.starts = false;
		in.tid++;
		if (run.end == CSF_END_CONTEXT && in.tid > 9)
			in.came = self->came;
	}
	if (strcmp(self->text, self->short_text))
		strcat(strcpy(self->text, "in short it is "), self->short_text);
}

static void want(struct _test_data_trace *self, const struct cs_samples_options *options)
{
	cs_samples_fini(&self->it);
	cs_samples_fini(&self->short_it);
	cs_samples_init(&self->it, options, self->image);
	cs_samples_init(&self->short_it, options, self->image);
	self->state = (struct cs_sample_state){ 0 };
	self->short_state = self->state;
	self->text[0] = 0;
	self->short_text[0] = 0;
}

static void branches(struct _test_data_trace *self)
{
	const struct cs_samples_options options = { .branches = true };

	want(self, &options);
}

#endif /* SAMPLE_TRACE_H */

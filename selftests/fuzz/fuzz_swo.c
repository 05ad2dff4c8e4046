// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes, as a serial wire: samples in both codes, packets of Orbuculum, frames without syncs
 *
 * What is found fits into what there was; cuts are in order and between whole frames; all bytes are
 * fed; and it is found again.
 *
 * The first byte says what the rest is, the second how it is read.
 */
#include <stdlib.h>
#include <string.h>

#include "../../tools/input/input.h"
#include "../../tools/input/line.h"
#include "../../tools/input/orbflow.h"
#include "../../tools/input/phase.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void read_line(const uint8_t *p, size_t n, uint8_t how)
{
	const struct line_samples samples = {
		.data = p, .n = n / (1 + how / 128), .unit = 1 + how / 128, .bit = how % 8,
	};
	struct line line, again;

	if (!line_read(&line, &samples, how / 8 % 3, how / 32 % 4)) {
		must(line.n <= samples.n && line.bit >= 0);
		must(!line_read(&again, &samples, line.code, line.bit) || line.bit <= 0);
		must(line.bit <= 0 || again.n == line.n);
		must(line.bit <= 0 || !memcmp(again.bytes, line.bytes, line.n));
		free(again.bytes);
	}
	free(line.bytes);
}

static void read_orbflow(const uint8_t *p, size_t n, uint8_t tag)
{
	struct orbflow o;
	size_t packets = 0;

	must(!orbflow_read(&o, p, n, tag));
	for (int i = 0; i < 256; i++)
		packets += o.tagged[i];
	/* a packet has tag, sum, stuffing and an end */
	must(o.n <= n && 4 * packets <= n + 1 && 2 * o.bad <= n + 1);
	free(o.bytes);
	orbflow_only(&o, p, n);
}

/* Everything is taken, piece by piece. */
static void feed(const struct input *in, size_t most)
{
	struct csf_frames *frames;

	must(!csf_frames_new(&frames, CSF_FRAMES_MEMORY, input_frame_flags(in)));
	for (size_t at = 0; at < in->n;) {
		const size_t left = in->n - at;
		const long took = input_feed(in, frames, at, left < most ? left : most);

		must(took > 0 && (size_t)took <= left);
		at += took;
	}
	must(!csf_frames_end(frames));
	csf_frames_free(frames);
}

static void read_phase(const uint8_t *p, size_t n, uint8_t how)
{
	static const uint32_t protocols[] = {
		CSF_PROTOCOL_ITM, CSF_PROTOCOL_STM, CSF_PROTOCOL_PTM, CSF_PROTOCOL_ETM3,
	};
	struct input_source source[2] = {
		{ .config = { .size = sizeof(struct csf_config), .protocol = protocols[how % 4] },
		  .id = how / 4 % 16 },
		{ .config = { .size = sizeof(struct csf_config), .protocol = CSF_PROTOCOL_ITM },
		  .id = 1 + how / 64 },
	};
	struct input in = {
		.data = p, .n = n, .framing = CSF_FRAMES_MEMORY, .source = source, .n_source = 2,
	};
	struct input_cut *cut, *again;
	size_t end = 0, n_again;

	must(!phase_find(&in, &cut, &in.n_cut));
	in.cut = cut;
	for (size_t i = 0; i < in.n_cut; i++) {
		must(cut[i].n > 0 && cut[i].n < 16 && cut[i].at >= end);
		must((cut[i].at - end) % 16 == 0);
		end = cut[i].at + cut[i].n;
	}
	must(end <= n);
	must(!phase_find(&in, &again, &n_again));
	must(n_again == in.n_cut);
	must(!n_again || !memcmp(cut, again, n_again * sizeof(*cut)));
	feed(&in, 1 + how);
	free(again);
	free(cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t *copy;

	if (n < 3 || n > 8192)
		return 0;
	/* in memory of its own, so that nothing is read past its end */
	copy = malloc(n - 2);
	memcpy(copy, data + 2, n - 2);
	switch (data[0] % 3) {
	case 0:
		read_line(copy, n - 2, data[1]);
		break;
	case 1:
		read_orbflow(copy, n - 2, data[1]);
		break;
	default:
		read_phase(copy, n - 2, data[1]);
		break;
	}
	free(copy);
	return 0;
}

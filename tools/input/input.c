// SPDX-License-Identifier: GPL-2.0-only
#include "input.h"
#include "../lib/without.h"

const char *const input_framings[] = {
	"auto", "raw", "frames", "tpiu", "dstream", "swo", "orbflow", NULL
};

int input_framing(int choice, int fallback)
{
	static const int framings[] = {
		0, INPUT_RAW, CSF_FRAMES_MEMORY, CSF_FRAMES_TPIU, CSF_FRAMES_DSTREAM, INPUT_SWO,
		INPUT_ORBFLOW
	};

	return choice ? framings[choice] : fallback;
}

uint32_t input_frame_flags(const struct input *in)
{
	return without_frames() | (in->n_cut ? CSF_FRAMES_NO_BARRIER : 0);
}

/* The first cut that does not end before @at; @in->n_cut: there is none. */
static size_t next_cut(const struct input *in, size_t at)
{
	size_t low = 0, high = in->n_cut;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (in->cut[mid].at + in->cut[mid].n <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* How many of @most bytes are all in frames, or, if @is_cut, all in none. */
static size_t room(const struct input *in, size_t at, size_t most, bool *is_cut)
{
	const size_t i = next_cut(in, at);
	size_t end = at + most;

	*is_cut = i < in->n_cut && in->cut[i].at <= at;
	if (*is_cut)
		end = in->cut[i].at + in->cut[i].n;
	else if (i < in->n_cut)
		end = in->cut[i].at;
	return end - at < most ? end - at : most;
}

long input_feed(const struct input *in, struct csf_frames *frames, size_t at, size_t most)
{
	bool is_cut;
	const size_t n = room(in, at, most, &is_cut);

	if (!is_cut)
		return csf_frames_feed(frames, in->data + at, n);
	return csf_frames_break(frames, n) ?: (long)n;
}

int input_watch(const struct input *in, struct csf_frames *frames, size_t at, size_t most,
		size_t *n, struct csf_frame *skipped)
{
	bool is_cut;

	*n = room(in, at, most, &is_cut);
	*skipped = (struct csf_frame){
		.offset = at, .data = in->data + at, .n = is_cut ? *n : 0,
		.kind = CSF_FRAME_SKIPPED,
	};
	if (!is_cut)
		return csf_frames_watch(frames, in->data + at, *n, at + *n == in->n);
	return csf_frames_break(frames, *n);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a capture, cut anywhere: the result of frames must be that of the plain reference
 *
 * The first byte says which framing and which IDs have decoders, the second how
 * to cut; the rest is the capture.
 */
#include <stdio.h>

#include "../lib/frame_ref.h"

static void wrong(const char *what)
{
	fprintf(stderr, "fuzz_frame: %s and the reference differ\n", what);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct capture cap = { .random = true };
	struct ref ref = { 0 };

	if (n < 2 || n > 20000)
		return 0;
	cap.framing = data[0] % 3;
	cap.flags = data[0] & 0x80 ? CSF_FRAMES_NO_BARRIER : 0;
	cap.attached[0x10] = data[0] & 0x40;
	cap.attached[0x11] = data[0] & 0x20;
	cap.attached[0x01] = data[0] & 0x10;
	cap.cut = 1 + data[1] * (data[1] & 1 ? 1 : 16);
	seed = 1 + data[1];
	cap.data = data + 2;
	cap.n = n - 2;
	/* Long captures byte by byte are slow, and show nothing that short ones do not. */
	if (cap.n / cap.cut > 200)
		cap.cut = cap.n / 200;
	memcpy(ref.attached, cap.attached, sizeof(ref.attached));
	ref_run(&ref, cap.framing, cap.flags, cap.data, cap.n);
	if (!feed_right(&cap, &ref))
		wrong("feed");
	if (!watch_right(&cap, &ref))
		wrong("watch");
	ref_free(&ref);
	return 0;
}

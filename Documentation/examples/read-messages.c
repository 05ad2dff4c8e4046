// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints what software wrote to the stimulus ports of an ITM, and what was lost:
 *
 *	read-messages TRACE [ID]
 *
 * TRACE is the trace of one ITM; with ID it is frames of 16 bytes, as an ETR writes them, and ID
 * is the trace ID of the ITM.
 */
#include "example.h"

static void print(const struct csf_message *message)
{
	if (message->kind == CSF_MESSAGE_DATA)
		printf("%u %#llx\n", message->channel, (unsigned long long)message->value);
	else if (message->kind == CSF_MESSAGE_OVERFLOW)
		printf("overflow\n");
	else if (message->kind == CSF_MESSAGE_GAP)
		printf("gap: %s, %llu bytes\n", csf_gap_name(message->info),
		       (unsigned long long)message->value);
}

static void print_all(struct csf_messages *messages)
{
	struct csf_message message;

	while (csf_messages_next(messages, &message) > 0)
		print(&message);
}

static void read_frames(struct csf_messages *messages, unsigned int id, const char *path,
			const unsigned char *bytes, size_t n)
{
	struct csf_frames *frames;
	size_t at = 0;
	int err = csf_frames_new(&frames, CSF_FRAMES_MEMORY, 0);

	if (!err)
		err = csf_attach_messages(frames, id, messages);
	if (err)
		die("frames", csf_strerror(err));
	while (at < n) {
		const long taken = csf_frames_feed(frames, bytes + at, n - at);

		if (taken < 0)
			die(path, csf_strerror(taken));
		at += taken;
		print_all(messages);
	}
	csf_frames_end(frames);
	print_all(messages);
	csf_frames_free(frames);
}

int main(int argc, char **argv)
{
	struct csf_config config = { .size = sizeof(config), .protocol = CSF_PROTOCOL_ITM };
	struct csf_messages *messages;
	unsigned char *bytes;
	size_t n;

	if (argc < 2)
		die("read-messages", "want TRACE [ID]");
	bytes = read_file(argv[1], &n);
	if (csf_messages_new(&messages, &config))
		die("messages", csf_strerror(CSF_ERR_MEMORY));
	if (argc > 2) {
		read_frames(messages, strtoul(argv[2], NULL, 0), argv[1], bytes, n);
	} else {
		csf_messages_feed(messages, bytes, n);
		csf_messages_end(messages);
		print_all(messages);
	}
	csf_messages_free(messages);
	free(bytes);
	return 0;
}

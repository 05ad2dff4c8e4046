// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "../../perf-plugin/hold.h"
#include "../../perf-plugin/new-file.h"
#include "log.h"
#include "status.h"
#include "memory.h"

/* Two pieces of 32 KiB of trace for each thread, if each bit is a step. */
#define PER_THREAD	(4ull << 20)

#define EVERY_US	10000

/* Data of the signal handler; set before there is one. */
static struct {
	uint64_t bytes, page;
	int statm, status;
	char text[128];
	size_t n;
} limit = { .status = CMD_FAILED };

bool memory_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	*bytes = strtoull(text, &end, 10);
	if (!*end)
		return true;
	unit = strchr(units, *end & ~0x20);
	if (!unit || end[1] || *bytes >= 1ull << 30)
		return false;
	*bytes <<= 10 * (unit - units + 1);
	return true;
}

/* The second number of statm, in pages; async-signal-safe. */
static uint64_t resident(void)
{
	char text[64];
	ssize_t n = pread(limit.statm, text, sizeof(text) - 1, 0);
	uint64_t pages = 0;
	const char *p = text;

	if (n <= 0)
		return 0;
	text[n] = 0;
	while (*p >= '0' && *p <= '9')
		p++;
	for (p += *p == ' '; *p >= '0' && *p <= '9'; p++)
		pages = 10 * pages + *p - '0';
	return pages * limit.page;
}

static void look(int number)
{
	if (resident() <= limit.bytes)
		return;
	log_last_words(LOG_MEMORY, limit.text, limit.n);
	new_file_drop();
	_exit(limit.status);
}

void memory_set_status(int status)
{
	limit.status = status;
}

int memory_status(void)
{
	return limit.status;
}

bool memory_limit(uint64_t bytes)
{
	const struct itimerval often = { { 0, EVERY_US }, { 0, EVERY_US } };
	struct sigaction act = { .sa_handler = look, .sa_flags = SA_RESTART };

	limit.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	limit.page = sysconf(_SC_PAGESIZE);
	limit.bytes = bytes;
	hold_limit(0);
	limit.n = snprintf(limit.text, sizeof(limit.text),
			   "csflow: more memory is needed than --mem allows, %" PRIu64
			   " MiB; what was written is not whole\n", bytes >> 20);
	if (limit.statm < 0 || !resident())
		return false;
	sigaction(SIGALRM, &act, NULL);
	return !setitimer(ITIMER_REAL, &often, NULL);
}

/* The kernel's peak value, in KiB. */
static uint64_t peak(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[128];
	uint64_t kib = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %" SCNu64, &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib << 10;
}

bool memory_exceeded(void)
{
	if (!limit.bytes || peak() <= limit.bytes)
		return false;
	log_say(LOG_MEMORY, "%s", limit.text);
	return true;
}

uint32_t memory_threads(uint32_t n)
{
	const uint64_t room = limit.bytes / 2 / PER_THREAD;

	return limit.bytes && n > room ? room : n;
}

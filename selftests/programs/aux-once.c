// SPDX-License-Identifier: GPL-2.0-only
/* Records itself once with cs_etm, as perf record --per-thread does, in a hundredth of its time. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PMU	"/sys/bus/event_source/devices/cs_etm/type"
#define PAGES	16
#define AUX	(1UL << 20)

static int open_event(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .exclude_kernel = 1, .disabled = 1 };
	FILE *f = fopen(PMU, "r");

	if (!f || fscanf(f, "%u", &attr.type) != 1)
		return -1;
	fclose(f);
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(void)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	const int fd = open_event();
	unsigned int sum = 0;
	struct perf_event_mmap_page *ring;
	void *aux;

	ring = mmap(NULL, (PAGES + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED) {
		perror("aux-once");
		return 1;
	}
	ring->aux_offset = (PAGES + 1) * page;
	ring->aux_size = AUX;
	aux = mmap(NULL, AUX, PROT_READ | PROT_WRITE, MAP_SHARED, fd, ring->aux_offset);
	if (aux == MAP_FAILED || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
		perror("aux-once");
		return 1;
	}
	for (unsigned int i = 0; i < 20000; i++)
		asm volatile("" : "+r"(sum));
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	return !ring->aux_head;
}

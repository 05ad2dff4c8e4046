// SPDX-License-Identifier: GPL-2.0-only
#include "channel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES_ALL	(CSF_CHANNEL_CPUS * CSF_CHANNEL_STRIDE)

/* TRCCONFIGR: what a driver may switch on */
#define CONFIG_CCI	(1u << 4)
#define CONFIG_CID	(1u << 6)
#define CONFIG_VMID	(1u << 7)
#define CONFIG_TS	(1u << 11)
#define CONFIG_MAY	(CONFIG_CCI | CONFIG_CID | CONFIG_VMID | CONFIG_TS | 1u | 1u << 3 | \
			 1u << 12 | 1u << 15)
/* Real hardware says this to a driver in the nonsecure state. */
#define TRCAUTHSTATUS	0xcc
#define TRCSYNCPR_MIN	8
#define TRCSYNCPR_MAX	20
/* Unless the driver says otherwise: 16 us of a counter with 62.5 MHz. */
#define TS_PERIOD	1000
#define SYNC_PERIOD	4096

static struct {
	uint8_t *memory;
	void (*ring)(unsigned int cpu);
} shared;

int channel_open(const char *path, void (*ring)(unsigned int cpu))
{
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct stat st;
	int err;

	if (fd < 0 || fstat(fd, &st) ||
	    (st.st_size < (off_t)BYTES_ALL && ftruncate(fd, BYTES_ALL))) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	shared.memory = mmap(NULL, BYTES_ALL, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared.memory == MAP_FAILED) {
		err = -errno;
		close(fd);
		return err;
	}
	shared.ring = ring;
	return fd;
}

void channel_init(struct channel *c, uint32_t number, const struct enc_setup *setup)
{
	uint8_t *const at = shared.memory + number * CSF_CHANNEL_STRIDE;
	const struct csf_config *config = &setup->config;
	const struct csf_channel reg = {
		.version = CSF_CHANNEL_VERSION,
		.trcidr0 = config->trcidr0, .trcidr1 = config->trcidr1,
		.trcidr2 = config->trcidr2, .trcidr8 = config->trcidr8,
		.trcdevarch = config->trcdevarch, .trcauthstatus = TRCAUTHSTATUS,
		.idle = 1,
	};

	*c = (struct channel){
		.reg = (void *)at, .data = at + CSF_CHANNEL_AT, .number = number,
	};
	memcpy(at, &reg, sizeof(reg));
	CHANNEL_SET(c, magic, CSF_CHANNEL_MAGIC);
}

void channel_remove(struct channel *c)
{
	CHANNEL_SET(c, magic, 0);
}

/* ---------------------------------------------------------------- registers */

/* ENC_RANGES is not less than CSF_CHANNEL_RANGES. */
static void add_range(struct enc_setup *setup, const struct csf_channel_range *range)
{
	struct enc_ranges *to = &setup->include;

	if (range->kind == CSF_CHANNEL_EXCLUDE)
		to = &setup->exclude;
	else if (range->kind != CSF_CHANNEL_INCLUDE)
		return;
	to->range[to->n++] = (struct enc_range){ range->from, range->to };
}

static uint32_t sync_bytes(uint32_t trcsyncpr)
{
	if (!trcsyncpr)
		return SYNC_PERIOD;
	return 1u << (trcsyncpr < TRCSYNCPR_MIN ? TRCSYNCPR_MIN :
		      trcsyncpr > TRCSYNCPR_MAX ? TRCSYNCPR_MAX : trcsyncpr);
}

void channel_setup(const struct channel *c, struct enc_setup *setup, const struct enc_setup *unit)
{
	const struct csf_channel *reg = c->reg;
	const uint32_t config = (reg->trcconfigr & CONFIG_MAY) | 1u;
	const uint32_t n = reg->n_range;

	*setup = *unit;
	setup->config.trcconfigr = config;
	setup->cid_bits = config & CONFIG_CID ? 32 : 0;
	setup->threshold = reg->trcccctlr & 0xfff ? reg->trcccctlr & 0xfff : 1;
	setup->sync = sync_bytes(reg->trcsyncpr);
	setup->time_period = 0;
	if (config & CONFIG_TS)
		setup->time_period = reg->ts_period ? reg->ts_period : TS_PERIOD;
	setup->strobe_on = reg->strobe_off ? reg->strobe_on : 0;
	setup->strobe_off = setup->strobe_on ? reg->strobe_off : 0;
	for (uint32_t i = 0; i < n && i < CSF_CHANNEL_RANGES; i++)
		add_range(setup, &reg->range[i]);
}

/* ---------------------------------------------------------------- the buffer */

static void copy(struct channel *c, const uint8_t *bytes, size_t n)
{
	const size_t at = c->reg->written & (CSF_CHANNEL_BYTES - 1);
	const size_t first = n < CSF_CHANNEL_BYTES - at ? n : CSF_CHANNEL_BYTES - at;

	memcpy(c->data + at, bytes, first);
	memcpy(c->data, bytes + first, n - first);
	CHANNEL_SET(c, written, c->reg->written + n);
}

static void ring(struct channel *c)
{
	const uint64_t signal = CHANNEL_GET(c, signal);

	if (!signal || signal == c->rung || !shared.ring)
		return;
	c->rung = signal;
	shared.ring(c->number);
}

void channel_write(struct channel *c, const uint8_t *bytes, size_t n)
{
	if (!(CHANNEL_GET(c, flags) & CSF_CHANNEL_WRAP)) {
		const uint64_t limit = CHANNEL_GET(c, limit), written = c->reg->written;
		const uint64_t room = limit > written ? limit - written : 0;

		n = n < room ? n : room;
	}
	for (size_t part; n; n -= part, bytes += part) {
		part = n < CSF_CHANNEL_BYTES ? n : CSF_CHANNEL_BYTES;
		copy(c, bytes, part);
	}
	if (c->reg->written >= CHANNEL_GET(c, signal))
		ring(c);
}

void channel_fill(struct channel *c)
{
	CHANNEL_SET(c, full, 1);
	ring(c);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Packets: bytes to struct, and struct to bytes. */
#include "../lib/kselftest_harness.h"

#undef ARRAY_SIZE
#include "../../decoder/etm4/packet.h"

#define IDR0_ALL	(BIT(6) | 3 << 3 | BIT(7) | 3 << 15 | BIT(22) | BIT(23))
#define COMMOPT		BIT(29)
#define ETE(minor)	(0x47705a13 | (minor) << 16)
#define ETM(minor)	(0x400 | (minor) << 4)

/* A unit with all options of this version. */
static struct config unit(uint32_t trcidr1, uint32_t trcdevarch)
{
	struct csf_config config = {
		.size = sizeof(config), .trcidr0 = IDR0_ALL, .trcidr1 = trcidr1,
		.trcidr2 = 0xd0001088, .trcidr8 = 8, .trcdevarch = trcdevarch,
		.profile = CSF_PROFILE_M,
	};
	struct config c;

	if (config_read(&c, &config))
		abort();
	return c;
}

/* A unit without options; its cycle counts do not commit. */
static struct config bare(uint32_t trcidr1, uint32_t trcdevarch)
{
	struct csf_config config = {
		.size = sizeof(config), .trcidr1 = trcidr1, .trcdevarch = trcdevarch,
		.trcidr0 = COMMOPT, .trcidr2 = 0xd0001088,
	};
	struct config c;

	if (config_read(&c, &config))
		abort();
	return c;
}

/* ---------------------------------------------------------------- the header map */

struct span {
	uint8_t first, last, type;
};

/* Every header that any unit has, 00 left out. */
static const struct span every[] = {
	{ 0x01, 0x01, CSF_PKT_INFO },		{ 0x02, 0x03, CSF_PKT_TIME },
	{ 0x04, 0x04, CSF_PKT_ON },		{ 0x05, 0x05, CSF_PKT_RETURN },
	{ 0x06, 0x06, CSF_PKT_EXCEPTION },	{ 0x07, 0x07, CSF_PKT_ERET },
	{ 0x09, 0x09, CSF_PKT_ITE },		{ 0x0a, 0x0a, CSF_PKT_TM_START },
	{ 0x0b, 0x0b, CSF_PKT_TM_COMMIT },	{ 0x0c, 0x0d, CSF_PKT_CC2 },
	{ 0x0e, 0x0f, CSF_PKT_CC1 },		{ 0x10, 0x1f, CSF_PKT_CC3 },
	{ 0x20, 0x27, CSF_PKT_DSYNC_N },	{ 0x28, 0x2c, CSF_PKT_DSYNC_U },
	{ 0x2d, 0x2d, CSF_PKT_COMMIT },		{ 0x2e, 0x2f, CSF_PKT_CANCEL1 },
	{ 0x30, 0x33, CSF_PKT_MISPREDICT },	{ 0x34, 0x37, CSF_PKT_CANCEL2 },
	{ 0x38, 0x3f, CSF_PKT_CANCEL3 },	{ 0x40, 0x42, CSF_PKT_COND_I2 },
	{ 0x43, 0x43, CSF_PKT_COND_FLUSH },	{ 0x44, 0x46, CSF_PKT_COND_R4 },
	{ 0x48, 0x4a, CSF_PKT_COND_R2 },	{ 0x4c, 0x4e, CSF_PKT_COND_R2 },
	{ 0x50, 0x5f, CSF_PKT_COND_R3 },	{ 0x68, 0x6b, CSF_PKT_COND_R1 },
	{ 0x6c, 0x6c, CSF_PKT_COND_I1 },	{ 0x6d, 0x6d, CSF_PKT_COND_I3 },
	{ 0x6e, 0x6f, CSF_PKT_COND_R1 },	{ 0x70, 0x70, CSF_PKT_IGNORE },
	{ 0x71, 0x7f, CSF_PKT_EVENT },		{ 0x80, 0x81, CSF_PKT_CONTEXT },
	{ 0x82, 0x83, CSF_PKT_ADDR_CTXT32 },	{ 0x85, 0x86, CSF_PKT_ADDR_CTXT64 },
	{ 0x88, 0x88, CSF_PKT_MARKER },		{ 0x90, 0x92, CSF_PKT_ADDR_MATCH },
	{ 0x95, 0x96, CSF_PKT_ADDR_SHORT },	{ 0x9a, 0x9b, CSF_PKT_ADDR32 },
	{ 0x9d, 0x9e, CSF_PKT_ADDR64 },		{ 0xa0, 0xa2, CSF_PKT_Q },
	{ 0xa5, 0xa6, CSF_PKT_Q },		{ 0xaa, 0xac, CSF_PKT_Q },
	{ 0xaf, 0xaf, CSF_PKT_Q },		{ 0xb0, 0xb2, CSF_PKT_SRC_MATCH },
	{ 0xb4, 0xb5, CSF_PKT_SRC_SHORT },	{ 0xb6, 0xb7, CSF_PKT_SRC32 },
	{ 0xb8, 0xb9, CSF_PKT_SRC64 },		{ 0xc0, 0xff, CSF_PKT_ATOM },
};

#define SPANS	16

/* The headers that each unit does not have. */
static const struct span not_40[SPANS] = {
	{ 0x05, 0x05 }, { 0x09, 0x0b }, { 0x70, 0x70 }, { 0x88, 0x88 }, { 0xb0, 0xbf },
};

static const struct span not_42[SPANS] = {
	{ 0x09, 0x0b }, { 0x70, 0x70 }, { 0x88, 0x88 }, { 0xb0, 0xbf },
};

static const struct span not_43[SPANS] = { { 0x09, 0x0b }, { 0x88, 0x88 }, { 0xb0, 0xbf } };
static const struct span not_46[SPANS] = { { 0x09, 0x0b }, { 0xb0, 0xbf } };

static const struct span not_ete10[SPANS] = {
	{ 0x05, 0x05 }, { 0x07, 0x07 }, { 0x09, 0x09 }, { 0x20, 0x2c }, { 0x40, 0x6f },
};

static const struct span not_ete13[SPANS] = {
	{ 0x05, 0x05 }, { 0x07, 0x07 }, { 0x20, 0x2c }, { 0x40, 0x6f },
};

static const struct span not_bare46[SPANS] = {
	{ 0x05, 0x05 }, { 0x09, 0x0b }, { 0x20, 0x2c }, { 0x40, 0x6f },
	{ 0xa0, 0xaf }, { 0xb0, 0xbf },
};

static const struct span not_bare13[SPANS] = {
	{ 0x05, 0x05 }, { 0x07, 0x07 }, { 0x09, 0x09 }, { 0x20, 0x2c }, { 0x40, 0x6f },
	{ 0xa0, 0xaf },
};

static unsigned int map_type(const struct span *spans, size_t n, unsigned int header)
{
	for (size_t i = 0; i < n; i++)
		if (header >= spans[i].first && header <= spans[i].last)
			return spans[i].type;
	return CSF_PKT_BAD;
}

static bool in_spans(const struct span *spans, unsigned int header)
{
	for (size_t i = 0; i < SPANS && spans[i].last; i++)
		if (header >= spans[i].first && header <= spans[i].last)
			return true;
	return false;
}

static void expect_header(struct __test_metadata *_metadata, const struct config *c,
			  const struct span *without, unsigned int header)
{
	uint8_t bytes[CSF_PACKET_MAX] = { header, 1 };
	unsigned int type = map_type(every, ARRAY_SIZE(every), header);
	struct csf_packet got;

	memset(&got, 0xa5, sizeof(got));
	EXPECT_EQ(packet_read(c, bytes, &got), got.size);
	if (type != CSF_PKT_BAD && !in_spans(without, header)) {
		EXPECT_EQ(type, got.type)
			TH_LOG("version %x header %02x", c->etm4.version, header);
		return;
	}

	EXPECT_EQ(CSF_PKT_BAD, got.type)
		TH_LOG("version %x header %02x", c->etm4.version, header);
	EXPECT_EQ(1, got.size);
	EXPECT_EQ(header, got.val);
	EXPECT_EQ(type == CSF_PKT_BAD ? CSF_BAD_RESERVED : CSF_BAD_CONFIG, got.n)
		TH_LOG("version %x header %02x", c->etm4.version, header);
	EXPECT_EQ(type, got.info);
	EXPECT_EQ(0, got.flags);
}

TEST(each_header_in_each_version)
{
	const struct {
		struct config c;
		const struct span *without;
	} units[] = {
		{ unit(ETM(0), 0), not_40 },		{ unit(ETM(3), 0), not_43 },
		{ unit(ETM(6), 0), not_46 },		{ unit(0, ETE(0)), not_ete10 },
		{ unit(ETM(2), 0), not_42 },		{ unit(ETM(15), 0), not_46 },
		{ unit(0, ETE(3)), not_ete13 },		{ unit(0, ETE(9)), not_ete13 },
		{ bare(ETM(6), 0), not_bare46 },	{ bare(0, ETE(3)), not_bare13 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		for (unsigned int header = 1; header < 256; header++)
			expect_header(_metadata, &units[i].c, units[i].without, header);
}

/* ---------------------------------------------------------------- bytes to struct */

enum unit_kind { V40, V43, V46, E10, E13, E13C, NO_IDS };

static struct config kind(enum unit_kind k)
{
	struct config c;

	switch (k) {
	case V40:
		return unit(ETM(0), 0);
	case V43:
		return unit(ETM(3), 0);
	case V46:
		return unit(ETM(6), 0);
	case E10:
		return unit(0, ETE(0));
	case E13:
		return unit(0, ETE(3));
	case E13C:
		return bare(0, ETE(3));
	case NO_IDS:
		break;
	}
	c = unit(ETM(6), 0);
	c.etm4.vmid_size = 0;
	c.etm4.cid_size = 0;
	return c;
}

#define T(name)		.type = CSF_PKT_##name
#define BAD(why, t)	.type = CSF_PKT_BAD, .n = CSF_BAD_##why, .info = t

/* One line a case: the unit, bytes, their meaning. @over: the writer would write it differently. */
static const struct {
	enum unit_kind kind;
	uint8_t byte[CSF_PACKET_MAX];
	struct csf_packet want;
	bool over;
} packets[] = {
	/* extensions */
	{ E10, { [11] = 0x80 }, { T(ASYNC), .size = 12 } },
	{ E10, { 0, 3 }, { T(DISCARD), .size = 2 } },
	{ E10, { 0, 5 }, { T(OVERFLOW), .size = 2 } },
	{ V46, { 0, 7 }, { T(BF_FLUSH), .size = 2 } },
	{ V43, { 0, 7 }, { BAD(CONFIG, CSF_PKT_BF_FLUSH), .size = 2, .val = 0x700 } },
	{ E10, { 0, 7 }, { BAD(CONFIG, CSF_PKT_BF_FLUSH), .size = 2, .val = 0x700 } },
	{ E10, { 0, 1 }, { BAD(RESERVED, 0), .size = 2, .val = 0x100 } },
	{ E10, { 0, 0x83 }, { BAD(RESERVED, 0), .size = 2, .val = 0x8300 } },
	{ E10, { 0, 0, 1 }, { BAD(SEQUENCE, CSF_PKT_ASYNC), .size = 3, .val = 0x10000 } },
	{ E10, { [11] = 0x81 }, { BAD(SEQUENCE, CSF_PKT_ASYNC), .size = 12 } },
	{ E10, { [10] = 0x80 }, { BAD(SEQUENCE, CSF_PKT_ASYNC), .size = 11 } },
	{ E10, { [12] = 0x80 }, { BAD(SEQUENCE, CSF_PKT_ASYNC), .size = 12 } },
	/* trace info */
	{ E10, { 1, 0 }, { T(INFO), .size = 2 } },
	{ E10, { 1, 9, 1, 0x10 }, { T(INFO), .size = 4, .info = 9, .val = 1, .count = 16 } },
	{ E10, { 1, 1, 0x40 }, { T(INFO), .size = 3, .info = 1, .val = 0x40 } },
	{ E10, { 1, 4, 2 }, { T(INFO), .size = 3, .info = 4, .commit = 2 } },
	{ V40, { 1, 0x1f, 1, 2, 3, 0x84, 1, 5 }, { T(INFO), .size = 8, .info = 0x1f, .val = 1,
		.val2 = 2, .commit = 3, .count = 132 }, true },
	{ E10, { 1, 0x81, 0x80, 0, 1 }, { T(INFO), .size = 5, .info = 1, .val = 1 }, true },
	{ E10, { 1, 0x81, 0x80, 0x80, 0x80, 1 }, { T(INFO), .size = 6, .info = 1, .val = 1 },
		true },
	{ E10, { 1, 8, 0xff, 0xff, 0xff, 0xff, 0x7f }, { T(INFO), .size = 7, .info = 8,
		.count = 0xffffffff }, true },
	{ E10, { 1, 8, 0x81, 0x80, 0x80, 0x80, 0x80 }, { T(INFO), .size = 7, .info = 8,
		.count = 1 }, true },
	/* timestamps */
	{ E10, { 2, 6 }, { T(TIME), .size = 2, .n = 7, .val = 6 } },
	{ E10, { 2, 0x86, 0 }, { T(TIME), .size = 3, .n = 14, .val = 6 } },
	{ E10, { 2, 0x85, 0x83, 1 }, { T(TIME), .size = 4, .n = 21, .val = 0x4185 } },
	{ E10, { 2, 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88 },
		{ T(TIME), .size = 10, .n = 64, .val = 0x880e182840608080 } },
	{ E10, { 2, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f },
		{ T(TIME), .size = 9, .n = 56, .val = 0xfe000000000001 } },
	{ E10, { 3, 0x85, 3, 0x90, 1 }, { T(TIME), .size = 5, .n = 14, .val = 0x185,
		.count = 0x90, .flags = CSF_PKT_COUNT } },
	{ E10, { 3, 5, 0 }, { T(TIME), .size = 3, .n = 7, .val = 5, .flags = CSF_PKT_COUNT } },
	{ E10, { 3, 5, 0xff, 0xff, 0x7f }, { T(TIME), .size = 5, .n = 7, .val = 5,
		.count = 0xfffff, .flags = CSF_PKT_COUNT }, true },
	{ E10, { 3, 5, 0x81, 0x80, 0x80 }, { T(TIME), .size = 5, .n = 7, .val = 5, .count = 1,
		.flags = CSF_PKT_COUNT }, true },
	/* no payload */
	{ E10, { 4 }, { T(ON), .size = 1 } },
	{ V43, { 5 }, { T(RETURN), .size = 1 } },
	{ V40, { 5 }, { BAD(CONFIG, CSF_PKT_RETURN), .size = 1, .val = 5 } },
	{ V40, { 7 }, { T(ERET), .size = 1 } },
	{ E10, { 0x0a }, { T(TM_START), .size = 1 } },
	{ E10, { 0x0b }, { T(TM_COMMIT), .size = 1 } },
	{ V43, { 0x70 }, { T(IGNORE), .size = 1 } },
	{ V46, { 0x88 }, { T(MARKER), .size = 1 } },
	{ V40, { 0x43 }, { T(COND_FLUSH), .size = 1 } },
	/* exceptions */
	{ E10, { 6, 0x1d, 0x9a }, { T(EXCEPTION), .size = 2, .exception = 0xe, .n = 1 } },
	{ E10, { 6, 0x5c, 0x9a }, { T(EXCEPTION), .size = 2, .exception = 0xe, .n = 2 } },
	{ E10, { 6, 0x31, 0x70 }, { T(EXCEPTION), .size = 3, .exception = 0x18, .n = 1,
		.flags = CSF_PKT_UNKNOWN } },
	{ E10, { 6, 0x01, 0x70 }, { T(EXCEPTION), .size = 3, .n = 1, .flags = CSF_PKT_UNKNOWN } },
	{ E10, { 6, 0x01, 0x9a }, { T(EXCEPTION), .size = 2, .n = 1 } },
	{ E10, { 6, 0x1d, 0x70 }, { T(EXCEPTION), .size = 2, .exception = 0xe, .n = 1 } },
	{ V46, { 6, 0x01, 0x70 }, { T(EXCEPTION), .size = 2, .n = 1 } },
	{ V43, { 6, 0x91, 0x10 }, { T(EXCEPTION), .size = 3, .exception = 0x208, .n = 1 } },
	{ V43, { 6, 0x87, 0x20 }, { T(EXCEPTION), .size = 3, .exception = 3, .n = 1,
		.info = 0x20 } },
	/* instrumentation */
	{ E13, { 9, 1, 1, 2, 3, 4, 5, 6, 7, 8 }, { T(ITE), .size = 10, .n = 1,
		.val = 0x0807060504030201 } },
	/* cycle counts: committing, and not */
	{ E13C, { 0x0e, 0x85, 1 }, { T(CC1), .size = 3, .count = 0x85, .flags = CSF_PKT_COUNT } },
	{ E13C, { 0x0f }, { T(CC1), .size = 1 } },
	{ E13C, { 0x0d, 0xf3 }, { T(CC2), .size = 2, .count = 3, .info = 1,
		.flags = CSF_PKT_COUNT } },
	{ E13C, { 0x0c, 0x15 }, { T(CC2), .size = 2, .count = 5, .flags = CSF_PKT_COUNT }, true },
	{ E13C, { 0x12 }, { T(CC3), .size = 1, .count = 2, .flags = CSF_PKT_COUNT } },
	{ E13C, { 0x16 }, { T(CC3), .size = 1, .count = 2, .flags = CSF_PKT_COUNT }, true },
	{ E13, { 0x0e, 0x85, 1, 7 }, { T(CC1), .size = 4, .count = 7, .commit = 133,
		.flags = CSF_PKT_COUNT } },
	{ E13, { 0x0f, 3 }, { T(CC1), .size = 2, .commit = 3 } },
	{ E13, { 0x0f, 0xff, 0xff, 0xff, 0xff, 0x0f }, { T(CC1), .size = 6,
		.commit = 0xffffffff } },
	{ E13, { 0x0f, 0x82, 0x80, 0x80, 0x80, 0x80 }, { T(CC1), .size = 6, .commit = 2 }, true },
	{ E13, { 0x0c, 0x15 }, { T(CC2), .size = 2, .count = 5, .commit = 2,
		.flags = CSF_PKT_COUNT } },
	{ E13, { 0x0d, 0xd3 }, { T(CC2), .size = 2, .count = 3, .commit = -2, .info = 1,
		.flags = CSF_PKT_COUNT } },
	{ E13, { 0x1f }, { T(CC3), .size = 1, .count = 3, .commit = 4, .flags = CSF_PKT_COUNT } },
	/* speculation */
	{ E10, { 0x2d, 0x83, 1 }, { T(COMMIT), .size = 3, .count = 131 } },
	{ E10, { 0x2e, 2 }, { T(CANCEL1), .size = 2, .count = 2 } },
	{ E10, { 0x2f, 2 }, { T(CANCEL1), .size = 2, .count = 2, .flags = CSF_PKT_MISP } },
	{ E10, { 0x2e, 0 }, { BAD(SEQUENCE, CSF_PKT_CANCEL1), .size = 2, .val = 0x2e } },
	{ E10, { 0x30 }, { T(MISPREDICT), .size = 1 } },
	{ E10, { 0x31 }, { T(MISPREDICT), .size = 1, .n = 1, .val = 1 } },
	{ E10, { 0x32 }, { T(MISPREDICT), .size = 1, .n = 2, .val = 3 } },
	{ E10, { 0x33 }, { T(MISPREDICT), .size = 1, .n = 1, .val = 0 } },
	{ E10, { 0x35 }, { T(CANCEL2), .size = 1, .count = 1, .n = 1, .val = 1,
		.flags = CSF_PKT_MISP } },
	{ E10, { 0x37 }, { T(CANCEL2), .size = 1, .count = 1, .n = 1, .flags = CSF_PKT_MISP } },
	{ E10, { 0x38 }, { T(CANCEL3), .size = 1, .count = 2, .flags = CSF_PKT_MISP } },
	{ E10, { 0x3f }, { T(CANCEL3), .size = 1, .count = 5, .n = 1, .val = 1,
		.flags = CSF_PKT_MISP } },
	/* data synchronisation, conditional instructions */
	{ V40, { 0x25 }, { T(DSYNC_N), .size = 1, .val = 5 } },
	{ V40, { 0x2c }, { T(DSYNC_U), .size = 1, .val = 4 } },
	{ V40, { 0x42 }, { T(COND_I2), .size = 1, .val = 2 } },
	{ V40, { 0x46 }, { T(COND_R4), .size = 1, .val = 2 } },
	{ V40, { 0x49 }, { T(COND_R2), .size = 1, .val = 1 } },
	{ V40, { 0x4e }, { T(COND_R2), .size = 1, .val = 6 } },
	{ V40, { 0x5a, 0x3c }, { T(COND_R3), .size = 2, .val = 0xa3c } },
	{ V40, { 0x6c, 0x85, 1 }, { T(COND_I1), .size = 3, .val = 133 } },
	{ V40, { 0x6d, 0x7f }, { T(COND_I3), .size = 2, .val = 0x3f | 0x40 } },
	{ V40, { 0x6f, 0x53 }, { T(COND_R1), .size = 2, .n = 1, .info = 1, .val = 0x53 } },
	{ V40, { 0x6e, 0xd3, 1 }, { T(COND_R1), .size = 3, .n = 1, .val = 0xd3 } },
	{ V40, { 0x6a, 0x13, 0xa4, 2 }, { T(COND_R1), .size = 4, .n = 2, .info = 2, .val = 0x13,
		.val2 = 0x124 } },
	{ V40, { 0x6e, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80 }, { T(COND_R1), .size = 7, .n = 1,
		.val = 1 }, true },
	/* events */
	{ E10, { 0x75 }, { T(EVENT), .size = 1, .val = 5 } },
	/* contexts */
	{ E10, { 0x80 }, { T(CONTEXT), .size = 1 } },
	{ E10, { 0x81, 0x30 }, { T(CONTEXT), .size = 2, .info = 0x30, .flags = CSF_PKT_CTXT } },
	{ E10, { 0x81, 0x3d }, { T(CONTEXT), .size = 2, .info = 0x39, .flags = CSF_PKT_CTXT },
		true },
	{ E10, { 0x81, 0xf1, 1, 2, 3, 4, 5, 6, 7, 8 }, { T(CONTEXT), .size = 10, .info = 0xf1,
		.vmid = 0x04030201, .contextid = 0x08070605, .flags = CSF_PKT_CTXT } },
	{ E10, { 0x81, 0xb1, 5, 6, 7, 8 }, { T(CONTEXT), .size = 6, .info = 0xb1,
		.contextid = 0x08070605, .flags = CSF_PKT_CTXT } },
	{ V40, { 0x81, 0xf1, 5, 6, 7, 8 }, { T(CONTEXT), .size = 6, .info = 0xf1,
		.contextid = 0x08070605, .flags = CSF_PKT_CTXT } },
	{ NO_IDS, { 0x81, 0x71, 0xf6 }, { T(CONTEXT), .size = 2, .info = 0x71,
		.flags = CSF_PKT_CTXT } },
	{ E10, { 0x82, 0, 8, 0, 0, 0x31 }, { T(ADDR_CTXT32), .size = 6, .n = 32, .val = 0x1000,
		.info = 0x31, .flags = CSF_PKT_CTXT } },
	{ V43, { 0x83, 0, 0x10, 0, 0, 0x20 }, { T(ADDR_CTXT32), .size = 6, .n = 32, .val = 0x1000,
		.info = 0x20, .flags = CSF_PKT_CTXT | CSF_PKT_IS1 } },
	{ E10, { 0x85, 0, 8, 0, 0, 0, 0, 0xff, 0xff, 0x71, 1, 2, 3, 4 }, { T(ADDR_CTXT64),
		.size = 14, .n = 64, .val = 0xffff000000001000, .info = 0x71, .vmid = 0x04030201,
		.flags = CSF_PKT_CTXT } },
	{ E10, { 0x86, 1, 8, 0, 0, 0, 0, 0, 0, 1 }, { T(ADDR_CTXT64), .size = 10, .n = 64,
		.val = 0x802, .info = 1, .flags = CSF_PKT_CTXT | CSF_PKT_IS1 } },
	/* addresses */
	{ E10, { 0x91 }, { T(ADDR_MATCH), .size = 1, .val = 1 } },
	{ E10, { 0x95, 0x88, 8 }, { T(ADDR_SHORT), .size = 3, .n = 17, .val = 0x1020 } },
	{ E10, { 0x95, 0xff, 0xff }, { T(ADDR_SHORT), .size = 3, .n = 17, .val = 0x1fffc } },
	{ E10, { 0x96, 0x88, 8 }, { T(ADDR_SHORT), .size = 3, .n = 16, .val = 0x810,
		.flags = CSF_PKT_IS1 } },
	{ E10, { 0x96, 0x7f }, { T(ADDR_SHORT), .size = 2, .n = 8, .val = 0xfe,
		.flags = CSF_PKT_IS1 } },
	{ E10, { 0x9a, 0xff, 0xff, 0xfe, 0xff }, { T(ADDR32), .size = 5, .n = 32,
		.val = 0xfffefffc }, true },
	{ V43, { 0x9b, 0x7f, 0xff, 0xff, 0xff }, { T(ADDR32), .size = 5, .n = 32,
		.val = 0xfffffffe, .flags = CSF_PKT_IS1 } },
	{ E10, { 0x9e, 1, 2, 3, 4, 5, 6, 7, 8 }, { T(ADDR64), .size = 9, .n = 64,
		.val = 0x0807060504030202, .flags = CSF_PKT_IS1 } },
	{ E10, { 0xb2 }, { T(SRC_MATCH), .size = 1, .val = 2 } },
	{ E10, { 0xb4, 0x83, 1 }, { T(SRC_SHORT), .size = 3, .n = 17, .val = 0x20c } },
	{ E10, { 0xb5, 3 }, { T(SRC_SHORT), .size = 2, .n = 8, .val = 6, .flags = CSF_PKT_IS1 } },
	{ E10, { 0xb6, 3, 8, 0, 0 }, { T(SRC32), .size = 5, .n = 32, .val = 0x100c } },
	{ E10, { 0xb7, 3, 8, 0, 0 }, { T(SRC32), .size = 5, .n = 32, .val = 0x806,
		.flags = CSF_PKT_IS1 } },
	{ E10, { 0xb8, 3, 8, 0, 0, 0, 0, 0, 1 }, { T(SRC64), .size = 9, .n = 64,
		.val = 0x10000000000100c } },
	{ E10, { 0xb9, 3, 8 }, { T(SRC64), .size = 9, .n = 64, .val = 0x806,
		.flags = CSF_PKT_IS1 } },
	/* Q */
	{ E10, { 0xa1, 2 }, { T(Q), .size = 2, .count = 2, .val = 1,
		.flags = CSF_PKT_COUNT | CSF_PKT_ADDR | CSF_PKT_MATCH } },
	{ E10, { 0xa5, 2, 2 }, { T(Q), .size = 3, .count = 2, .val = 8, .n = 9,
		.flags = CSF_PKT_COUNT | CSF_PKT_ADDR } },
	{ E10, { 0xa6, 0x82, 1, 0x82, 1 }, { T(Q), .size = 5, .count = 130, .val = 0x104, .n = 16,
		.flags = CSF_PKT_COUNT | CSF_PKT_ADDR | CSF_PKT_IS1 } },
	{ E10, { 0xaa, 2, 8, 0, 0, 2 }, { T(Q), .size = 6, .count = 2, .val = 0x1008, .n = 32,
		.flags = CSF_PKT_COUNT | CSF_PKT_ADDR } },
	{ E10, { 0xab, 2, 8, 0, 0, 2 }, { T(Q), .size = 6, .count = 2, .val = 0x804, .n = 32,
		.flags = CSF_PKT_COUNT | CSF_PKT_ADDR | CSF_PKT_IS1 } },
	{ E10, { 0xac, 6 }, { T(Q), .size = 2, .count = 6, .flags = CSF_PKT_COUNT } },
	{ E10, { 0xaf, 6 }, { T(Q), .size = 1 } },
	{ E10, { 0xac, 0xff, 0xff, 0xff, 0xff, 0xff }, { T(Q), .size = 6, .count = 0xffffffff,
		.flags = CSF_PKT_COUNT }, true },
	/* atoms */
	{ E10, { 0xf6 }, { T(ATOM), .size = 1, .n = 1, .val = 0 } },
	{ E10, { 0xdb }, { T(ATOM), .size = 1, .n = 2, .val = 3 } },
	{ E10, { 0xfc }, { T(ATOM), .size = 1, .n = 3, .val = 4 } },
	{ E10, { 0xff }, { T(ATOM), .size = 1, .n = 3, .val = 7 } },
	{ E10, { 0xdc }, { T(ATOM), .size = 1, .n = 4, .val = 0xe } },
	{ E10, { 0xdd }, { T(ATOM), .size = 1, .n = 4, .val = 0 } },
	{ E10, { 0xde }, { T(ATOM), .size = 1, .n = 4, .val = 0xa } },
	{ E10, { 0xdf }, { T(ATOM), .size = 1, .n = 4, .val = 0x5 } },
	{ E10, { 0xf5 }, { T(ATOM), .size = 1, .n = 5, .val = 0x1e } },
	{ E10, { 0xd5 }, { T(ATOM), .size = 1, .n = 5, .val = 0 } },
	{ E10, { 0xd6 }, { T(ATOM), .size = 1, .n = 5, .val = 0xa } },
	{ E10, { 0xd7 }, { T(ATOM), .size = 1, .n = 5, .val = 0x15 } },
	{ E10, { 0xc0 }, { T(ATOM), .size = 1, .n = 4, .val = 0xf } },
	{ E10, { 0xd4 }, { T(ATOM), .size = 1, .n = 24, .val = 0xffffff } },
	{ E10, { 0xe0 }, { T(ATOM), .size = 1, .n = 4, .val = 0x7 } },
	{ E10, { 0xf4 }, { T(ATOM), .size = 1, .n = 24, .val = 0x7fffff } },
};

#define EXPECT_SAME(field)			\
	EXPECT_EQ(want->field, got->field)	\
		TH_LOG("packet %u: " #field, i)

static void expect_packet(struct __test_metadata *_metadata, const struct csf_packet *want,
			  const struct csf_packet *got, unsigned int i)
{
	EXPECT_SAME(type);
	EXPECT_SAME(n);
	EXPECT_SAME(val);
	EXPECT_SAME(val2);
	EXPECT_SAME(count);
	EXPECT_SAME(commit);
	EXPECT_SAME(contextid);
	EXPECT_SAME(vmid);
	EXPECT_SAME(exception);
	EXPECT_SAME(info);
	EXPECT_SAME(flags);
}

TEST(reads_each_packet)
{
	for (size_t i = 0; i < ARRAY_SIZE(packets); i++) {
		struct config c = kind(packets[i].kind);
		struct csf_packet got = { 0 };

		int n = packet_read(&c, packets[i].byte, &got);

		EXPECT_EQ(got.size, n);
		EXPECT_EQ(packets[i].want.size, n)
			TH_LOG("packet %zu", i);
		expect_packet(_metadata, &packets[i].want, &got, i);
	}
}

TEST(writes_each_packet)
{
	for (size_t i = 0; i < ARRAY_SIZE(packets); i++) {
		struct config c = kind(packets[i].kind);
		uint8_t byte[CSF_PACKET_MAX] = { 0 };
		struct csf_packet got = { 0 };
		int n = packet_write(&c, byte, &packets[i].want);

		if (packets[i].want.type == CSF_PKT_BAD) {
			EXPECT_EQ(packets[i].want.size > 8 ? 0 : packets[i].want.size, n);
			continue;
		}
		packet_read(&c, byte, &got);
		expect_packet(_metadata, &packets[i].want, &got, i);
		if (packets[i].over)
			continue;
		EXPECT_EQ(packets[i].want.size, n)
			TH_LOG("packet %zu", i);
		EXPECT_EQ(0, memcmp(packets[i].byte, byte, n))
			TH_LOG("packet %zu", i);
	}
}

/* Fields that no packet of the type has are not written, whatever they are. */
TEST(does_not_write_what_is_not_there)
{
	static const struct csf_packet never[] = {
		{ T(ATOM), .n = 25, .val = 0 },
		{ T(ATOM), .n = 4, .val = 1 },
		{ T(TIME), .n = 7, .val = 0x80 },
		{ T(TIME), .n = 255 },
		{ T(ADDR_SHORT), .n = 9, .val = 0x200 },
		{ T(ADDR_SHORT), .n = 17, .val = 2 },
		{ T(ADDR32), .n = 32, .val = 1 },
		{ T(ADDR64), .n = 255 },
		{ T(ADDR_CTXT64), .n = 255, .flags = CSF_PKT_CTXT },
		{ T(EXCEPTION), .exception = 1024 },
		{ T(EXCEPTION), .exception = 3, .flags = CSF_PKT_UNKNOWN },
		{ T(ITE), .n = 4 },
		{ T(EVENT), .val = 0 },
		{ T(EVENT), .val = 16 },
		{ T(CANCEL1), .count = 0 },
		{ T(CANCEL3), .count = 6, .flags = CSF_PKT_MISP },
		{ T(MISPREDICT), .n = 2, .val = 1 },
		{ T(CC2), .count = 16, .commit = 1, .flags = CSF_PKT_COUNT },
		{ T(CC3), .count = 0, .commit = 5, .flags = CSF_PKT_COUNT },
		{ T(ADDR_MATCH), .val = 3 },
		{ T(Q), .count = 1 },
		{ T(ON), .val = 1 },
		{ T(INFO), .info = 0x1f, .val = ~0ull, .val2 = ~0ull, .commit = ~0u, .count = ~0u },
		{ T(COND_I1), .val = ~0ull },
		{ .type = CSF_PKT_NR },
		{ .type = 255 },
	};
	struct config c = unit(0, ETE(3));
	uint8_t byte[CSF_PACKET_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(never); i++) {
		EXPECT_EQ(0, packet_write(&c, byte, &never[i]))
			TH_LOG("packet %zu", i);
	}
}

/* ---------------------------------------------------------------- any bytes */

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Bytes of which many go on (bit 7), and many are 0. */
static void any_packet(uint8_t *byte)
{
	uint64_t how = any();

	for (unsigned int i = 0; i < CSF_PACKET_MAX; i++) {
		byte[i] = any() >> 24;
		if (i && how >> i & 1)
			byte[i] = how >> 40 & 1 ? byte[i] & 0x80 : byte[i] | 0x80;
	}
}

static bool equal(const struct csf_packet *a, const struct csf_packet *b)
{
	return a->type == b->type && a->n == b->n && a->val == b->val && a->val2 == b->val2 &&
	       a->count == b->count && a->commit == b->commit && a->vmid == b->vmid &&
	       a->contextid == b->contextid && a->exception == b->exception &&
	       a->info == b->info && a->flags == b->flags;
}

TEST(any_bytes_are_a_packet_that_can_be_written)
{
	for (unsigned int i = 0; i < 2000000; i++) {
		static struct config c;
		uint8_t byte[CSF_PACKET_MAX], again[CSF_PACKET_MAX] = { 0 };
		struct csf_packet pkt = { 0 }, back = { 0 };
		int n, m;

		if (!(i % 4096))
			c = kind(i / 4096 % (NO_IDS + 1));
		any_packet(byte);
		n = packet_read(&c, byte, &pkt);
		ASSERT_LE(1, n);
		ASSERT_GE(CSF_PACKET_MAX, n);
		ASSERT_EQ(n, pkt.size);
		/* The fast path for atoms and addresses has a slow twin. */
		ASSERT_EQ(n, packet_read_payload(&c, byte, &back));
		ASSERT_TRUE(equal(&pkt, &back));
		if (pkt.type == CSF_PKT_BAD)
			continue;

		m = packet_write(&c, again, &pkt);
		ASSERT_LE(1, m)
		TH_LOG("version %x: %02x %02x %02x", c.etm4.version, byte[0], byte[1], byte[2]);
		ASSERT_GE(n, m);
		packet_read(&c, again, &back);
		ASSERT_TRUE(equal(&pkt, &back));

		/* Only the packet decides; for exceptions one byte more is read. */
		if (pkt.type == CSF_PKT_EXCEPTION)
			continue;
		for (int k = n; k < CSF_PACKET_MAX; k++)
			byte[k] ^= 0x5a;
		packet_read(&c, byte, &back);
		ASSERT_TRUE(equal(&pkt, &back));
	}
}

/* ---------------------------------------------------------------- the public calls */

TEST(public_read_and_write)
{
	struct csf_config config = { .size = sizeof(config), .trcdevarch = ETE(0) };
	struct csf_config wrong = { .size = sizeof(config), .trcidr1 = 0x4100fff0 };
	static const uint8_t bytes[] = { 0x9a, 2, 8, 0, 0 };
	uint8_t back[CSF_PACKET_MAX];
	struct csf_packet pkt;

	EXPECT_EQ(5, csf_packet_read(&config, bytes, 5, &pkt));
	EXPECT_EQ(0x1008, pkt.val);
	EXPECT_EQ(5, csf_packet_write(&config, back, &pkt));
	EXPECT_EQ(0, memcmp(bytes, back, 5));
	EXPECT_EQ(0, csf_packet_read(&config, bytes, 0, &pkt));
	EXPECT_EQ(4, csf_packet_read(&config, bytes, 4, &pkt));
	EXPECT_EQ(CSF_PKT_BAD, pkt.type);
	EXPECT_EQ(CSF_BAD_CUT, pkt.n);
	EXPECT_EQ(CSF_PKT_ADDR32, pkt.info);
	EXPECT_EQ(0x08029a, pkt.val);
	EXPECT_EQ(4, csf_packet_write(&config, back, &pkt));
	EXPECT_EQ(CSF_ERR_CONFIG, csf_packet_read(&wrong, bytes, 5, &pkt));
	EXPECT_EQ(CSF_ERR_CONFIG, csf_packet_write(&wrong, back, &pkt));
}

TEST_HARNESS_MAIN

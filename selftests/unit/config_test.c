// SPDX-License-Identifier: GPL-2.0-only
/* Configuration: register values to what they mean. */
#include "../lib/kselftest_harness.h"

#undef ARRAY_SIZE
#include "../../decoder/config.h"

#define COMMOPT		BIT(29)
#define CCI		BIT(4)
#define ETE(minor)	(0x47705a13 | (minor) << 16)
#define ETM(minor)	(0x400 | (minor) << 4)

static const struct {
	uint32_t trcidr1, trcdevarch;
	int version;
} versions[] = {
	{ 0, 0, 0x40 },
	{ 0x4100f400, 0, 0x40 },
	{ 0x4200f440, 0, 0x44 },
	{ 0x4100f460, 0x47704a13, 0x40 },
	{ 0, 0x47764a13, 0x46 },
	{ 0x4100fff0, 0x47705a13, 0x50 },
	{ 0x4100fff0, 0x47735a13, 0x53 },
	{ 0x4100fff0, 0, CSF_ERR_CONFIG },
	{ 0x4100fff0, 0x47605a13, CSF_ERR_CONFIG },	/* not present */
	{ 0x4100fff0, 0x47706a13, CSF_ERR_CONFIG },
	{ 0x4100fff0, 0x47715a14, CSF_ERR_CONFIG },
	{ 0x4100fff0, 0x57705a13, CSF_ERR_CONFIG },
	{ 0x4100f300, 0, CSF_ERR_CONFIG },
	{ 0x4100f430, 0x47605a13, 0x43 },
};

TEST(version_from_registers)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		struct csf_config config = {
			.size = sizeof(config), .trcidr1 = versions[i].trcidr1,
			.trcdevarch = versions[i].trcdevarch,
		};

		EXPECT_EQ(versions[i].version, csf_config_version(&config))
			TH_LOG("row %zu", i);
	}
}

TEST(a_config_of_another_size)
{
	struct {
		struct csf_config config;
		uint32_t more[2];
	} c = { .config = { .size = sizeof(c), .trcdevarch = ETE(1) } };

	EXPECT_EQ(0x51, csf_config_version(&c.config));
	c.more[1] = 1;
	EXPECT_EQ(CSF_ERR_CONFIG, csf_config_version(&c.config));
	c.config.size = sizeof(c.config);
	EXPECT_EQ(0x51, csf_config_version(&c.config));
	c.config.size = offsetof(struct csf_config, trcdevarch);
	EXPECT_EQ(0x40, csf_config_version(&c.config));
	c.config.size = sizeof(c.config.size);
	EXPECT_EQ(0x40, csf_config_version(&c.config));
	c.config.size = 4;
	EXPECT_EQ(CSF_ERR_CONFIG, csf_config_version(&c.config));
	c.config.size = SIZE_MAX;
	EXPECT_EQ(CSF_ERR_CONFIG, csf_config_version(&c.config));
	EXPECT_EQ(CSF_ERR_CONFIG, csf_config_version(NULL));
}

TEST(layers)
{
	struct csf_config config = { .size = sizeof(config), .without = CSF_WITHOUT_ALL };
	struct config c;

	ASSERT_EQ(0, config_read(&c, &config));
	EXPECT_EQ(CSF_WITHOUT_ALL, c.without);
	config.without = CSF_WITHOUT_ALL + 1;
	EXPECT_EQ(CSF_ERR_CONFIG, config_read(&c, &config));
	config.size = offsetof(struct csf_config, without);
	ASSERT_EQ(0, config_read(&c, &config));
	EXPECT_EQ(0, c.without);
}

TEST(protocols)
{
	static const struct { uint32_t devarch; enum csf_protocol is; } units[] = {
		{ 0x47704a13, CSF_PROTOCOL_ETM4 }, { 0x47705a13, CSF_PROTOCOL_ETE },
	};
	struct csf_config config = { .size = sizeof(config) };
	struct config c;

	for (int i = 0; i < 2; i++) {
		config.trcdevarch = units[i].devarch;
		for (config.protocol = 0; config.protocol <= CSF_PROTOCOL_NR; config.protocol++) {
			const bool right = !config.protocol || config.protocol == units[i].is;

			EXPECT_EQ(right ? 0 : CSF_ERR_CONFIG, config_read(&c, &config));
			EXPECT_EQ(right ? (int)units[i].is : CSF_ERR_CONFIG,
				  csf_config_protocol(&config));
			if (right)
				EXPECT_EQ(units[i].is, c.protocol);
		}
	}
	config.size = offsetof(struct csf_config, protocol);
	EXPECT_EQ(0, config_read(&c, &config));
}

TEST(protocol_names)
{
	EXPECT_STREQ("ETMv4", csf_protocol_name(CSF_PROTOCOL_ETM4));
	EXPECT_STREQ("STM", csf_protocol_name(CSF_PROTOCOL_STM));
	EXPECT_STREQ("unknown", csf_protocol_name(CSF_PROTOCOL_TOLD));
	EXPECT_STREQ("unknown", csf_protocol_name(CSF_PROTOCOL_NR));
}

/* The field at fault has a name, even if only its size was forgotten. */
TEST(problems)
{
	struct { struct csf_config config; uint32_t later; } c = { 0 };
	struct csf_config *config = &c.config;

	EXPECT_STREQ("there is no configuration", csf_config_problem(NULL));
	EXPECT_STREQ(".size: want sizeof(struct csf_config)", csf_config_problem(config));
	config->size = sizeof(*config);
	EXPECT_EQ(NULL, csf_config_problem(config));
	config->profile = 7;
	EXPECT_EQ(0, strncmp(".profile: ", csf_config_problem(config), 10));
	config->profile = 0;
	config->marks = 1 << 20;
	EXPECT_EQ(0, strncmp(".marks: ", csf_config_problem(config), 8));
	config->marks = 0;
	config->without = UINT32_MAX;
	EXPECT_EQ(0, strncmp(".without: ", csf_config_problem(config), 10));
	config->without = 0;
	config->protocol = CSF_PROTOCOL_NR;
	EXPECT_STREQ(".protocol: it is not decoded", csf_config_problem(config));
	config->protocol = CSF_PROTOCOL_ETE;
	EXPECT_STREQ(".protocol: the registers say another", csf_config_problem(config));
	config->protocol = 0;
	config->trcidr1 = 0x300;
	EXPECT_EQ(0, strncmp(".trcidr1: ", csf_config_problem(config), 10));
	config->trcidr1 = 0;
	config->trcidr2 = 1 << 5;
	EXPECT_EQ(0, strncmp(".trcidr2: CIDSIZE", csf_config_problem(config), 17));
	config->trcidr2 = 3 << 10;
	EXPECT_EQ(0, strncmp(".trcidr2: VMIDSIZE", csf_config_problem(config), 18));
	config->trcidr2 = 0;
	config->size = sizeof(c);
	EXPECT_EQ(NULL, csf_config_problem(config));
	c.later = 1;
	EXPECT_EQ(0, strncmp(".size: there are", csf_config_problem(config), 16));
}

/* Every value has a name, and other numbers are named unknown. */
TEST(names)
{
	unsigned int n = 0;

	for (int i = 0; i < CSF_GAP_NR; i++)
		n += !strcmp("unknown", csf_gap_name(i));
	for (int i = CSF_END_FULL; i <= CSF_END_CODE; i++)
		n += !strcmp("unknown", csf_end_name(i));
	for (uint32_t mark = 1; mark <= CSF_MARK_COND; mark <<= 1)
		n += !strcmp("unknown", csf_mark_name(mark));
	for (int i = CSF_TRANS_INIT; i <= CSF_TRANS_FAIL; i++)
		n += !strcmp("unknown", csf_transaction_name(i));
	for (int i = CSF_INSN_OTHER; i <= CSF_INSN_EXCEPTION; i++)
		n += !strcmp("unknown", csf_insn_kind_name(i));
	for (int i = CSF_A64; i <= CSF_T32; i++)
		n += !strcmp("unknown", csf_isa_name(i));
	for (int i = CSF_SECURE; i <= CSF_REALM; i++)
		n += !strcmp("unknown", csf_security_name(i));
	for (int i = CSF_BAD_RESERVED; i <= CSF_BAD_UNSYNC; i++)
		n += !strcmp("unknown", csf_bad_name(i));
	for (int i = CSF_FRAME_DATA; i <= CSF_FRAME_TRAILER; i++)
		n += !strcmp("unknown", csf_frame_kind_name(i));
	EXPECT_EQ(0, n);
	EXPECT_STREQ("packet", csf_mark_name(CSF_MARK_PACKET));
	EXPECT_STREQ("data", csf_mark_name(CSF_MARK_DATA));
	EXPECT_STREQ("cond", csf_mark_name(CSF_MARK_COND));
	EXPECT_STREQ("return", csf_mark_name(CSF_MARK_RETURN));
	EXPECT_STREQ("cycles", csf_mark_name(CSF_MARK_CYCLES));
	EXPECT_STREQ("unknown", csf_mark_name(CSF_MARK_TIME | CSF_MARK_CYCLES));
	EXPECT_STREQ("unknown", csf_mark_name(0));
	EXPECT_STREQ("M", csf_profile_name(CSF_PROFILE_M));
	EXPECT_STREQ("unknown", csf_profile_name(CSF_PROFILE_M + 1));
	EXPECT_STREQ("unknown", csf_gap_name(CSF_GAP_NR));
	EXPECT_STREQ("unknown", csf_end_name(-1));
}

TEST(registers_by_meaning)
{
	struct csf_config config = {
		.size = sizeof(config), .trcidr1 = ETM(3), .trcidr0 = 0x28000ea1 | 3 << 1,
		.trcidr2 = 0x80000000 | 3 << 25 | 2 << 10 | 4 << 5, .trcidr8 = 5,
		.trcconfigr = 0x1001 | 3 << 1, .run_max = 1u << 31,
	};
	struct config c;

	ASSERT_EQ(0, config_read(&c, &config));
	EXPECT_EQ(5, c.max_spec);
	EXPECT_EQ(2, c.etm4.vmid_size);
	EXPECT_EQ(4, c.etm4.cid_size);
	EXPECT_EQ(15, c.etm4.cc_bits);
	EXPECT_EQ(CSF_RULE_WFX | CSF_RULE_LOAD | CSF_RULE_STORE, c.rule);
	EXPECT_TRUE(c.etm4.commopt);
	EXPECT_TRUE(c.retstack);
	EXPECT_TRUE(c.etm4.trans_p0);
	EXPECT_FALSE(c.etm4.ite);
	EXPECT_EQ(CSF_MARK_DEFAULT, c.marks);
	EXPECT_EQ(65536, c.run_max);

	/* The same in ETMv4.0: no WFXMODE, and one byte of VMID at most. */
	config.trcidr1 = ETM(0);
	config.trcidr0 &= ~COMMOPT;
	ASSERT_EQ(0, config_read(&c, &config));
	EXPECT_EQ(CSF_RULE_LOAD | CSF_RULE_STORE, c.rule);
	EXPECT_EQ(0, c.etm4.vmid_size);
	EXPECT_FALSE(c.etm4.commopt);
	config.trcidr8 = 0;
	ASSERT_EQ(0, config_read(&c, &config));
	EXPECT_FALSE(c.etm4.commopt);
	config.trcconfigr |= CCI;
	ASSERT_EQ(0, config_read(&c, &config));
	EXPECT_TRUE(c.etm4.commopt);

	/* And in ETE: loads and stores are never P0. */
	config.trcdevarch = ETE(0);
	ASSERT_EQ(0, config_read(&c, &config));
	EXPECT_EQ(CSF_RULE_WFX, c.rule);

	config.profile = 3;
	EXPECT_EQ(CSF_ERR_CONFIG, config_read(&c, &config));
	config.profile = CSF_PROFILE_R;
	config.marks = 1u << 31;
	EXPECT_EQ(CSF_ERR_CONFIG, config_read(&c, &config));
	config.marks = CSF_MARK_PACKET | CSF_MARK_DATA | CSF_MARK_COND;
	EXPECT_EQ(0, config_read(&c, &config));
	config.trcidr2 = 3 << 10;
	EXPECT_EQ(CSF_ERR_CONFIG, config_read(&c, &config));
}

TEST(data)
{
	struct csf_config etm3 = {
		.size = sizeof(etm3), .protocol = CSF_PROTOCOL_ETM3, .etmidr = 0x4104f230,
	};
	struct csf_config ete = { .size = sizeof(ete), .trcdevarch = ETE(0) };

	EXPECT_EQ(0, csf_config_data(&etm3));
	etm3.etmcr = 1 << 1;
	EXPECT_EQ(CSF_DATA_VALUES, csf_config_data(&etm3));
	etm3.etmcr = 1 << 2 | 1 << 3;
	EXPECT_EQ(CSF_DATA_VALUES | CSF_DATA_ADDRESSES, csf_config_data(&etm3));
	etm3.etmcr = 1 << 3;
	EXPECT_EQ(CSF_DATA_ADDRESSES, csf_config_data(&etm3));
	etm3.etmidr = 0x4100f310;
	EXPECT_EQ(0, csf_config_data(&etm3));
	EXPECT_EQ(0, csf_config_data(&ete));
	EXPECT_EQ(0, csf_config_data(NULL));
}

TEST_HARNESS_MAIN

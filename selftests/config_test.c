// SPDX-License-Identifier: GPL-2.0-only
/* Configuration: register values to what they mean. */
#include "kselftest_harness.h"

#undef ARRAY_SIZE
#include "../decoder/config.h"

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
	config.marks = CSF_MARK_PACKET;
	EXPECT_EQ(0, config_read(&c, &config));
	config.trcidr2 = 3 << 10;
	EXPECT_EQ(CSF_ERR_CONFIG, config_read(&c, &config));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/* Messages of an STM: nibbles, in bytes that are fed in pieces of any size, to messages. */
#include "../lib/kselftest_harness.h"

#undef ARRAY_SIZE
#include "../../decoder/bytes.h"
#include "../../decoder/csflow.h"

static const struct csf_config config = {
	.size = sizeof(config), .protocol = CSF_PROTOCOL_STM,
};

/* Nibbles in the order of the trace, low nibble of a byte first; a last one alone is lost. */
static size_t read_nibbles(const char *text, uint8_t *bytes)
{
	size_t n = 0;

	for (; *text; text++) {
		if (*text == ' ')
			continue;
		const uint8_t v = *text <= '9' ? *text - '0' : *text - 'a' + 10;

		if (n & 1)
			bytes[n / 2] |= v << 4;
		else
			bytes[n / 2] = v;
		n++;
	}
	return n / 2;
}

/* kind MASTER:CHANNEL VALUE/SIZE and what else there is */
static int put_message(char *text, const struct csf_message *m)
{
	int len = sprintf(text, "%s", csf_message_name(m->kind));

	if (m->kind == CSF_MESSAGE_GAP)
		return len + sprintf(text + len, " %llu %s/%llu;", (unsigned long long)m->offset,
				     csf_gap_name(m->info), (unsigned long long)m->value);
	if (m->flags & CSF_MESSAGE_HAS_MASTER)
		len += sprintf(text + len, " %x:%x", m->master, m->channel);
	else if (m->channel)
		len += sprintf(text + len, " ?:%x", m->channel);
	if (m->size)
		len += sprintf(text + len, " %llx/%u", (unsigned long long)m->value, m->size);
	if (m->info)
		len += sprintf(text + len, " info%u", m->info);
	if (m->flags & CSF_MESSAGE_MARKED)
		len += sprintf(text + len, " marked");
	if (m->flags & CSF_MESSAGE_HAS_TIME)
		len += sprintf(text + len, " t%llx", (unsigned long long)m->time);
	if (m->flags & CSF_MESSAGE_TIME_LOST)
		len += sprintf(text + len, " lost");
	return len + sprintf(text + len, ";");
}

static void messages_text(const struct csf_config *c, const uint8_t *bytes, size_t n, size_t chunk,
			  char *text)
{
	struct csf_messages *messages = NULL;
	struct csf_message m;
	size_t at = 0;

	if (csf_messages_new(&messages, c))
		return;
	do {
		const size_t take = n - at < chunk ? n - at : chunk;

		csf_messages_feed(messages, bytes + at, take);
		at += take;
		if (at == n)
			csf_messages_end(messages);
		while (csf_messages_next(messages, &m) > 0)
			text += put_message(text, &m);
	} while (at < n);
	csf_messages_free(messages);
}

#define F20	"ffffffffffffffffffff"
#define ASYNC	F20 "f0 "
#define V3	ASYNC "f003 "	/* NAT */

static const struct {
	const char *nibbles, *want;
} rows[] = {
	/* who writes, and what */
	{ V3 "1a1 342 f31234 4de c7 fe 00",
	  "data a1:1234 de/1;data a1:1234 7/1 info4;flag a1:1234;" },
	{ V3 "4ab 1ab 3ab f36446 3bb c1 10b c2 3aa c3 f14321 c4 f00 0",
	  "data ab/1;data ab:64bb 1/1 info4;data b:0 2/1 info4;data b:aa 3/1 info4;"
	  "data 4321:0 4/1 info4;" },
	{ V3 "4ab 53456 611223344 71020304050607080 f8ab f93456 fa11223344 fb1020304050607080"
	  " fd1 0",
	  "data ab/1;data 3456/2;data 11223344/4;data 1020304050607080/8;data ab/1 marked;"
	  "data 3456/2 marked;data 11223344/4 marked;data 1020304050607080/8 marked;"
	  "data 1/1 info4 marked;" },
	/* with a timestamp, which replaces low nibbles */
	{ V3 "f4abd11223344556677 f5abcd3122 f61122abcd0 fcc3123 8ab11 9abcd2ff a112233440"
	  " b11223344556677880 d10 e512345 f0116 e2ff e0 0",
	  "data ab/1 t11223344556677;data abcd/2 t11223344556122;data 1122abcd/4 t11223344556122;"
	  "data c/1 info4 t11223344556123;data ab/1 marked t11223344556121;"
	  "data abcd/2 marked t112233445561ff;data 11223344/4 marked t112233445561ff;"
	  "data 1122334455667788/8 marked t112233445561ff;data 1/1 info4 marked t112233445561ff;"
	  "flag t11223344512345;time 1/8 t11223344512346;flag t112233445123ff;"
	  "flag t112233445123ff;" },
	{ V3 "f4abe1122334455667788 0", "data ab/1 t1122334455667788;" },
	{ ASYNC "f004 e203 e12 e2ff 000", "flag t2;flag t3;flag taa;" },
	{ ASYNC "f00a01 f4 12 212 fe e212 f011200", "data 12/1 t12;flag;flag t24;time 2/8 t26;" },
	{ ASYNC "f000 f4ab12 c1 0", "data ab/1;data 1/1 info4;" },
	/* least significant nibble first */
	{ ASYNC "f00c81 c1 7123456789abcdef0 f412 212 112 f11234 312 fe f31234 fe 0",
	  "data 1/1 info4;data fedcba987654321/8;data 21/1 t3e;flag 4321:21;flag 4321:4321;" },
	/* a VERSION and errors make it unknown again */
	{ V3 "112 334 fe f003 fe 112 334 255 fe f266 fe f0f377 0",
	  "flag 12:34;flag;error 12:0 55/1 info1;flag 12:0;error 66/1 info2;flag;"
	  "error 77/1 info3;" },
	/* the others */
	{ V3 "f0655 f07551a f0805f5e100 f0911223344 221 f0f0123456789a f0a12 f0b1211 f0231234"
	  " f03 0 1 11 f0f2 fe 00",
	  "trigger 55/1;trigger 55/1 ta;frequency 5f5e100/4;frequency 11223344/4 t21;"
	  "frequency 123456789a/5;cross-sync 12/1;cross-sync 12/1 t21;user 1234/2;user 1/1 t21;"
	  "flag;" },
	/* damage; a sync may begin at any nibble, and in any packet */
	{ "1 2 3 " V3 "c1 0", "gap 0 start/2;data 1/1 info4;" },
	{ "f" V3 "c1 0", "gap 0 start/1;data 1/1 info4;" },
	{ "c1 c2", "gap 0 start/2;" },
	{ V3 "c1 f0c 12345 " V3 "c2", "data 1/1 info4;gap 14 packet/4;data 2/1 info4;" },
	{ V3 "d1f0 c1 c2", "gap 13 packet/4;" },
	{ V3 "f0 80 00c4 " ASYNC "611111111 0", "gap 13 cut/4;data 11111111/4;" },
	{ V3 "ff " ASYNC "c1", "gap 13 cut/1;data 1/1 info4;" },
	{ V3 F20 "f1 c1 " ASYNC "c2", "gap 13 packet/12;data 2/1 info4;" },
	{ V3 "7ffffffffffffffff " ASYNC "c2 0", "data ffffffffffffffff/8;data 2/1 info4;" },
	{ V3 "7ff" F20 "f0 c2 0", "gap 13 cut/2;data 2/1 info4;" },
	/* reserved: TIME, the packets of a PDID, and the gaps between the opcodes */
	{ V3 "f04 12 " ASYNC "c1 0", "gap 13 packet/3;data 1/1 info4;" },
	{ V3 "f05 12 " ASYNC "c1 0", "gap 13 packet/3;data 1/1 info4;" },
	{ V3 "f0d1 " ASYNC "c1 ", "gap 13 packet/2;data 1/1 info4;" },
	{ V3 "f0e1 " ASYNC "c1 ", "gap 13 packet/2;data 1/1 info4;" },
	{ V3 "f0f4 " ASYNC "c1 ", "gap 13 packet/2;data 1/1 info4;" },
	{ V3 "f0fe " ASYNC "c1 ", "gap 13 packet/2;data 1/1 info4;" },
	{ V3 "ff1 0 " ASYNC "c1 ", "gap 13 packet/2;data 1/1 info4;" },
	{ V3 "ff2 0 " ASYNC "c1 ", "gap 13 packet/2;data 1/1 info4;" },
	{ V3 "f0 " ASYNC "c1", "gap 13 cut/1;data 1/1 info4;" },
	/* a sync has 21 nibbles F, and its 0 */
	{ F20 "00 c1 c2", "gap 0 start/13;" },
	{ V3 "c1 0 " F20 "f", "data 1/1 info4;gap 14 cut/11;" },
	{ "0000000000000000000" V3 "c1 0", "gap 0 start/10;data 1/1 info4;" },
	/* a packet that the end cuts off, and a long one that a sync does */
	{ V3 "c1 00 61", "data 1/1 info4;gap 15 cut/1;" },
	{ V3 "f03 f 123456789abcdef0 e 1234 " ASYNC "c1 0", "gap 13 cut/13;data 1/1 info4;" },
	/* the order of nibbles stays: this would be a sync and a VERSION in the other one */
	{ V3 "c1 f0c0 " F20 "0f0f30 1c " ASYNC "c2",
	  "data 1/1 info4;gap 14 packet/16;data 2/1 info4;" },
	/* after a gap: who writes is not known, and high bits of the time may be another */
	{ V3 "112 334 e51 2345 f0c " ASYNC "c1 e12 3ab c2 e e1122334455667788 e11 0",
	  "flag 12:34 t12345;gap 19 packet/2;data 1/1 info4;flag t12342 lost;"
	  "data ?:ab 2/1 info4;flag ?:ab t1122334455667788;flag ?:ab t1122334455667781;" },
	/* a channel's error says which, and leaves it */
	{ V3 "112 334 f0f3 55 fe 0", "error 12:34 55/1 info3;flag 12:34;" },
	/* a VERSION is read as it comes, also after one that turns fields round */
	{ ASYNC "f00c81 f00b02 f412 234 fe 0", "data 12/1 t34;flag;" },
	{ ASYNC "f00a83 f412 234 fe 0", "data 21/1 t43;flag;" },
	/* kinds of timestamps that are not known, and those of STPv1 */
	{ ASYNC "f005 f412 234 fe 0", "data 12/1;flag;" },
	{ ASYNC "f001 f412 34 f01 56 fe 0", "data 12/1;time 0/8;flag;" },
	/* longest: USER_TS */
	{ V3 "f03 f 123456789abcdef0 e 1122334455667788 0",
	  "user 123456789abcdef0/8 t1122334455667788;" },
};

TEST(nibbles_to_messages)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t bytes[256];
		const size_t n = read_nibbles(rows[i].nibbles, bytes);

		for (size_t chunk = 1; chunk <= n; chunk++) {
			char text[4096] = "";

			messages_text(&config, bytes, n, chunk, text);
			EXPECT_STREQ(rows[i].want, text)
				TH_LOG("row %zu, pieces of %zu", i, chunk);
			if (strcmp(rows[i].want, text))
				break;
		}
	}
}

/* The high nibble of each byte first: as configured, or as a sync with a VERSION shows. */
TEST(high_nibble_first)
{
	struct csf_config other = config;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t bytes[256];
		const size_t n = read_nibbles(rows[i].nibbles, bytes);

		for (size_t j = 0; j < n; j++)
			bytes[j] = bytes[j] << 4 | bytes[j] >> 4;
		other.stp_order = CSF_STP_HIGH_FIRST;
		for (size_t chunk = 1; chunk <= n; chunk += 7) {
			char text[4096] = "";

			messages_text(&other, bytes, n, chunk, text);
			EXPECT_STREQ(rows[i].want, text)
				TH_LOG("row %zu, pieces of %zu", i, chunk);
		}
	}
}

static const struct {
	const char *nibbles, *want;
} orders[] = {
	{ V3 "c1 c2", "data 1/1 info4;data 2/1 info4;" },
	{ "0" V3 "c1 c2 0", "gap 0 start/1;data 1/1 info4;data 2/1 info4;" },
	/* a nibble F before the sync looks like part of one of the other order */
	{ "cf" V3 "c1 c2", "gap 0 start/1;data 1/1 info4;data 2/1 info4;" },
	{ "fc" V3 "c1 c2", "gap 0 start/1;data 1/1 info4;data 2/1 info4;" },
	{ "fcf" V3 "c1 c2 0", "gap 0 start/2;data 1/1 info4;data 2/1 info4;" },
	{ "ffc" V3 "c1 c2 0", "gap 0 start/2;data 1/1 info4;data 2/1 info4;" },
	{ "ffff" V3 "c1 c2", "gap 0 start/2;data 1/1 info4;data 2/1 info4;" },
};

TEST(order_is_detected)
{
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		uint8_t bytes[256];
		const size_t n = read_nibbles(orders[i].nibbles, bytes);

		for (int high = 0; high < 2; high++) {
			for (size_t j = 0; high && j < n; j++)
				bytes[j] = bytes[j] << 4 | bytes[j] >> 4;
			for (size_t chunk = 1; chunk <= n; chunk++) {
				char text[4096] = "";

				messages_text(&config, bytes, n, chunk, text);
				EXPECT_STREQ(orders[i].want, text)
					TH_LOG("row %zu, high %d, pieces of %zu", i, high, chunk);
			}
		}
	}
}

TEST(no_packets_of_whole_bytes)
{
	struct csf_config other = config;
	struct csf_messages *messages;
	struct csf_monitor *mon;
	struct csf_packet packet;
	struct csf_message m;

	other.stp_order = 3;
	EXPECT_EQ(CSF_ERR_CONFIG, csf_messages_new(&messages, &other));
	EXPECT_TRUE(csf_config_has_messages(&config));
	EXPECT_EQ(CSF_ERR_CONFIG, csf_monitor_new(&mon, &config));
	EXPECT_EQ(CSF_ERR_CONFIG, csf_packet_read(&config, "", 1, &packet));
	/* as new, with nothing of what was not used up */
	ASSERT_EQ(0, csf_messages_new(&messages, &config));
	EXPECT_EQ(0, csf_messages_feed(messages, "\x12\x34", 2));
	EXPECT_EQ(0, csf_messages_next(messages, &m));
	csf_messages_reset(messages);
	EXPECT_EQ(0, csf_messages_end(messages));
	EXPECT_EQ(0, csf_messages_next(messages, &m));
	csf_messages_free(messages);
}

/* Messages as generic elements: software trace, a loss, the end. */
TEST(elements)
{
	struct csf_message m = {
		.kind = CSF_MESSAGE_DATA, .offset = 7, .value = 0xab, .size = 1, .time = 5,
		.flags = CSF_MESSAGE_HAS_TIME,
	};
	struct csf_element e;

	csf_element_message(&e, &m);
	EXPECT_EQ(CSF_ELEM_SWTRACE, e.type);
	EXPECT_EQ(7, e.offset);
	EXPECT_EQ(0xab, e.value);
	EXPECT_EQ(CSF_ELEM_HAS_TS, e.flags);
	EXPECT_EQ(5, e.timestamp);
	EXPECT_EQ(&m, e.message);
	m.flags = 0;
	csf_element_message(&e, &m);
	EXPECT_EQ(0, e.flags);
	m = (struct csf_message){ .kind = CSF_MESSAGE_GAP, .offset = 9, .info = CSF_GAP_CUT };
	csf_element_message(&e, &m);
	EXPECT_EQ(CSF_ELEM_NO_SYNC, e.type);
	EXPECT_EQ(CSF_GAP_CUT, e.value);
	EXPECT_EQ(9, e.offset);
	EXPECT_EQ(NULL, e.message);
	m = (struct csf_message){ .kind = CSF_MESSAGE_CUSTOM, .value = 3 };
	csf_element_message(&e, &m);
	EXPECT_EQ(CSF_ELEM_CUSTOM, e.type);
	EXPECT_EQ(3, e.value);
	m = (struct csf_message){ .kind = CSF_MESSAGE_RANGE, .value = 0x1000, .channel = 8 };
	csf_element_message(&e, &m);
	EXPECT_EQ(CSF_ELEM_INSTR_RANGE, e.type);
	EXPECT_EQ(0x1000, e.st_addr);
	EXPECT_EQ(0x1008, e.en_addr);
	csf_element_message(&e, NULL);
	EXPECT_EQ(CSF_ELEM_EO_TRACE, e.type);
}

TEST_HARNESS_MAIN

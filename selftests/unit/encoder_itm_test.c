// SPDX-License-Identifier: GPL-2.0-only
/* The packets of ITM and DWT that the encoder writes, byte by byte. */
#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../../tools/encoder/itm-wire.h"

static struct itm_wire wire;
static uint8_t bytes[ITM_WIRE_MAX];
static char text[4 * ITM_WIRE_MAX];

/* The bytes that were written, in words. */
static const char *hex(size_t n)
{
	*text = 0;
	for (size_t i = 0; i < n; i++)
		sprintf(text + 3 * i, "%02x ", bytes[i]);
	return text;
}

#define WRITES(want, call)	EXPECT_STREQ(want " ", hex(call))

TEST(software)
{
	wire = (struct itm_wire){ 0 };
	WRITES("01 48", itm_wire_stimulus(&wire, bytes, 0, 1, 0x48));
	WRITES("0a 34 12", itm_wire_stimulus(&wire, bytes, 1, 2, 0x1234));
	WRITES("2b 78 56 34 12", itm_wire_stimulus(&wire, bytes, 5, 4, 0x12345678));
	/* port 32 is on the next page, and so is 33; 255 is the last one */
	WRITES("18 01 41", itm_wire_stimulus(&wire, bytes, 32, 1, 0x41));
	WRITES("09 42", itm_wire_stimulus(&wire, bytes, 33, 1, 0x42));
	WRITES("78 f9 43", itm_wire_stimulus(&wire, bytes, 255, 1, 0x43));
	WRITES("08 01 44", itm_wire_stimulus(&wire, bytes, 0, 1, 0x44));
}

TEST(hardware)
{
	WRITES("05 01", itm_wire_counters(bytes, 1));
	WRITES("05 20", itm_wire_counters(bytes, 0x20));
	WRITES("0e 0f 10", itm_wire_exception(bytes, 15, 1));
	WRITES("0e 0f 20", itm_wire_exception(bytes, 15, 2));
	WRITES("0e 00 30", itm_wire_exception(bytes, 0, 3));
	WRITES("0e 16 11", itm_wire_exception(bytes, 0x116, 1));
	WRITES("17 78 56 34 12", itm_wire_pc(bytes, 0x12345678));
	WRITES("15 00", itm_wire_no_pc(bytes, false));
	WRITES("15 ff", itm_wire_no_pc(bytes, true));
	WRITES("1d 81", itm_wire_pmu(bytes, 0x81));
	WRITES("47 cd ab 00 00", itm_wire_access_pc(bytes, 0, 0xabcd));
	WRITES("77 03 0f 3f ff", itm_wire_access_pc(bytes, 3, 0xff3f0f03));
	WRITES("4e 34 12", itm_wire_access_addr(bytes, 0, 2, 0x1234));
	WRITES("4f 00 10 00 20", itm_wire_access_addr(bytes, 0, 4, 0x20001000));
	WRITES("5d 08", itm_wire_access_addr(bytes, 1, 1, 0x20001008));
	WRITES("65 01", itm_wire_match(bytes, 2));
	WRITES("85 01", itm_wire_data(bytes, 0, false, 1, 1));
	WRITES("8d 02", itm_wire_data(bytes, 0, true, 1, 2));
	WRITES("8e 34 12", itm_wire_data(bytes, 0, true, 2, 0x1234));
	WRITES("8f ef be ad de", itm_wire_data(bytes, 0, true, 4, 0xdeadbeef));
	WRITES("b7 55 44 33 22", itm_wire_data(bytes, 3, false, 4, 0x22334455));
}

TEST(timestamps)
{
	WRITES("10", itm_wire_local(bytes, 1, 0, 0));
	WRITES("60", itm_wire_local(bytes, 6, 0, 0));
	WRITES("c0 07", itm_wire_local(bytes, 7, 0, 0));
	WRITES("c0 00", itm_wire_local(bytes, 0, 0, 0));
	WRITES("c0 05", itm_wire_local(bytes, 5, 0, 1));
	WRITES("d0 85 02", itm_wire_local(bytes, 261, ITM_WIRE_TIME_LATE, 0));
	WRITES("e0 8a 0b", itm_wire_local(bytes, 1418, ITM_WIRE_PACKETS_LATE, 0));
	WRITES("f0 ff ff ff 7f", itm_wire_local(bytes, 0xfffffff, 3, 0));
}

/* Only what has changed is sent. */
TEST(global_timestamps)
{
	wire = (struct itm_wire){ 0 };
	WRITES("94 85 80 80 41", itm_wire_global(&wire, bytes, 0x4200005, false));
	WRITES("b4 81 80 80 00", itm_wire_global_high(&wire, bytes));
	WRITES("94 06", itm_wire_global(&wire, bytes, 0x4200006, false));
	WRITES("94 86 01", itm_wire_global(&wire, bytes, 0x4200086, false));
	WRITES("94 86 81 80 21", itm_wire_global(&wire, bytes, 0x4200086, true));
	WRITES("94 80 80 80 40", itm_wire_global(&wire, bytes, 0x8000000, false));
	/* bit 26 alone */
	WRITES("94 80 80 80 40", itm_wire_global(&wire, bytes, 0xc000000, false));
	wire = (struct itm_wire){ .wide = true };
	WRITES("94 d6 e8 c8 47", itm_wire_global(&wire, bytes, 0x1020304cf23456, false));
	WRITES("b4 93 98 a0 a0 80 00", itm_wire_global_high(&wire, bytes));
}

TEST(others)
{
	WRITES("00 00 00 00 00 80", itm_wire_sync(bytes, 5));
	WRITES("70", itm_wire_overflow(bytes));
	WRITES("78", itm_wire_extension(bytes, false, 3, 7));
	WRITES("7c", itm_wire_extension(bytes, true, 3, 7));
	WRITES("98 01", itm_wire_extension(bytes, false, 10, 9));
	WRITES("8c 80 80 80 80", itm_wire_extension(bytes, true, 32, 0x80000000));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that was linked with Debian's libopencsd_c_api, over trace of ETMv3 and PTM: what it
 * gets from our library must be what it gets from Debian's.
 *
 * This test is itself that program: with the name of a case or of a snapshot, and what to ask for,
 * it prints all elements, or all packets with their fields, or the bytes of all packets besides
 * the elements.  Differences are listed; Documentation/user/differences.rst has the reasons.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest.h"
#undef ARRAY_SIZE
#include "../../decoder/bytes.h"
#include "../lib/peer.h"

#define BYTES_MAX	4096

/* Lines that only Debian's library and only ours print: "PACKETS ELEMENTS MONITOR", as <1>2. */
#define SAME	"<0>0 <0>0 <0>0"

struct snapshot_case {
	const char *name, *other;
};

/*
 * OpenCSD gives up at data packets in the garbage at the end of zephyr.  The image of threadx does
 * not fit everywhere, and OpenCSD takes some of the data that it reads there for branches.
 */
static const struct snapshot_case snapshots[] = {
	{ "snapshots/TC2", SAME }, { "snapshots/tc2-ptm-rstk-t32", SAME },
	{ "classic/sigrok-dumps/stm32f105", SAME },
	{ "classic/am243x-r5f/zephyr", "<190>235 <1>7 <1>273" },
	{ "classic/am243x-r5f/threadx", "<0>0 <199>1286 <0>0" },
};

/* Code for the cases, A32 at 0x8000 and T32 at 0x9000. */
static const uint32_t a32[] = {
	0xe320f000,	/* 8000 nop */
	0xeb000005,	/* 8004 bl 0x8020 */
	0xf57ff06f,	/* 8008 isb */
	0xe320f000,	/* 800c nop */
	0x0a000001,	/* 8010 beq 0x801c */
	0xe320f000,	/* 8014 nop */
	0xe59ff000,	/* 8018 ldr pc, [pc] */
	0xe320f000,	/* 801c nop */
	0xe320f000,	/* 8020 nop */
	0xe12fff1e,	/* 8024 bx lr */
	0xe320f003,	/* 8028 wfi */
	0xfa0003f3,	/* 802c blx 0x9000 */
	0xeafffff2,	/* 8030 b 0x8000 */
};

static const uint16_t t32[] = {
	0xbf00,			/* 9000 nop */
	0xf000, 0xf801,		/* 9002 bl 0x9008 */
	0xe7fb,			/* 9006 b 0x9000 */
	0xb500, 0xbd00,		/* 9008 push {lr}; pop {pc} */
	0xf3bf, 0x8f4f,		/* 900c dsb */
	0x4770, 0xbf00,		/* 9010 bx lr; nop */
};

static const struct peer_code code[] = {
	{ 0x8000, a32, sizeof(a32) }, { 0x9000, t32, sizeof(t32) },
};

#define PTM	.protocol = CSF_PROTOCOL_PTM, .etmidr = 0x411cf312
#define ETM3	.protocol = CSF_PROTOCOL_ETM3, .etmidr = 0x410cf250
#define CYCLES	(1u << 12)
#define CID(i)	((uint32_t)(i) << 14)
#define STACK	(1u << 29)
#define SYNC	"async; isync 0x8000 a32 on s; "

/**
 * struct crafted - a case
 * @words: packets in words, or "=" and bytes
 * @other: lines that differ
 */
struct crafted {
	const char *name;
	struct csf_config config;
	const char *words, *other;
};

static const struct crafted cases[] = {
	/* Equal. */
	{ "ptm-stack", { PTM, .etmcr = STACK, .etmccer = 1u << 23 }, SYNC "atom E; atom E; "
	  "atom E; atom N; waypoint 0x8014 a32; isync 0x8018 a32 periodic s; "
	  "branch 0x9000 t32; atom E; atom E; atom E; atom E", SAME },
	{ "ptm-barrier", { PTM, .etmccer = 1u << 24 }, "async; isync 0x9008 t32 on ns; "
	  "branch 0x900c t32; atom E; atom E", SAME },
	{ "ptm-cycles", { PTM, .etmcr = CYCLES | 1u << 28 | CID(3), .etmccer = 1u << 28 },
	  "async; isync 0x8000 a32 on s cc=5 cid=0x1234; atom E cc=3; "
	  "branch 0x8008 a32 cc=7; atom E cc=0; atom E cc=1000; branch 0x18 a32 irq s cc=9; "
	  "time 0x1234/14 cc=3; cid 7; isync 0x8000 a32 periodic s cid=7; atom N cc=1; "
	  "isync 0x8000 a32 overflow ns cc=77 cid=9; atom E cc=4", SAME },
	{ "ptm-exception", { PTM }, SYNC "waypoint 0x8000 a32; branch 0x9000 t32 irq s; "
	  "eret; atom E; branch 0x8004 a32; atom E", SAME },
	{ "ptm-times", { PTM, .etmccer = 3u << 28, .etmcr = 1u << 28 },
	  "async; time 0x123456789abcdef/64; isync 0x8000 a32 on s; time 0x5/7; "
	  "time 0x81/14 change; time 0x1ffff/21; time 0x7654321/28; time 0x123456789/35; "
	  "time 0x123456789ab/42; time 0/49; time 0x5a5a5a5a5a5a5a/56", SAME },
	{ "ptm-bad-async", { PTM }, SYNC "= 00 00 00 00 12 84; " SYNC "= 00 00 80 84; "
	  SYNC "= 00 00 00 00 00 00 00 80 84; atom E", SAME },
	{ "ptm-cut", { PTM }, SYNC "= 81 80", SAME },
	{ "ptm-cut-async", { PTM }, SYNC "= 00 00 00", SAME },
	{ "ptm-cut-time", { PTM }, SYNC "= 42 85 85", SAME },
	{ "ptm-unsync", { PTM },
	  "= 11 22 33 44 55 66 77 88 99 00 00 00 11 00 00 00 00 00 80 12 34", SAME },
	{ "ptm-nacc-after", { PTM }, "async; isync 0x8030 a32 on s; atom N; atom E; atom E; "
	  "branch 0x8000 a32; atom E", SAME },
	{ "ptm-partial", { PTM }, "async; branch 0x2/6; branch 0x801/12; waypoint 0x3/6; "
	  "branch 0x4/19; isync 0x8000 a32 on s; atom E", SAME },
	{ "ptm-zeros", { PTM }, "= 11 00 00 00 00 00 00 00 00 80; isync 0x8000 a32 on s; "
	  "atom E", SAME },
	{ "ptm-1.0", { .protocol = CSF_PROTOCOL_PTM, .etmidr = 0x411cf301, .etmcr = 1u << 28 },
	  SYNC "time 0x123456789/35; atom E; time 0x3/7", SAME },
	{ "etm3-atoms", { ETM3 }, SYNC "atom EE; branch 0x8008 a32; atom E; atom EEN; "
	  "atom EE; branch 0x8028 a32; atom EE; branch 0x9000 t32; atom EEEE; "
	  "branch 0x9006 t32; atom E; atom NN", SAME },
	{ "etm3-cycles", { ETM3, .etmcr = CYCLES | CID(2) }, "async; cycles 4; atom W; "
	  "isync 0x8000 a32 on s cc=5 cid=0x123; atom WE; atom WEWN; atom WEE; "
	  "branch 0x8000 a32; atom E; atom N; atom WWWWW; atom WWWWE; branch 0x8000 a32; "
	  "cycles 128; cycles 0; isync 0x8000 a32 periodic s cc=133 cid=0x123; atom WE; "
	  "isync 0x8008 a32 overflow s cid=0x123; cycles 7; atom WE", SAME },
	{ "etm3-alt", { .protocol = CSF_PROTOCOL_ETM3, .etmidr = 0x4114f240 },
	  SYNC "atom EE; branch 0x800/12; atom E; branch 0x806/12; branch 0x18 a32 irq ns; "
	  "branch 0x8000 a32 none s; atom E", SAME },
	{ "etm3-times", { ETM3, .etmccer = 3u << 28, .etmcr = 1u << 28 },
	  "async; time 0x123456789abcd/64; isync 0x8000 a32 on s; time 0x5/7; "
	  "time 0x81/14 change; time 0x1ffff/21; time 0x7654321/28; time 0x123456789/35; "
	  "time 0x123456789ab/42; time 0/49; time 0x5a5a5a5a5a5a5a/56", SAME },
	{ "etm3-unsync", { ETM3 },
	  "= 11 22 33 44 55 66 77 88 99 00 00 00 11 00 00 00 00 00 80 12 34", SAME },
	{ "etm3-nacc", { ETM3 }, SYNC "branch 0x100 a32; atom E; atom EE; "
	  "branch 0x8000 a32 ; atom E; branch 0x200 a32 none ns; atom EEE; "
	  "branch 0x100 a32 irq ns hyp; atom E; atom N; branch 0x8000 a32; atom E", SAME },
	{ "etm3-unknown", { ETM3 }, SYNC "atom EEE; atom EE; branch 0x8024 a32; atom EE; "
	  "atom E; atom N; isync 0x8000 a32 periodic s; atom E", SAME },
	{ "etm3-partial", { ETM3 }, "async; branch 0x2/6; branch 0x801/13; branch 0x4/20; "
	  "isync 0x8000 a32 on s; atom E", SAME },
	{ "etm3-zeros", { ETM3 }, "= 11 00 00 00 00 00 00 00 00 80; isync 0x8000 a32 on s; "
	  "atom E", SAME },
	{ "etm3-nacc-cycles", { ETM3, .etmcr = CYCLES }, "async; isync 0x8000 a32 on s; "
	  "branch 0x100 a32; atom WE; atom WEWE; atom WWWE; branch 0x8000 a32; atom WEWE; "
	  "branch 0x8024 a32; atom WE; atom WEWN; atom W", SAME },
	{ "etm3-eret-m", { ETM3, .profile = CSF_PROFILE_M }, "async; isync 0x9008 t32 on s; "
	  "atom EE; eret; branch 0x9000 t32 14 s cancel; atom E; branch 0x9008 t32 15 s; "
	  "atom EE; eret; branch 0x9000 t32; atom E", SAME },
	/* After a BLX that is not taken, OpenCSD goes on in T32. */
	{ "ptm-atoms", { PTM }, SYNC "atom E; branch 0x8008 a32; atom E; atom EN; atom NN",
	  "<0>0 <2>1 <0>0" },
	{ "ptm-blx", { PTM }, "async; isync 0x8028 a32 on s; atom E; atom E; "
	  "branch 0x900c t32; atom E; isync 0x8028 a32 on s; atom N; atom E", "<0>0 <2>1 <0>0" },
	/*
	 * OpenCSD takes no notice of NS and Hyp of a branch, nor of NS alone in an I-sync; keeps
	 * Hyp without the byte that has it; and says where a reset returns to, and what comes
	 * after a debug halt.
	 */
	{ "ptm-exceptions", { PTM }, SYNC "branch 0x18 a32 debug.halt s; "
	  "branch 0x18 a32 smc s; branch 0x18 a32 hyp.entry ns hyp; "
	  "branch 0x18 a32 async.abort ns; branch 0x18 a32 thumbee.check ns; "
	  "branch 0x18 a32 6 ns; branch 0x18 a32 7 ns; branch 0x18 a32 reset s; "
	  "branch 0x18 a32 undef s; branch 0x18 a32 svc s; "
	  "branch 0x18 a32 prefetch.abort s; branch 0x18 a32 data.abort s; "
	  "branch 0x18 a32 generic s; branch 0x18 a32 irq s; branch 0x18 a32 fiq s; "
	  "branch 0x18 a32 16 s; branch 0x18 a32 21 s; branch 0x18 a32 511 s",
	  "<12>12 <2>5 <0>0" },
	{ "ptm-states", { PTM }, "async; isync 0x8000 a32 on ns; isync 0x9000 t32 on ns; "
	  "isync 0x9000 t32 on ns alt; isync 0x8000 a32 on ns hyp; "
	  "isync 0x8000 a32 debug s; isync 0x8000 a32 overflow s; branch 0x9000 jazelle; "
	  "branch 0x12/6; branch 0x9000 t32 none ns alt", "<0>0 <2>3 <0>0" },
	/* It makes an exception of a change of state, and then there is no E atom. */
	{ "ptm-state", { PTM }, SYNC "atom E; branch 0x8008 a32 none ns; atom E; "
	  "branch 0x801c a32 none s alt; atom E", "<0>0 <2>4 <0>0" },
	{ "ptm-nacc", { PTM }, SYNC "branch 0x100 a32; atom E; atom E; branch 0x8000 a32 ; "
	  "atom E; branch 0x200 a32 none ns; atom E; branch 0x100 a32 irq ns hyp; atom E; "
	  "waypoint 0x104 a32; branch 0x8000 a32 irq ns", "<1>1 <1>5 <0>0" },
	/* It goes to the address of a waypoint through any branch, and goes on where it got to. */
	{ "ptm-short", { PTM }, SYNC "atom E; branch 0x2/6; atom E; branch 0x800/12; "
	  "branch 0x2000/19; branch 0x2001/26; branch 0x9000 t32; atom E; branch 0x806/12; "
	  "isync 0x8000 a32 on s; waypoint 0x1/6; waypoint 0x9010 t32; "
	  "waypoint 0x9000 t32 noalt", "<0>0 <2>1 <0>0" },
	/* It does not decode Gray code. */
	{ "ptm-gray", { PTM, .etmcr = 1u << 28 }, "async; isync 0x8000 a32 on s; "
	  "time 0x5/7; time 0x3fff/14; time 0x123456789abc/48", "<0>0 <3>3 <0>0" },
	{ "etm3-gray", { ETM3, .etmcr = 1u << 28 }, "async; isync 0x8000 a32 on s; "
	  "time 0x5/7; time 0x3fff/14; time 0x123456789abc/48", "<0>0 <3>3 <0>0" },
	/* It prints a VMID as a character, and forgets one from before the first I-sync. */
	{ "ptm-rest", { PTM, .etmcr = CID(1) }, "async; vmid 3; cid 4; "
	  "isync 0x8000 a32 on ns cid=4; vmid 4; vmid 4; cid 5; cid 5; trigger; ignore; "
	  "eret; async; vmid 0xff", "<4>4 <1>1 <0>0" },
	{ "ptm-early", { PTM, .etmccer = 1u << 28 }, "= 84 86 00 00 12; atom E; async; "
	  "atom E; trigger; time 0x5/7; vmid 1; branch 0x8000 a32; "
	  "isync 0x8000 a32 periodic s; atom E; isync 0x8004 a32 periodic s", "<1>1 <0>1 <0>0" },
	{ "etm3-rest", { ETM3, .etmcr = CID(1) | 1u << 30, .etmccer = 1u << 26 },
	  "async; vmid 3; cid 4; trigger; isync 0x8000 a32 on ns cid=4; vmid 4; vmid 4; "
	  "cid 5; cid 5; trigger; ignore; eret; async; vmid 0xff; exc.entry", "<4>4 <1>1 <0>0" },
	{ "etm3-early", { ETM3, .etmccer = 1u << 28 }, "= 84 86 00 00 12; atom E; async; "
	  "atom E; trigger; time 0x5/7; vmid 1; branch 0x8000 a32; "
	  "isync 0x8000 a32 periodic s; atom E; isync 0x8004 a32 periodic s; atom E; "
	  "isync 0x8000 a32 periodic s", "<1>1 <3>3 <0>0" },
	/*
	 * It accepts headers without an atom, information bytes of I-syncs and fifth bytes of
	 * addresses that do not exist.
	 */
	{ "ptm-reserved", { PTM }, SYNC "= 10 84 84; " SYNC "atom E; = 80 82 84; " SYNC
	  "atom E", "<2>2 <1>1 <0>0" },
	{ "ptm-bad-isync", { PTM }, SYNC "= 08 00 80 00 00 20 84; " SYNC
	  "= 08 00 80 00 00 a1 84; " SYNC "= 08 00 80 00 00 31; atom E", "<3>3 <6>3 <0>0" },
	{ "ptm-bad-branch", { PTM }, SYNC "= 81 80 80 80 80 84; " SYNC "= 81 80 80 80 00 84;"
	  SYNC "= 81 80 80 80 48 80 80 80; " SYNC "= 81 80 80 80 10 84; " SYNC
	  "= 81 80 80 80 20 84", "<4>4 <7>3 <0>0" },
	{ "ptm-cut-isync", { PTM }, SYNC "= 08 85 85; " SYNC "= 08 12", "<3>3 <1>2 <0>0" },
	/*
	 * It cancels only the atom of a packet with a single one; and an exception return after
	 * it, but not two of them.
	 */
	{ "etm3-cancel", { ETM3 }, SYNC "atom E; branch 0x8020 a32 irq s cancel; atom E; "
	  "atom E; branch 0x8020 a32 irq s cancel; atom EE; branch 0x8020 a32 irq s cancel; "
	  "atom E; atom E; trigger; branch 0x8020 a32 irq s cancel; atom E; eret; "
	  "branch 0x8000 a32 irq s cancel; atom E; eret; eret; "
	  "branch 0x8000 a32 svc s cancel", "<0>0 <5>0 <0>0" },
	{ "etm3-cancel-cycles", { ETM3, .etmcr = CYCLES }, "async; "
	  "isync 0x8000 a32 on s cc=5; atom WE; atom WE; branch 0x8020 a32 irq s cancel; "
	  "atom WE; branch 0x8020 a32 irq s cancel; atom WEWE; "
	  "branch 0x8020 a32 irq s cancel; atom WE", "<0>0 <2>0 <0>0" },
	/*
	 * Of A and R profile it reads four bits of an exception's number; IRQ8 of M profile has
	 * another number than its text; the older form has the names of the newer one.
	 */
	{ "etm3-exceptions", { ETM3, .etmccer = 1u << 26 }, SYNC
	  "branch 0x18 a32 debug.halt s; branch 0x18 a32 smc s; "
	  "branch 0x18 a32 hyp.entry ns hyp; branch 0x18 a32 async.abort ns; "
	  "branch 0x18 a32 5 ns; branch 0x18 a32 6 ns; branch 0x18 a32 7 ns; "
	  "branch 0x18 a32 reset s; branch 0x18 a32 undef s; branch 0x18 a32 svc s; "
	  "branch 0x18 a32 prefetch.abort s; branch 0x18 a32 data.abort s; "
	  "branch 0x18 a32 generic s; branch 0x18 a32 irq s; branch 0x18 a32 fiq s; "
	  "branch 0x18 a32 16 s; branch 0x18 a32 21 s; branch 0x18 a32 511 s; "
	  "branch 0x18 a32 none ns; branch 0x18 a32 none s hyp; branch 0x8020 a32; atom E",
	  "<3>3 <2>3 <0>0" },
	{ "etm3-exceptions-m", { ETM3, .profile = CSF_PROFILE_M }, "async; "
	  "isync 0x9000 t32 on s; branch 0x9000 t32 1 s; branch 0x9000 t32 2 s; "
	  "branch 0x9000 t32 7 s; branch 0x9000 t32 8 s; branch 0x9000 t32 9 s; "
	  "branch 0x9000 t32 10 s; branch 0x9000 t32 11 s; branch 0x9000 t32 12 s; "
	  "branch 0x9000 t32 13 s; branch 0x9000 t32 14 s; branch 0x9000 t32 15 s; "
	  "branch 0x9000 t32 16 s; branch 0x9000 t32 17 s; branch 0x9000 t32 18 s; "
	  "branch 0x9000 t32 19 s; branch 0x9000 t32 20 s; branch 0x9000 t32 21 s; "
	  "branch 0x9000 t32 22 s; branch 0x9000 t32 23 s; branch 0x9000 t32 24 s; "
	  "branch 0x9000 t32 25 s; branch 0x9000 t32 255 s; branch 0x9000 t32 511 s; "
	  "branch 0x9000 t32 14 s cancel resume=3; branch 0x9000 t32 none s; "
	  "branch 0x9000 t32 14 s resume=5", "<1>1 <0>0 <0>0" },
	{ "etm3-old", { .protocol = CSF_PROTOCOL_ETM3, .etmidr = 0x4104f210 },
	  SYNC "atom E; branch 0x18 a32 old=0; branch 0x18 a32 old=1; "
	  "branch 0x18 a32 old=2; branch 0x18 a32 old=3; branch 0x18 a32 old=4; "
	  "branch 0x18 a32 old=5; branch 0x18 a32 old=6; branch 0x18 a32 old=7 cancel; "
	  "branch 0x800/13; branch 0x1/6", "<8>8 <0>1 <0>0" },
	/* It makes ranges without an instruction of Jazelle and ThumbEE. */
	{ "etm3-states", { ETM3, .etmccer = 1u << 26 }, "async; isync 0x8000 a32 on ns; "
	  "isync 0x9000 t32 on ns; isync 0x9000 t32 on ns alt; isync 0x8000 a32 on ns hyp; "
	  "isync 0x8000 a32 debug s; isync 0x8000 a32 overflow s; "
	  "isync 0x8000 jazelle on s; branch 0x9000 jazelle; atom E;"
	  "branch 0x9000 t32 none ns alt; atom E", "<0>0 <3>1 <0>0" },
	/* Bad packets as for PTM; but then it gives up, and the rest is lost. */
	{ "etm3-reserved", { ETM3 }, SYNC "= 10 84 84; " SYNC "atom E; = 80 84; " SYNC
	  "atom E; = a2 84", "<2>2 <1>11 <1>14" },
	{ "etm3-bad-async", { ETM3 }, SYNC "= 00 00 00 00 12 84; " SYNC "= 00 00 80 84; "
	  SYNC "= 00 00 00 00 00 00 00 80 84; atom E", "<5>1 <1>10 <2>13" },
	{ "etm3-bad-isync", { ETM3 }, SYNC "= 08 20 00 80 00 00 84; " SYNC "atom E",
	  "<2>3 <3>1 <2>3" },
	{ "etm3-bad-branch", { ETM3 }, SYNC "= 81 80 80 80 20 84; " SYNC "atom E; "
	  "= 81 80 80 80 02 84; " SYNC "= 81 80 80 80 48 80 80 80; " SYNC "atom E",
	  "<4>3 <3>7 <3>6" },
	/* A packet that is cut off counts as a whole one. */
	{ "etm3-cut", { ETM3 }, SYNC "= 81 80", "<1>1 <0>0 <0>0" },
	{ "etm3-cut-async", { ETM3 }, SYNC "= 00 00 00", "<1>1 <0>0 <0>0" },
	{ "etm3-cut-time", { ETM3 }, SYNC "= 42 85 85", "<1>1 <1>0 <0>0" },
	/* It takes the second address of an I-sync for a branch. */
	{ "etm3-lsip", { ETM3 }, SYNC "isync 0x8000 a32 on s lsip=0x2/6; atom E",
	  "<3>2 <0>0 <2>1" },
	/* It does not know the halves of BL as instructions of their own. */
	{ "etm3-halves", { .protocol = CSF_PROTOCOL_ETM3, .etmidr = 0x4108f250 },
	  "async; isync 0x9000 t32 on s; atom EEE; atom EE; branch 0x9006 t32; atom E",
	  "<0>0 <2>1 <0>0" },
	/*
	 * It refuses to decode if data is traced or instructions are not, gives up at data packets
	 * that the configuration does not have, and misreads addresses of data.
	 */
	{ "etm3-data", { ETM3, .etmcr = 3u << 2 }, SYNC "atom E; data 0x12/1 at=0x1234/14; "
	  "data 0x1234/2; data 0x12345678/4 at=0x12345678/32 big; data 0/0; "
	  "data.place 1 at=0x10/7; data.place 2; data.late 1 0x55/1; "
	  "data.late 2 0x55667788/4; data.untraced; data.untraced at=0x5/7; data.failed; "
	  "data.lost; exc.entry", "<13>13 <1>7 <1>18" },
	{ "etm3-data-off", { ETM3 }, SYNC "atom E; = 0a 12 34; " SYNC "= 50; " SYNC "= 62 ;"
	  SYNC "= 54 84; " SYNC "atom E", "<3>3 <1>16 <1>17" },
	{ "etm3-no-insn", { ETM3, .etmcr = 1u << 20 | CID(1), .etmccer = 1u << 26 },
	  "async; isync on s cid=1; isync on ns hyp cid=3; isync periodic s cid=3",
	  "<0>0 <1>8 <1>6" },
};

/* ---------------------------------------------------------------- the program */

static int add_bytes(uint8_t *to, const char *hex)
{
	int n = 0, used;
	unsigned int byte;

	while (sscanf(hex, " %2x%n", &byte, &used) == 1) {
		to[n++] = byte;
		hex += used;
	}
	return n;
}

static size_t assemble(const struct csf_config *config, const char *words, uint8_t *to)
{
	char copy[BYTES_MAX], *at = copy, *word;
	size_t n = 0;

	snprintf(copy, sizeof(copy), "%s", words);
	while ((word = strsep(&at, ";")) != NULL) {
		struct csf_packet packet;
		const char *where;
		int size;

		word += strspn(word, " ");
		if (*word && *word != '=' && csf_packet_parse(config, word, &packet, &where)) {
			fprintf(stderr, "%s: not a packet\n", word);
			exit(2);
		}
		size = !*word ? 0 : *word == '=' ? add_bytes(to + n, word + 1) :
		       csf_packet_write(config, to + n, &packet);
		if (size < 0 || (*word && !size)) {
			fprintf(stderr, "%s: cannot be written\n", word);
			exit(2);
		}
		n += size;
	}
	return n;
}

static int print_rig(const struct rig *rig, enum peer_mode mode, bool crafted)
{
	struct peer *peer = peer_open(rig, code, crafted ? ARRAY_SIZE(code) : 0, mode);
	int err;

	printf("%s\n", peer_version());
	err = !peer || peer_print_all(peer, rig->data, rig->n, stdout);
	peer_free(peer);
	return err;
}

static int print_case(const struct crafted *c, enum peer_mode mode)
{
	uint8_t bytes[BYTES_MAX];
	struct rig rig = { .n_stream = 1, .data = bytes };

	rig.stream[0] = (struct rig_stream){ .config = c->config, .id = 0x10 };
	rig.stream[0].config.size = sizeof(rig.stream[0].config);
	rig.n = assemble(&rig.stream[0].config, c->words, bytes);
	return print_rig(&rig, mode, true);
}

static int print(const char *name, const char *what)
{
	const enum peer_mode mode = *what == 'p' ? PEER_PACKETS :
				    *what == 'e' ? PEER_FULL : PEER_MONITOR;
	struct rig rig = { 0 };
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (!strcmp(name, cases[i].name))
			return print_case(&cases[i], mode);
	if (rig_open(&rig, name, NULL))
		return 1;
	err = print_rig(&rig, mode, false);
	rig_close(&rig);
	return err;
}

/* ---------------------------------------------------------------- the test */

static const char *self, *lib;
static char tmp[32];

/*
 * Runs the program with a library.  Trace IDs come one after the other.  Debian's decoder of ETMv3
 * reads memory that it never set, so that is not filled.  Return: 0: it says that it is 1.3.3.
 */
static int list(const char *name, const char *what, bool ours)
{
	char command[2048], path[64], line[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", tmp, ours ? "ours" : "debian");
	snprintf(command, sizeof(command),
		 "export ASAN_OPTIONS=detect_leaks=0:alloc_dealloc_mismatch=0:max_malloc_fill_size=0 "
		 "CSFLOW_OPENCSD=1.3.3; "
		 "{ %s%s %s %s %s; echo end $?; } 2>&1 | "
		 "{ read v; echo $v >%s.version; sort -s -k1,1 >%s; }",
		 ours ? "LD_LIBRARY_PATH=" : "", ours ? lib : "", self, name, what, path, path);
	if (system(command))
		return -1;
	snprintf(command, sizeof(command), "%s.version", path);
	f = fopen(command, "r");
	if (!f)
		return -1;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	return strcmp(line, "1.3.3\n") ? -1 : 0;
}

/* Adds how many lines differ. */
static void differences(const char *name, const char *what, char *other, size_t size)
{
	char command[512];
	size_t n = strlen(other);
	FILE *f;

	snprintf(command, sizeof(command),
		 "cd %s; diff debian ours >diff; [ ! \"$KEEP\" ] || cp diff $KEEP/%s.%s; "
		 "head -20 diff | cut -c1-320 | sed 's/^/# %s %s: /' >&2; "
		 "echo \"<$(grep -c '^<' diff)>$(grep -c '^>' diff)\" | tr -d '\\n'",
		 tmp, strrchr(name, '/') ? strrchr(name, '/') + 1 : name, what,
		 strrchr(name, '/') ? strrchr(name, '/') + 1 : name, what);
	f = popen(command, "r");
	if (!f)
		return;
	n += fread(other + n, 1, size - n - 1, f);
	pclose(f);
	other[n] = 0;
}

static void compare(const char *name, const char *want)
{
	static const char *const what[] = { "packets", "elements", "monitor" };
	char other[128] = "";
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(what); i++) {
		err |= list(name, what[i], false);
		err |= list(name, what[i], true);
		if (i)
			strcat(other, " ");
		differences(name, what[i], other, sizeof(other));
	}
	if (err || strcmp(other, want))
		ksft_print_msg("%s: %s, not %s%s\n", name, other, want,
			       err ? "; wrong library" : "");
	ksft_test_result(!err && !strcmp(other, want), "%s\n", name);
}

int main(int argc, char **argv)
{
	const char *corpus = getenv("CSFLOW_CORPUS"), *out = getenv("O") ?: "build";
	char path[600];
	struct stat st;

	if (argc == 3)
		return print(argv[1], argv[2]);
	ksft_print_header();
	self = argv[0];
	strcpy(tmp, "/tmp/opencsd-older-XXXXXX");
	lib = out;
	snprintf(path, sizeof(path), "%s/libopencsd_c_api.so.1", out);
	if (stat(path, &st) || !mkdtemp(tmp))
		ksft_exit_fail_msg("no %s\n", path);
	ksft_set_plan(ARRAY_SIZE(cases) + ARRAY_SIZE(snapshots));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		compare(cases[i].name, cases[i].other);
	for (size_t i = 0; i < ARRAY_SIZE(snapshots); i++) {
		snprintf(path, sizeof(path), "%s/%s", corpus ?: "", snapshots[i].name);
		if (!corpus)
			ksft_test_result_skip("%s: CSFLOW_CORPUS is not set\n", snapshots[i].name);
		else
			compare(path, snapshots[i].other);
	}
	snprintf(path, sizeof(path), "rm -r %s", tmp);
	if (system(path))
		ksft_print_msg("%s is left\n", tmp);
	ksft_finished();
}

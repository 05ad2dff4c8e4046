/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The packets of ITM and DWT: bits of the header that count, their values, type, name, shape of the
 * payload.  The first row that fits counts.
 *
 * Source: ARM DDI 0403 appendix D4, ARM DDI 0553 chapter "ITM and DWT packet protocol".
 */
/*     mask  bits  type                  name            shape */
PACKET(0xff, 0x00, CSF_PKT_ASYNC,        "async",        SYNC)
PACKET(0xff, 0x70, CSF_PKT_OVERFLOW,     "overflow",     NONE)
PACKET(0x07, 0x01, CSF_PKT_STIMULUS,     "stimulus",     SOURCE)
PACKET(0x07, 0x02, CSF_PKT_STIMULUS,     "stimulus",     SOURCE)
PACKET(0x07, 0x03, CSF_PKT_STIMULUS,     "stimulus",     SOURCE)
PACKET(0x07, 0x05, CSF_PKT_HARDWARE,     "hardware",     SOURCE)
PACKET(0x07, 0x06, CSF_PKT_HARDWARE,     "hardware",     SOURCE)
PACKET(0x07, 0x07, CSF_PKT_HARDWARE,     "hardware",     SOURCE)
PACKET(0x8f, 0x00, CSF_PKT_LOCAL_TIME,   "time.local",   HEADER)
PACKET(0xcf, 0xc0, CSF_PKT_LOCAL_TIME,   "time.local",   LOCAL)
PACKET(0xff, 0x94, CSF_PKT_GLOBAL_TIME1, "time.global1", GLOBAL1)
PACKET(0xff, 0xb4, CSF_PKT_GLOBAL_TIME2, "time.global2", GLOBAL2)
PACKET(0x0b, 0x08, CSF_PKT_EXTENSION,    "extension",    EXTENSION)
#undef PACKET

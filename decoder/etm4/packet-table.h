/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The instruction trace packets of ETMv4 and ETE: what each header byte starts.
 *
 * A row gives the headers, the first and last version that has them, the features that a unit must
 * have, the name in listings and cases, and the shape of the payload.  The shapes are code, in
 * packet.c; the rows are only data.  A header without a row is reserved.  A type may have several
 * rows, of which the first has its name.  Data in a header is in its lowest bits, except the
 * instruction set of an address, which is the distance from @first.
 *
 * Include after defining PACKET and EXTENSION; extensions are identified by the byte after 0x00.
 *
 * Source: ARM IHI 0064 (ETMv4) and ARM DDI 0487 part D (ETE), trace packet descriptions.
 */
/* clang-format off */
/*        second since  until   gate         type                name */
EXTENSION(0x00,  ETM40, LATEST, GATE_NONE,   CSF_PKT_ASYNC,      "async")
EXTENSION(0x03,  ETM40, LATEST, GATE_NONE,   CSF_PKT_DISCARD,    "discard")
EXTENSION(0x05,  ETM40, LATEST, GATE_NONE,   CSF_PKT_OVERFLOW,   "overflow")
EXTENSION(0x07,  ETM45, LAST_4, GATE_M,      CSF_PKT_BF_FLUSH,   "bf.flush")

/*     first last  since  until   gate         type                name          shape */
PACKET(0x01, 0x01, ETM40, LATEST, GATE_NONE,   CSF_PKT_INFO,       "info",       SHAPE_INFO)
PACKET(0x02, 0x03, ETM40, LATEST, GATE_NONE,   CSF_PKT_TIME,       "time",       SHAPE_TIME)
PACKET(0x04, 0x04, ETM40, LATEST, GATE_NONE,   CSF_PKT_ON,         "on",         SHAPE_NONE)
PACKET(0x05, 0x05, ETM42, LAST_4, GATE_M,      CSF_PKT_RETURN,     "return",     SHAPE_NONE)
PACKET(0x06, 0x06, ETM40, LATEST, GATE_NONE,   CSF_PKT_EXCEPTION,  "exception",  SHAPE_EXCEPTION)
PACKET(0x07, 0x07, ETM40, LAST_4, GATE_NONE,   CSF_PKT_ERET,       "eret",       SHAPE_NONE)
PACKET(0x09, 0x09, ETE13, LATEST, GATE_ITE,    CSF_PKT_ITE,        "ite",        SHAPE_ITE)
PACKET(0x0a, 0x0a, ETE10, LATEST, GATE_NONE,   CSF_PKT_TM_START,   "tm.start",   SHAPE_NONE)
PACKET(0x0b, 0x0b, ETE10, LATEST, GATE_NONE,   CSF_PKT_TM_COMMIT,  "tm.commit",  SHAPE_NONE)
PACKET(0x0c, 0x0d, ETM40, LATEST, GATE_NONE,   CSF_PKT_CC2,        "cc2",        SHAPE_CC2)
PACKET(0x0e, 0x0f, ETM40, LATEST, GATE_NONE,   CSF_PKT_CC1,        "cc1",        SHAPE_CC1)
PACKET(0x10, 0x1f, ETM40, LATEST, GATE_NONE,   CSF_PKT_CC3,        "cc3",        SHAPE_CC3)
PACKET(0x20, 0x27, ETM40, LAST_4, GATE_DATA,   CSF_PKT_DSYNC_N,    "dsync.n",    SHAPE_BITS3)
PACKET(0x28, 0x2c, ETM40, LAST_4, GATE_DATA,   CSF_PKT_DSYNC_U,    "dsync.u",    SHAPE_BITS3)
PACKET(0x2d, 0x2d, ETM40, LATEST, GATE_NONE,   CSF_PKT_COMMIT,     "commit",     SHAPE_COMMIT)
PACKET(0x2e, 0x2f, ETM40, LATEST, GATE_NONE,   CSF_PKT_CANCEL1,    "cancel1",    SHAPE_CANCEL1)
PACKET(0x30, 0x33, ETM40, LATEST, GATE_NONE,   CSF_PKT_MISPREDICT, "misp",       SHAPE_MISPREDICT)
PACKET(0x34, 0x37, ETM40, LATEST, GATE_NONE,   CSF_PKT_CANCEL2,    "cancel2",    SHAPE_MISPREDICT)
PACKET(0x38, 0x3f, ETM40, LATEST, GATE_NONE,   CSF_PKT_CANCEL3,    "cancel3",    SHAPE_CANCEL3)
PACKET(0x40, 0x42, ETM40, LAST_4, GATE_COND,   CSF_PKT_COND_I2,    "cond.i2",    SHAPE_BITS2)
PACKET(0x43, 0x43, ETM40, LAST_4, GATE_COND,   CSF_PKT_COND_FLUSH, "cond.flush", SHAPE_NONE)
PACKET(0x44, 0x46, ETM40, LAST_4, GATE_COND,   CSF_PKT_COND_R4,    "cond.r4",    SHAPE_BITS2)
PACKET(0x48, 0x4a, ETM40, LAST_4, GATE_COND,   CSF_PKT_COND_R2,    "cond.r2",    SHAPE_BITS3)
PACKET(0x4c, 0x4e, ETM40, LAST_4, GATE_COND,   CSF_PKT_COND_R2,    "cond.r2",    SHAPE_BITS3)
PACKET(0x50, 0x5f, ETM40, LAST_4, GATE_COND,   CSF_PKT_COND_R3,    "cond.r3",    SHAPE_COND_R3)
PACKET(0x68, 0x6b, ETM40, LAST_4, GATE_COND,   CSF_PKT_COND_R1,    "cond.r1",    SHAPE_COND_R1)
PACKET(0x6c, 0x6c, ETM40, LAST_4, GATE_COND,   CSF_PKT_COND_I1,    "cond.i1",    SHAPE_COND_I1)
PACKET(0x6d, 0x6d, ETM40, LAST_4, GATE_COND,   CSF_PKT_COND_I3,    "cond.i3",    SHAPE_COND_I3)
PACKET(0x6e, 0x6f, ETM40, LAST_4, GATE_COND,   CSF_PKT_COND_R1,    "cond.r1",    SHAPE_COND_R1)
PACKET(0x70, 0x70, ETM43, LATEST, GATE_NONE,   CSF_PKT_IGNORE,     "ignore",     SHAPE_NONE)
PACKET(0x71, 0x7f, ETM40, LATEST, GATE_NONE,   CSF_PKT_EVENT,      "event",      SHAPE_BITS4)
PACKET(0x80, 0x81, ETM40, LATEST, GATE_NONE,   CSF_PKT_CONTEXT,    "ctx",        SHAPE_CONTEXT)
PACKET(0x82, 0x83, ETM40, LATEST, GATE_NONE,   CSF_PKT_ADDR_CTXT32, "addr32.ctx", SHAPE_CTXT32)
PACKET(0x85, 0x86, ETM40, LATEST, GATE_NONE,   CSF_PKT_ADDR_CTXT64, "addr.ctx",  SHAPE_CTXT64)
PACKET(0x88, 0x88, ETM46, LATEST, GATE_NONE,   CSF_PKT_MARKER,     "marker",     SHAPE_NONE)
PACKET(0x90, 0x92, ETM40, LATEST, GATE_NONE,   CSF_PKT_ADDR_MATCH, "addr.same",  SHAPE_BITS2)
PACKET(0x95, 0x96, ETM40, LATEST, GATE_NONE,   CSF_PKT_ADDR_SHORT, "addr.s",     SHAPE_SHORT)
PACKET(0x9a, 0x9b, ETM40, LATEST, GATE_NONE,   CSF_PKT_ADDR32,     "addr32",     SHAPE_LONG32)
PACKET(0x9d, 0x9e, ETM40, LATEST, GATE_NONE,   CSF_PKT_ADDR64,     "addr",       SHAPE_LONG64)
PACKET(0xa0, 0xa2, ETM40, LATEST, GATE_Q,      CSF_PKT_Q,          "q",          SHAPE_Q_MATCH)
PACKET(0xa5, 0xa6, ETM40, LATEST, GATE_Q,      CSF_PKT_Q,          "q",          SHAPE_Q_SHORT)
PACKET(0xaa, 0xab, ETM40, LATEST, GATE_Q,      CSF_PKT_Q,          "q",          SHAPE_Q_LONG32)
PACKET(0xac, 0xac, ETM40, LATEST, GATE_Q,      CSF_PKT_Q,          "q",          SHAPE_Q_COUNT)
PACKET(0xaf, 0xaf, ETM40, LATEST, GATE_Q,      CSF_PKT_Q,          "q",          SHAPE_NONE)
PACKET(0xb0, 0xb2, ETE10, LATEST, GATE_NONE,   CSF_PKT_SRC_MATCH,  "src.same",   SHAPE_BITS2)
PACKET(0xb4, 0xb5, ETE10, LATEST, GATE_NONE,   CSF_PKT_SRC_SHORT,  "src.s",      SHAPE_SHORT)
PACKET(0xb6, 0xb7, ETE10, LATEST, GATE_NONE,   CSF_PKT_SRC32,      "src32",      SHAPE_LONG32)
PACKET(0xb8, 0xb9, ETE10, LATEST, GATE_NONE,   CSF_PKT_SRC64,      "src",        SHAPE_LONG64)
PACKET(0xc0, 0xff, ETM40, LATEST, GATE_NONE,   CSF_PKT_ATOM,       "atom",       SHAPE_ATOM)
/* clang-format on */
#undef PACKET
#undef EXTENSION

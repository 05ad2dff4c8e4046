/* SPDX-License-Identifier: GPL-2.0-only */
/* What logs call exceptions, as enum enc_exception. */
#ifndef CSF_ENCODE_EVENT_H
#define CSF_ENCODE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* An exception to AArch64 that is not an interrupt: ESR says what it is. */
#define TYPE_OPEN	UINT32_MAX

/* By the exception class in ESR. */
uint32_t type_of_esr(uint32_t esr);

/* By an event number of Arm's models, and whether that is an exception. */
bool is_exception_event(uint64_t number);
uint32_t type_of_event(uint64_t number);

/*
 * By the number in brackets that simulations of RTL have: of an exception of M profile, or, with
 * @is_vector, the offset of a vector that is taken from @isa, enum enc_isa.
 */
uint32_t type_of_vector(uint64_t n, bool is_vector, uint8_t isa);

#endif /* CSF_ENCODE_EVENT_H */

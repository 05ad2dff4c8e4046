/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps the exceptions of logs to enum enc_exception. */
#ifndef CSF_ENCODE_EVENT_H
#define CSF_ENCODE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* An exception to AArch64 that is not an interrupt: ESR tells its type. */
#define TYPE_OPEN	UINT32_MAX

/* The type by the exception class in ESR. */
uint32_t type_of_esr(uint32_t esr);

/* The type by an event number of Arm's models; is that event an exception? */
bool is_exception_event(uint64_t number);
uint32_t type_of_event(uint64_t number);

/*
 * The type by the number in brackets of RTL simulations: the number of an M-profile exception or,
 * with @is_vector, the offset of a vector that is taken from @isa, enum enc_isa.
 */
uint32_t type_of_vector(uint64_t n, bool is_vector, uint8_t isa);

#endif /* CSF_ENCODE_EVENT_H */

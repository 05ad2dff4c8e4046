/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings of csflow among those of perf: perf config csflow.KEY=VALUE. */
#ifndef CSF_PERFCONFIG_H
#define CSF_PERFCONFIG_H

/*
 * Sets *@value to the index of csflow.@key in @words, which NULL ends; without such a setting it
 * stays the same.  Any other word is reported.
 */
void perfconfig_choice(const char *key, const char *const words[], int *value);

#endif /* CSF_PERFCONFIG_H */

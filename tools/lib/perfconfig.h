/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings of csflow among those of perf: perf config csflow.KEY=VALUE. */
#ifndef CSF_PERFCONFIG_H
#define CSF_PERFCONFIG_H

/*
 * Which of @words, a NULL behind them, csflow.@key is: *@value becomes its index, and stays what it
 * is if there is no such setting.  A word that is none of these is told.
 */
void perfconfig_choice(const char *key, const char *const words[], int *value);

#endif /* CSF_PERFCONFIG_H */

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Layers of the decoder that $CSFLOW can do without (CSFLOW_WITHOUT), by the names that it lists
# itself: the array layers, whose last entry means all of them.  To be sourced.
# shellcheck disable=SC2034 # for those who source this
mapfile -t layers < <(CSFLOW_WITHOUT='?' "$CSFLOW" version 2>&1 | sed -n 's/.*, only //p' | sed 's/, /\n/g')
if [ "${layers[-1]}" != all ]; then
	echo "Bail out! $CSFLOW does not say what it can do without"
	exit 1
fi

// SPDX-License-Identifier: MIT

import { type ErasePermit, judgeClock } from "@reading-list/core/domain/clock-check.ts";

/** The permit to erase what is old at a time: that of a new installation. */
export const permitAt = (now: number) => judgeClock({}, now).permit as ErasePermit;

// SPDX-License-Identifier: MIT

import { type ErasePermit, judgeClock } from "@reading-list/core/domain/clock-check.ts";

/** The permit of a new installation to erase data that is old at a time. */
export const permitAt = (now: number) => judgeClock({}, now).permit as ErasePermit;

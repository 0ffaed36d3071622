// SPDX-License-Identifier: MIT

import { applyLook, storedSettings } from "../kit/look.ts";

// A script of its own, for which the page waits: so the first paint has the chosen theme.
applyLook(storedSettings());

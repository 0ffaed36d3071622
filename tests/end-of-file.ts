// SPDX-License-Identifier: MIT

import { runCleanups } from "@reading-list/testing/end-of-file.ts";
import { afterAll } from "vitest";

// Vitest runs this module before each file of tests.
afterAll(runCleanups);

// SPDX-License-Identifier: MIT

import { serveExtractions } from "./serve-extractions.ts";

await serveExtractions();

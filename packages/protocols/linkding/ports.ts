// SPDX-License-Identifier: MIT

import type { ApiOf } from "@reading-list/core/contract/apis.ts";
import type { GrantedPorts } from "@reading-list/core/use-cases/granted-ports.ts";

/** The ports of the use cases of this API. */
export type LinkdingPorts = GrantedPorts<ApiOf<"linkding">>;

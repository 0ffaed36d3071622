// SPDX-License-Identifier: MIT

import type { ApiOf } from "@reading-list/core/contract/apis.ts";
import type { Dependencies } from "@reading-list/core/ports/dependencies.ts";
import type { AuthorizationPorts } from "@reading-list/core/use-cases/accounts/authorize-apps.ts";
import type { GrantedPorts } from "@reading-list/core/use-cases/granted-ports.ts";

/** The ports of the APIs that keep articles, show pictures and sign apps in. */
export type ApiPorts = GrantedPorts<ApiOf<"kobo" | "readeck" | "wallabag">> &
  GreaderPorts &
  Pick<Dependencies, "pictures"> &
  AuthorizationPorts;

/** The ports of the use cases of each of the other APIs. */
export type GreaderPorts = GrantedPorts<ApiOf<"greader">>;
export type LinkdingPorts = GrantedPorts<ApiOf<"linkding">>;

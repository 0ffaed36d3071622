// SPDX-License-Identifier: MIT

import type { Access } from "@reading-list/core/domain/authorization.ts";
import { type OAuthRefusal, refuse } from "@reading-list/core/domain/oauth-client.ts";

/** The scopes of each access, as the answers name them. */
export const scopesOfAccess = {
  full: ["bookmarks:read", "bookmarks:write", "profile:read"],
  read: ["bookmarks:read", "profile:read"],
  profile: ["profile:read"],
} as const satisfies Record<Access, string[]>;

/** The access that scopes ask for. Unknown ones beside known ones are ignored. */
export function readScopes(scope = "profile:read"): Access | OAuthRefusal {
  const asked = scope.split(" ");
  if (asked.includes("bookmarks:write")) return "full";
  if (asked.includes("bookmarks:read")) return "read";
  if (asked.includes("profile:read")) return "profile";
  return refuse("invalid_scope", `scope must be one or more of ${scopesOfAccess.full.join(", ")}`);
}

// SPDX-License-Identifier: MIT

/** Parts of the later texts that the page for signing in loads; they are a file of their own. */
export const signInParts = ["account", "failures", "length", "menu", "shared", "version"] as const;

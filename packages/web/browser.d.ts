// SPDX-License-Identifier: MIT

/** Trusted Types, in browsers that have them; `script-src` and the sandbox of articles protect others. */
interface Window {
  trustedTypes?: {
    createPolicy<T extends Partial<Record<"createHTML" | "createScriptURL", (input: string) => string>>>(
      name: string,
      rules: T,
    ): T;
  };
}

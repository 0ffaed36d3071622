// SPDX-License-Identifier: MIT

/** Installs SST's platform, so that the suites of the stacks also run before the first `npm run check`. */
export async function setup() {
  await import("./install-platform.ts");
}

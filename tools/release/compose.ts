// SPDX-License-Identifier: MIT

/** `compose.yaml` of the repository with the released image instead of a build. Throws if it has no build. */
export function composeOf(image: string, source: string): string {
  const released = source.replace(/^( +)build: \.\n +image: .*\n/m, `$1image: ${image}\n`);
  if (released === source) throw new Error("compose.yaml has no service with build: . and image:");
  return released;
}

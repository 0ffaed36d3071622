// SPDX-License-Identifier: MIT

declare module "recheck/lib/browser.js" {
  const recheck: Pick<typeof import("recheck"), "checkSync">;
  export default recheck;
}

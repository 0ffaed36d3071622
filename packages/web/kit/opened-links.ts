// SPDX-License-Identifier: MIT

import { arrivalIn } from "./arrival.ts";

/** A link that is pasted into a tab with the reader changes only the fragment, which the router replaces: load it anew. */
addEventListener("hashchange", ({ newURL }) => {
  if (!arrivalIn(new URL(newURL).hash)) return;
  history.replaceState(history.state, "", newURL);
  location.reload();
});

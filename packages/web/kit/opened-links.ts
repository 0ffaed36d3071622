// SPDX-License-Identifier: MIT

import { arrivalIn } from "./arrival.ts";

// A link that a user pastes into a tab with the reader changes only the fragment, which the router then replaces.
addEventListener("hashchange", ({ newURL }) => {
  if (!arrivalIn(new URL(newURL).hash)) return;
  history.replaceState(history.state, "", newURL);
  location.reload();
});

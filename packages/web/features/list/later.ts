// SPDX-License-Identifier: MIT

export { AddDialog } from "./add-dialog.tsx";
export { ChangeDialog } from "./change-dialog.tsx";
// The parts of the list that are loaded after its first rendering.
export { downloadPages } from "./download-pages.ts";
export { Filters } from "./filters.tsx";
export { MoreKeys } from "./more-keys.ts";
export { MoreButton, SearchBar } from "./search-bar.tsx";
export { SelectionBar } from "./selection-bar.tsx";
export { followSwipes, hintAtSwipes } from "./swipe.ts";
export { Unlisted } from "./unlisted.tsx";

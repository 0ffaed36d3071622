// SPDX-License-Identifier: MIT

// The parts of the list that are loaded after its first rendering.
export { downloadPages } from "./download-pages.ts";
export { Filters } from "./filters.tsx";
export { AddDialog, ChangeDialog } from "./page-dialogs.tsx";
export { MoreButton, SearchBar } from "./search-bar.tsx";
export { SelectionBar } from "./selection-bar.tsx";
export { followSwipes } from "./swipe.ts";

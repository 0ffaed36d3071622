// SPDX-License-Identifier: MIT

import { laterTexts } from "../../kit/later-texts.ts";

const text = laterTexts.menu;

/** Opens the dialog that saves the page on which it is clicked. In the reader itself the policy blocks it. */
const bookmarklet = (address: string) =>
  `javascript:open(${JSON.stringify(address)}+"?url="+encodeURIComponent(location.href)+"&title="+encodeURIComponent(document.title))`;

/** A link for the bookmarks, which saves pages. */
export function Bookmarklet() {
  return (
    <p class="with-mouse">
      <a class="bookmarklet" href={bookmarklet(location.origin + location.pathname)}>
        {text.bookmarkletName}
      </a>
    </p>
  );
}

/** Asks for a file to import. */
export function ImportButton({ onImport }: { onImport(file: File): void }) {
  return (
    <label class="button">
      {text.import}
      <input
        type="file"
        class="hidden"
        onChange={({ currentTarget: { files } }) => {
          if (files?.[0]) onImport(files[0]);
        }}
      />
    </label>
  );
}

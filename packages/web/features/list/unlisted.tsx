// SPDX-License-Identifier: MIT

import type { ChangeList } from "../../data/use-changes.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import { webAddressIn } from "../../kit/shared-page.ts";
import { firstTexts } from "../../kit/texts.ts";

/** A link to the article of a page that is not in the list. */
export function Unlisted({ url, change, onClose }: { url: string; change: ChangeList; onClose(): void }) {
  return (
    <main class="empty">
      <p>{laterTexts.add.unlisted}</p>
      <p class="hint address">{url}</p>
      <p class="actions">
        <button type="button" onClick={onClose}>
          {firstTexts.list.back}
        </button>
        {webAddressIn(url) && (
          <button
            type="button"
            class="primary"
            onClick={() => change([{ kind: "add", url }], firstTexts.notices.added)}
          >
            {firstTexts.add.title}
          </button>
        )}
      </p>
    </main>
  );
}

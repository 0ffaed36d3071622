// SPDX-License-Identifier: MIT

import { Icon } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";

const text = laterTexts.article;

/** Pixels of a screen that stay visible on the next one, with the bars above and below. */
const overlap = 160;

/** Turns screens like the pages of a book, because slow displays cannot show scrolling. */
export function ScreenButtons() {
  const turn = (direction: 1 | -1) => () => scrollBy({ top: direction * (innerHeight - overlap), behavior: "instant" });
  return (
    <div class="screens">
      <button type="button" aria-label={text.previousScreen} onClick={turn(-1)}>
        <Icon name="back" />
      </button>
      <button type="button" aria-label={text.nextScreen} onClick={turn(1)}>
        <Icon name="forward" />
      </button>
    </div>
  );
}

// SPDX-License-Identifier: MIT

import { useReader } from "../../data/reader.ts";
import { laterTexts } from "../../kit/later-texts.ts";

const text = laterTexts.manage;

/** A secret that is shown this once. */
export function CreatedSecret({ hint, secret }: { hint: string; secret: string }) {
  const { notices } = useReader();
  return (
    <div class="created" role="status">
      <p>{hint}</p>
      <p class="actions">
        <code>{secret}</code>
        <button
          type="button"
          onClick={() => void navigator.clipboard.writeText(secret).then(() => notices.show(text.copied))}
        >
          {text.copy}
        </button>
      </p>
    </div>
  );
}

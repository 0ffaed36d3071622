// SPDX-License-Identifier: MIT

import { useReader } from "../../data/reader.ts";
import { englishLater } from "../../kit/english-later.ts";

const text = englishLater.manage;

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

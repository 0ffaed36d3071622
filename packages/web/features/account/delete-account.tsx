// SPDX-License-Identifier: MIT

import type { ReadingListClient } from "@reading-list/client/main.ts";
import { useReader } from "../../data/reader.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import { TaskForm } from "../../kit/task-form.tsx";
import { say } from "../../kit/texts.ts";

const text = laterTexts.manage;

interface DeleteAccountProps {
  username: string;
  client: ReadingListClient;
  onExport(): void;
  onClose(): void;
}

/** The form that deletes the account, and the export before it. */
export function DeleteAccount({ username, client, onExport, onClose }: DeleteAccountProps) {
  const { account, notices } = useReader();

  async function deleteAccount(read: (field: string) => string) {
    await client.deleteAccount(read("confirm"));
    onClose();
    await account.signOut();
    notices.show(text.deleted);
  }

  return (
    <>
      <h2>{text.deletion}</h2>
      <p class="hint">{text.deletionHint}</p>
      <button type="button" onClick={onExport}>
        {laterTexts.settings.export}
      </button>
      <TaskForm name={text.deleteAccount} isDangerous run={deleteAccount}>
        <label>
          {say(text.confirm, { username })}
          <input
            name="confirm"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            required
            pattern={username}
          />
        </label>
      </TaskForm>
    </>
  );
}

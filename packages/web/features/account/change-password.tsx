// SPDX-License-Identifier: MIT

import type { ReadingListClient } from "@reading-list/client/main.ts";
import { signInByPasskey } from "../../data/passkeys.ts";
import { useReader } from "../../data/reader.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import { Password, TaskForm } from "../../kit/task-form.tsx";

const text = laterTexts.manage;

interface ChangePasswordProps {
  username: string;
  client: ReadingListClient;
  hasPasskeys: boolean;
  onClose(): void;
}

/** The form of a new password. */
export function ChangePassword({ username, client, hasPasskeys, onClose }: ChangePasswordProps) {
  const { account, config, notices } = useReader();

  async function changePassword(read: (field: string) => string) {
    const [password, revokes] = [read("new"), read("revoke") === "on"];
    await client.changePassword(password, { revokes });
    // A browser with its own app password continues to use it.
    if (hasPasskeys) {
      if (revokes) await account.use(await signInByPasskey(config, { username, password }, account.stays));
    } else if (revokes || account.remembered.id === undefined) await account.renew(password);
    notices.show(text.passwordChanged);
    onClose();
  }

  return (
    <>
      <h2>{text.password}</h2>
      <TaskForm name={text.changePassword} run={changePassword}>
        <Password name="new" label={text.newPassword} isNew />
        <label class="check">
          <input type="checkbox" name="revoke" />
          {text.revokeAll}
        </label>
      </TaskForm>
    </>
  );
}

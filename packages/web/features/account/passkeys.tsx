// SPDX-License-Identifier: MIT

import { addPasskey, type Passkey, removePasskey } from "../../data/passkeys.ts";
import { useReader } from "../../data/reader.ts";
import type { Credentials } from "../../data/replicas.ts";
import { explainFailure } from "../../kit/explain-failure.ts";
import { dates, laterTexts } from "../../kit/later-texts.ts";
import { limitLength } from "../../kit/length-limit.ts";
import { TaskForm } from "../../kit/task-form.tsx";
import { say } from "../../kit/texts.ts";

const text = laterTexts.manage;

interface PasskeysProps {
  /** The account's password, or a token instead of it. */
  credentials: Credentials;
  passkeys: readonly Passkey[];
  /** Called with the token that stands for the password from now on. */
  onAdded(token: string): Promise<void>;
  onRemoved(): Promise<void>;
}

/** The passkeys of a user. */
export function Passkeys({ credentials, passkeys, onAdded, onRemoved }: PasskeysProps) {
  const { config, notices } = useReader();

  async function add(read: (field: string) => string, form: HTMLFormElement) {
    await onAdded(await addPasskey(config, credentials, read("passkey")));
    form.reset();
    notices.show(text.passkeyAdded);
  }
  async function remove({ id, name }: Passkey) {
    const question = passkeys.length === 1 ? text.reallyRemoveLastPasskey : text.reallyRemovePasskey;
    if (!confirm(say(question, { name }))) return;
    try {
      await removePasskey(config, credentials, id);
      await onRemoved();
    } catch (failure) {
      notices.show(explainFailure(failure));
    }
  }

  return (
    <>
      <h2>{text.passkeys}</h2>
      <p class="hint">{text.passkeysHint}</p>
      <ul class="devices">
        {passkeys.map((passkey) => (
          <li key={passkey.id}>
            <span class="device">
              <strong>{passkey.name}</strong>
              <small>{say(text.created, { date: dates.format(passkey.createdAt) })}</small>
            </span>
            <button
              type="button"
              aria-label={say(text.removePasskeyOf, { name: passkey.name })}
              onClick={() => remove(passkey)}
            >
              {text.removePasskey}
            </button>
          </li>
        ))}
      </ul>
      <TaskForm name={text.addPasskey} run={add}>
        <label>
          {text.passkeyName}
          <input name="passkey" required {...limitLength(60)} autocomplete="off" placeholder={text.passkeyExample} />
        </label>
      </TaskForm>
    </>
  );
}

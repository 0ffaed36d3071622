// SPDX-License-Identifier: MIT

import { freshByPasskey } from "../../data/passkeys.ts";
import { useReader } from "../../data/reader.ts";
import { beginFreshSignOn } from "../../data/sign-on.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import { Screen } from "../../kit/screen.tsx";
import { Password, TaskForm } from "../../kit/task-form.tsx";
import { say } from "../../kit/texts.ts";

const text = laterTexts.manage;

interface ConfirmAccountProps {
  username: string;
  failure: string;
  /** Called with the account's password, or with a token instead of it. */
  onConfirmed(password: string, isToken: boolean): Promise<void>;
  onFailure(error: unknown): void;
  onClose(): void;
}

/** Asks for the account's own password, or for a sign-in that stands for it. */
export function ConfirmAccount({ username, failure, onConfirmed, onFailure, onClose }: ConfirmAccountProps) {
  const { config } = useReader();
  const byPasskey = config.hasPasskeys
    ? {
        name: text.continueByPasskey,
        run: async (read: (field: string) => string) =>
          onConfirmed(await freshByPasskey(config, { username, password: read("password") }), true),
      }
    : undefined;
  return (
    <Screen title={text.title} onClose={onClose}>
      {failure && (
        <p class="error" role="alert">
          {failure}
        </p>
      )}
      {config.signOn && (
        <>
          <p>{text.asksSignOn}</p>
          <button type="button" onClick={() => beginFreshSignOn(config).catch(onFailure)}>
            {say(text.signOnAgain, { name: config.signOn.name })}
          </button>
        </>
      )}
      {!config.signOn?.isOnly && <p>{text.asksPassword}</p>}
      {/* A form of its own: its typed password must not stand in the form of the new one. */}
      {!config.signOn?.isOnly && (
        <TaskForm
          key="continue"
          name={text.continue}
          run={(read) => onConfirmed(read("password"), false)}
          other={byPasskey}
        >
          <input name="username" autocomplete="username" value={username} readOnly hidden />
          <Password name="password" label={text.accountPassword} />
        </TaskForm>
      )}
    </Screen>
  );
}

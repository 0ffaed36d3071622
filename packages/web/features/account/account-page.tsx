// SPDX-License-Identifier: MIT

import { ApiError } from "@reading-list/client/main.ts";
import { useId, useState } from "preact/hooks";
import type { Account } from "../../data/account.ts";
import { storageProblemOf } from "../../kit/browser-storage.ts";
import type { ReaderConfig } from "../../kit/config.ts";
import { english } from "../../kit/english.ts";
import { limitLength } from "../../kit/length-limit.ts";

const text = english.account;

/** The form to sign in or to create an account. Its fields are named so that password managers fill them. */
export function AccountPage({ account, config }: { account: Account; config: ReaderConfig }) {
  const [isNew, setNew] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const { username: remembered = "" } = account.remembered;
  const rules = useId();
  const explanation = useId();

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const read = (name: string) => String(fields.get(name) ?? "");
    setBusy(true);
    setError("");
    try {
      await account.signIn({
        username: read("username"),
        password: read("password"),
        stays: fields.has("stay"),
        isNew,
      });
    } catch (failure) {
      setBusy(false);
      const problem = storageProblemOf(failure);
      if (failure instanceof ApiError) setError(failure.kind === "noResponse" ? text.offline : failure.message);
      else setError(problem ? english.storage[problem] : english.notStarted);
    }
  }

  return (
    <main class="account">
      <h1>{english.name}</h1>
      <form onSubmit={submit} aria-busy={isBusy}>
        <label>
          {text.username}
          <input
            name="username"
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
            required
            pattern="[a-z0-9_\-]{1,20}"
            title={text.usernameRule}
            aria-describedby={isNew ? rules : undefined}
            defaultValue={remembered}
            autofocus={!remembered}
          />
        </label>
        <label>
          {text.password}
          <input
            name="password"
            type="password"
            autocomplete={isNew ? "new-password" : "current-password"}
            required
            autofocus={!!remembered}
            {...limitLength(20)}
          />
        </label>
        {isNew && (
          <p class="hint" id={rules}>
            {text.username}: {text.usernameRule}. {text.password}: {english.length(20)}.
          </p>
        )}
        <label class="check">
          <input type="checkbox" name="stay" aria-describedby={explanation} />
          {text.stay}
        </label>
        <p class="hint" id={explanation}>
          {text.stayExplained}
        </p>
        <p class="error" role="alert">
          {error}
        </p>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? text.wait : isNew ? text.signUp : text.signIn}
        </button>
      </form>
      {config.helpText && !isNew && (
        <details>
          <summary>{text.forgotten}</summary>
          <p>{config.helpText}</p>
        </details>
      )}
      {config.isSignupOpen && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            setNew(!isNew);
            setError("");
          }}
        >
          {isNew ? text.toSignIn : text.toSignUp}
        </button>
      )}
    </main>
  );
}

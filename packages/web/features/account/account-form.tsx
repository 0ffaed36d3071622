// SPDX-License-Identifier: MIT

import { useId, useState } from "preact/hooks";
import type { Account } from "../../data/account.ts";
import { signInByPasskey } from "../../data/passkeys.ts";
import type { Arrival } from "../../kit/arrival.ts";
import type { ReaderConfig } from "../../kit/config.ts";
import { explainFailure } from "../../kit/explain-failure.ts";
import { limitLength } from "../../kit/length-limit.ts";
import { signInTexts } from "../../kit/sign-in-texts.ts";
import { firstTexts } from "../../kit/texts.ts";
import { StaySignedIn } from "./stay-signed-in.tsx";

const text = signInTexts.account;

export type FormKind = "signIn" | "signUp" | "invitation" | "code" | "reset";

interface AccountFormProps {
  account: Account;
  config: ReaderConfig;
  kind: FormKind;
  /** The opened link. */
  arrival: Arrival | undefined;
  onArrived(): void;
}

/** The form of a sign-in or of a new account. Its fields are named so that password managers fill them. */
export function AccountForm({ account, config, kind, arrival, onArrived }: AccountFormProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const rules = useId();
  const isNew = kind !== "signIn";
  const isReset = kind === "reset";
  const { username: remembered = "" } = isReset ? (arrival ?? {}) : account.remembered;

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const read = (name: string) => String(fields.get(name) ?? "");
    const isByPasskey = (event.submitter as HTMLButtonElement | null)?.value === "passkey";
    setBusy(true);
    setError("");
    try {
      const [credentials, stays] = [{ username: read("username"), password: read("password") }, fields.has("stay")];
      const invitation =
        kind === "code" ? read("code").trim() : isNew && kind !== "signUp" ? arrival?.secret : undefined;
      if (isByPasskey) await account.use(await signInByPasskey(config, credentials, stays));
      else await account.signIn({ ...credentials, stays, isNew, invitation });
      onArrived();
    } catch (failure) {
      setBusy(false);
      setError(explainFailure(failure, firstTexts.notStarted));
    }
  }

  return (
    <form onSubmit={submit} aria-busy={isBusy}>
      {kind === "code" && (
        <label>
          {text.codeName}
          <input
            name="code"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            required
            defaultValue={arrival?.kind === "code" ? arrival.secret : ""}
            autofocus={!arrival}
          />
        </label>
      )}
      <label>
        {text.username}
        <input
          name="username"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          required
          readOnly={isReset}
          pattern="[a-z0-9_\-]{1,20}"
          title={text.usernameRule}
          aria-describedby={isNew ? rules : undefined}
          defaultValue={remembered}
          autofocus={!remembered && kind !== "code"}
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
          {text.signUpRules}
        </p>
      )}
      <StaySignedIn />
      <p class="error" role="alert">
        {error}
      </p>
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy ? text.wait : isReset ? text.saveReset : isNew ? text.signUp : text.signIn}
      </button>
      {config.hasPasskeys && !isNew && (
        <button type="submit" value="passkey" disabled={isBusy}>
          {text.withPasskey}
        </button>
      )}
    </form>
  );
}

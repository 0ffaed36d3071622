// SPDX-License-Identifier: MIT

import { ApiError } from "@reading-list/client/main.ts";
import { useId, useState } from "preact/hooks";
import type { Account } from "../../data/account.ts";
import { storageProblemOf } from "../../kit/browser-storage.ts";
import type { ReaderConfig } from "../../kit/config.ts";
import { english } from "../../kit/english.ts";
import { englishAccount } from "../../kit/english-account.ts";
import type { Invitation } from "../../kit/invitation.ts";
import { limitLength } from "../../kit/length-limit.ts";
import { useObservable } from "../../kit/observable.ts";

const text = englishAccount;

type Kind = "signIn" | "signUp" | Invitation["kind"];

interface AccountPageProps {
  account: Account;
  config: ReaderConfig;
  /** Of the link that was opened. */
  invitation: Invitation | undefined;
  /** The link was used, or is not wanted. */
  onInvitationDone(): void;
}

/** The form to sign in, or to create an account, or what a link of the operator asks for. */
export function AccountPage({ account, config, invitation, onInvitationDone }: AccountPageProps) {
  const session = useObservable(account.session);
  const [kind, setKind] = useState<Kind>(invitation?.kind ?? (config.isFirstRun ? "code" : "signIn"));
  if (session) {
    return (
      <main class="account">
        <h1>{english.name}</h1>
        <p>{text.signedIn(session.username)}</p>
        <button type="button" onClick={onInvitationDone}>
          {text.ignore}
        </button>
        <button type="button" onClick={() => account.signOut()}>
          {text.signOut}
        </button>
      </main>
    );
  }
  const isNew = kind !== "signIn";
  const other = kind === "signUp" ? "signIn" : "signUp";
  return (
    <main class="account">
      <h1>{kind === "signIn" || kind === "signUp" ? english.name : text[kind]}</h1>
      {kind !== "signIn" && kind !== "signUp" && <p class="hint">{text[`${kind}Hint`]}</p>}
      {/* Without a key the form would keep what was typed, and the failure. */}
      <AccountForm key={kind} {...{ account, kind, invitation, onInvitationDone }} />
      {config.helpText && !isNew && (
        <details>
          <summary>{text.forgotten}</summary>
          <p>{config.helpText}</p>
        </details>
      )}
      {config.isSignupOpen && kind !== "reset" && kind !== "invitation" && (
        <button type="button" class="plain" onClick={() => setKind(other)}>
          {kind === "code" ? text.withoutCode : isNew ? text.toSignIn : text.toSignUp}
        </button>
      )}
    </main>
  );
}

/** Its fields are named so that password managers fill them. */
function AccountForm({
  account,
  kind,
  invitation,
  onInvitationDone,
}: Omit<AccountPageProps, "config"> & { kind: Kind }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const rules = useId();
  const explanation = useId();
  const isNew = kind !== "signIn";
  const isReset = kind === "reset";
  const { username: remembered = "" } = isReset ? (invitation ?? {}) : account.remembered;

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const read = (name: string) => String(fields.get(name) ?? "");
    setBusy(true);
    setError("");
    try {
      await account.signIn({
        ...{ username: read("username"), password: read("password"), stays: fields.has("stay"), isNew },
        invitation: kind === "code" ? read("code").trim() : kind === "signUp" ? undefined : invitation?.secret,
      });
      onInvitationDone();
    } catch (failure) {
      setBusy(false);
      const problem = storageProblemOf(failure);
      if (failure instanceof ApiError) setError(failure.kind === "noResponse" ? text.offline : failure.message);
      else setError(problem ? english.storage[problem] : english.notStarted);
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
            defaultValue={invitation?.kind === "code" ? invitation.secret : ""}
            autofocus={!invitation}
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
        {isBusy ? text.wait : isReset ? text.saveReset : isNew ? text.signUp : text.signIn}
      </button>
    </form>
  );
}

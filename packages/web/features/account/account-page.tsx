// SPDX-License-Identifier: MIT

import { useEffect, useId, useState } from "preact/hooks";
import type { Account } from "../../data/account.ts";
import { signInByPasskey } from "../../data/passkeys.ts";
import { useReader } from "../../data/reader.ts";
import { addressOfSignOff, beginSignOn, exchangeCode } from "../../data/sign-on.ts";
import type { Arrival } from "../../kit/arrival.ts";
import type { ReaderConfig } from "../../kit/config.ts";
import { explainFailure } from "../../kit/explain-failure.ts";
import { LanguageChoice } from "../../kit/language-choice.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { limitLength } from "../../kit/length-limit.ts";
import { useObservable } from "../../kit/observable.ts";
import { firstTexts, say } from "../../kit/texts.ts";

const text = laterTexts.account;

type Kind = "signIn" | "signUp" | "invitation" | "code" | "reset";

interface AccountPageProps {
  account: Account;
  config: ReaderConfig;
  /** Of the link that was opened. */
  arrival: Arrival | undefined;
  /** The link was used, or is not wanted. */
  onArrived(): void;
}

const explain = (failure: unknown) => explainFailure(failure, firstTexts.notStarted);

/** The form to sign in, or to create an account, or what a link of the operator asks for. */
export function AccountPage({ account, config, arrival, onArrived }: AccountPageProps) {
  const session = useObservable(account.session);
  const { settings } = useReader();
  const asksCode = config.isFirstRun && !config.signOn?.isOnly;
  const [kind, setKind] = useState<Kind>(kindOf(arrival) ?? (asksCode ? "code" : "signIn"));
  const [error, setError] = useState("");
  const isOfSignOn = arrival !== undefined && kindOf(arrival) === undefined;
  const isArriving = isOfSignOn && error === "";
  useEffect(() => {
    if (!isOfSignOn) return;
    // Somebody is signed in already; or a token came for nobody who is.
    if (session || arrival.kind !== "signin") onArrived();
    else {
      exchangeCode(config, arrival.secret)
        .then((signedIn) => account.use(signedIn))
        .then(onArrived, (failure) => setError(explain(failure)));
    }
  }, []);
  if (isArriving)
    return (
      <main class="account">
        <p role="status">{text.wait}</p>
      </main>
    );
  if (session) {
    return (
      <main class="account">
        <h1>{firstTexts.name}</h1>
        <p>{say(text.signedIn, { username: session.username })}</p>
        <button type="button" onClick={onArrived}>
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
  const { signOn } = config;
  const isOfLink = kind !== "signIn" && kind !== "signUp";
  return (
    <main class="account">
      <h1>{isOfLink ? text[kind] : firstTexts.name}</h1>
      {isOfLink && <p class="hint">{text[`${kind}Hint`]}</p>}
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {signOn && kind !== "signUp" && kind !== "reset" && (
        <SignOn {...{ config, arrival }} name={signOn.name} onError={setError} />
      )}
      {/* Without a key the form would keep what was typed, and the failure. */}
      {!signOn?.isOnly && <AccountForm key={kind} {...{ account, config, kind, arrival, onArrived }} />}
      {signOn && !isNew && <a href={addressOfSignOff(config)}>{say(text.signOff, { name: signOn.name })}</a>}
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
      <LanguageChoice settings={settings} />
    </main>
  );
}

function kindOf(arrival: Arrival | undefined): Kind | undefined {
  const kind = arrival?.kind;
  return kind === "invitation" || kind === "code" || kind === "reset" ? kind : undefined;
}

const StaySignedIn = () => {
  const explanation = useId();
  return (
    <>
      <label class="check">
        <input type="checkbox" name="stay" aria-describedby={explanation} />
        {text.stay}
      </label>
      <p class="hint" id={explanation}>
        {text.stayExplained}
      </p>
    </>
  );
};

/** The button of single sign-on. */
function SignOn({
  config,
  arrival,
  name,
  onError,
}: Pick<AccountPageProps, "config" | "arrival"> & { name: string; onError(error: string): void }) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        // With passwords, too, the page has the choice once, in the other form.
        const page = event.currentTarget.closest("main");
        const stays = page?.querySelector<HTMLInputElement>("[name=stay]")?.checked ?? false;
        const invitation = arrival?.kind === "invitation" ? arrival.secret : undefined;
        void beginSignOn(config, stays, invitation).catch((failure) => onError(explain(failure)));
      }}
    >
      {config.signOn?.isOnly && <StaySignedIn />}
      <button type="submit" class={config.signOn?.isOnly ? "primary" : ""}>
        {say(text.signOn, { name })}
      </button>
    </form>
  );
}

/** Its fields are named so that password managers fill them. */
function AccountForm({ account, config, kind, arrival, onArrived }: AccountPageProps & { kind: Kind }) {
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
      setError(explain(failure));
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
          {text.username}: {text.usernameRule}. {text.password}: {say(laterTexts.length, { number: 20 })}.
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

// SPDX-License-Identifier: MIT

import { useEffect, useState } from "preact/hooks";
import type { Account } from "../../data/account.ts";
import { useReader } from "../../data/reader.ts";
import { keepShared } from "../../data/shared-pages.ts";
import { beginSignOn, exchangeCode, toSignOffAddress } from "../../data/sign-on.ts";
import type { Arrival } from "../../kit/arrival.ts";
import type { ReaderConfig } from "../../kit/config.ts";
import { explainFailure } from "../../kit/explain-failure.ts";
import { LanguageChoice } from "../../kit/language-choice.tsx";
import "../../kit/opened-links.ts";
import { useObservable } from "../../kit/observable.ts";
import type { SharedPage } from "../../kit/shared-page.ts";
import { signInTexts } from "../../kit/sign-in-texts.ts";
import { firstTexts, say } from "../../kit/texts.ts";
import { AccountForm, type FormKind } from "./account-form.tsx";
import { StaySignedIn } from "./stay-signed-in.tsx";

const text = signInTexts.account;

interface AccountPageProps {
  account: Account;
  config: ReaderConfig;
  shared: { current: SharedPage | undefined };
  /** The opened link. */
  arrival: Arrival | undefined;
  /** The link was used, or is not wanted. */
  onArrived(): void;
}

const explain = (failure: unknown) => explainFailure(failure, firstTexts.notStarted);

/** The form to sign in or create an account, or the form that an administrator's link opens. */
export function AccountPage({ account, config, shared, arrival, onArrived }: AccountPageProps) {
  const session = useObservable(account.session);
  const { settings } = useReader();
  const asksCode = config.isFirstRun && !config.signOn?.isOnly;
  const [kind, setKind] = useState<FormKind>(formKind(arrival) ?? (asksCode ? "code" : "signIn"));
  const [error, setError] = useState("");
  const [isKept, setKept] = useState(false);
  useEffect(() => {
    if (session || !shared.current?.isFromApp || !keepShared(shared.current)) return;
    shared.current = undefined;
    setKept(true);
  }, []);
  const isOfSignOn = arrival !== undefined && formKind(arrival) === undefined;
  const isArriving = isOfSignOn && error === "";
  useEffect(() => {
    if (!isOfSignOn) return;
    // Someone is signed in already; or a token came for nobody who is.
    if (session || arrival.kind !== "signin") onArrived();
    else {
      exchangeCode(config, arrival)
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
      {isKept && <p role="status">{signInTexts.shared.kept}</p>}
      {isOfLink && <p class="hint">{text[`${kind}Hint`]}</p>}
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {signOn && kind !== "signUp" && kind !== "reset" && (
        <SignOn config={config} arrival={arrival} name={signOn.name} onError={setError} />
      )}
      {/* Without a key the form would keep what was typed, and the failure. */}
      {!signOn?.isOnly && (
        <AccountForm key={kind} account={account} config={config} kind={kind} arrival={arrival} onArrived={onArrived} />
      )}
      {signOn && !isNew && <a href={toSignOffAddress(config)}>{say(text.signOff, { name: signOn.name })}</a>}
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

function formKind(arrival: Arrival | undefined): FormKind | undefined {
  const kind = arrival?.kind;
  return kind === "invitation" || kind === "code" || kind === "reset" ? kind : undefined;
}

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

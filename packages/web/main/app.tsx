// SPDX-License-Identifier: MIT

import { useState } from "preact/hooks";
import { useReader } from "../data/reader.ts";
import { arrivalIn } from "../kit/arrival.ts";
import { NoticeBar } from "../kit/notices.tsx";
import { useObservable } from "../kit/observable.ts";
import { formatRoute } from "../kit/router.ts";
import type { SharedRef } from "../kit/shared-page.ts";
import { useLoaded } from "../kit/use-loaded.ts";
import type { SignedInProps } from "./signed-in.tsx";

/** Loads the code that only signed-in users need: a third of the first load. */
export const loadSignedIn = async () => {
  signedIn ??= await import("./signed-in.tsx");
  return signedIn;
};
let signedIn: typeof import("./signed-in.tsx") | undefined;

export function App({ shared }: { shared: SharedRef }) {
  const { account, notices, route } = useReader();
  const session = useObservable(account.session);
  const [arrival, setArrival] = useState(() => arrivalIn(location.hash));
  const forget = () => {
    if (!arrival) return;
    history.replaceState(null, "", location.pathname + (isForUser ? formatRoute(route.value) : ""));
    setArrival(undefined);
  };
  const isForUser = arrival?.kind === "fresh" || arrival?.kind === "linked";
  return (
    <>
      {session && (!arrival || isForUser) ? (
        <LoadedList key={session.username} session={session} shared={shared} arrival={arrival} onArrived={forget} />
      ) : (
        <SignedOut shared={shared} arrival={arrival} onArrived={forget} />
      )}
      <NoticeBar notices={notices} />
    </>
  );
}

function SignedOut(props: Omit<SignedInProps, "session">) {
  const { account, config } = useReader();
  const loaded = useLoaded(() => import("../features/account/account-page.tsx"));
  return loaded ? <loaded.AccountPage account={account} config={config} {...props} /> : null;
}

function LoadedList(props: SignedInProps) {
  const loaded = useLoaded(loadSignedIn, signedIn);
  return loaded ? <loaded.SignedIn {...props} /> : null;
}

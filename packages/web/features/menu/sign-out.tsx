// SPDX-License-Identifier: MIT

import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import { say } from "../../kit/texts.ts";

const text = laterTexts.menu;

/** The name of the signed-in user, and a button that signs out. It asks first if changes would be lost. */
export function SignOut({ session }: { session: Session }) {
  const { account } = useReader();
  const signOut = async () => {
    const unsent = session.list.unsent.value;
    if (unsent > 0 && !confirm(say(text.reallySignOut, { number: unsent }))) return;
    await account.signOut();
  };
  return (
    <>
      <p class="hint">{say(text.signedInAs, { username: session.username })}</p>
      <button type="button" onClick={signOut}>
        {text.signOut}
      </button>
    </>
  );
}

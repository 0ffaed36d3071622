// SPDX-License-Identifier: MIT

import { deviceName } from "@reading-list/client/device-password.ts";
import type { ReadingListClient } from "@reading-list/client/main.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { laterTexts } from "../../kit/later-texts.ts";
import { TaskForm } from "../../kit/task-form.tsx";

const text = laterTexts.manage;

interface ExtensionSignInProps {
  /** Signed in with the account's own password. */
  client: ReadingListClient;
  username: string;
  onChange(): Promise<void>;
}

interface Offer {
  password: string;
  id: string;
}

/**
 * Offers the extension in this browser a sign-in of its own. The extension finds it by the id of the element, and takes it
 * after its user has confirmed (`take-offer.ts` of the extension). One that nobody takes is revoked.
 */
export function ExtensionSignIn({ client, username, onChange }: ExtensionSignInProps) {
  const [offer, setOffer] = useState<Offer>();
  const [isTaken, setTaken] = useState(false);
  const latest = useRef(offer);
  latest.current = offer;

  useEffect(() => {
    const take = () => {
      setOffer(undefined);
      setTaken(true);
      void onChange();
    };
    const withdraw = () => {
      // Offline it remains in the list of devices, where the user can revoke it.
      if (latest.current) client.revokeAppPassword(latest.current.id).catch(() => {});
    };
    document.addEventListener("reading-list-offer-taken", take);
    return () => {
      document.removeEventListener("reading-list-offer-taken", take);
      withdraw();
    };
  }, [client]);

  async function create() {
    setTaken(false);
    setOffer(await client.createAppPassword(deviceName("Browser extension")));
    await onChange();
  }

  return (
    <>
      <h2>{text.extension}</h2>
      <p class="hint">{text.extensionHint}</p>
      {offer && (
        <div
          id="reading-list-offer"
          hidden
          data-username={username}
          data-password={offer.password}
          data-device={offer.id}
        />
      )}
      <p role="status">{offer ? text.extensionOffered : isTaken && text.extensionSignedIn}</p>
      {!offer && (
        <TaskForm name={text.offerExtension} run={create}>
          {null}
        </TaskForm>
      )}
    </>
  );
}

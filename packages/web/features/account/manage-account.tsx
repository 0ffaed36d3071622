// SPDX-License-Identifier: MIT

import type { AppPassword, KeptArticles, ReadingListClient } from "@reading-list/client/main.ts";
import { useEffect, useState } from "preact/hooks";
import { listPasskeys, type Passkey } from "../../data/passkeys.ts";
import { useReader } from "../../data/reader.ts";
import { exchangeFreshCode, finishLink } from "../../data/sign-on.ts";
import type { Arrival } from "../../kit/arrival.ts";
import { explainFailure } from "../../kit/explain-failure.ts";
import { formatBytes } from "../../kit/format-bytes.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import { useObservable } from "../../kit/observable.ts";
import { formatRoute } from "../../kit/router.ts";
import { Screen } from "../../kit/screen.tsx";
import { TaskForm } from "../../kit/task-form.tsx";
import { say } from "../../kit/texts.ts";
import { Administration } from "./administration/administration.tsx";
import { ChangePassword } from "./change-password.tsx";
import { ConfirmAccount } from "./confirm-account.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { Devices } from "./devices.tsx";
import { ExtensionSignIn } from "./extension-sign-in.tsx";
import { FeedAddress } from "./feed-address.tsx";
import { KoboDevice } from "./kobo-device.tsx";
import { Passkeys } from "./passkeys.tsx";
import { SignOnLink } from "./sign-on-link.tsx";

const text = laterTexts.manage;

interface ManageAccountProps {
  username: string;
  /** A code of single sign-on that stands for the password, or word that the account is linked. */
  arrival: Arrival | undefined;
  onArrived(): void;
  /** Opens the dialog that writes the list to a file. */
  onExport(): void;
  onClose(): void;
}

/** An account whose owner has given its password, or has signed in again. */
interface ConfirmedAccount {
  /** Has the rights of the account's own password. */
  client: ReadingListClient;
  /** The account's password, or a token instead of it. */
  password: string;
  isToken: boolean;
  devices: AppPassword[];
  /** Undefined if the service has no passkeys. */
  passkeys: Passkey[] | undefined;
  articles: KeptArticles | undefined;
}

/** The devices of a user, the password and the deletion of the account. It asks for the account's own password. */
export function ManageAccount({ username, arrival, onArrived, onExport, onClose }: ManageAccountProps) {
  const { account, config, notices, route: router } = useReader();
  const route = useObservable(router);
  const [confirmed, setConfirmed] = useState<ConfirmedAccount>();
  const [failure, setFailure] = useState("");

  const loadPasskeys = async (password: string) =>
    config.hasPasskeys ? listPasskeys(config, { username, password }) : undefined;
  async function openAccount(password: string, isToken: boolean) {
    const client = account.createClient(password);
    const devices = await client.appPasswords();
    const passkeys = await loadPasskeys(password);
    // A fresh token gives no access to the list.
    const articles = (await account.session.value?.client.stats({ articles: true }))?.articles;
    setConfirmed({ client, password, isToken, devices, passkeys, articles });
  }
  const fail = (error: unknown) => setFailure(explainFailure(error));
  useEffect(() => {
    onArrived();
    if (arrival?.kind === "fresh") {
      exchangeFreshCode(config, arrival)
        .then(({ username: name, password }) => {
          if (name === username) return openAccount(password, true);
          setFailure(say(text.otherUser, { username: name }));
        })
        .catch(fail);
    }
    if (arrival?.kind === "linked") {
      finishLink(config, arrival).then(() => {
        notices.show(text.nowLinked);
        onClose();
      }, fail);
    }
  }, []);

  if (!confirmed) {
    return (
      <ConfirmAccount
        username={username}
        failure={failure}
        onConfirmed={openAccount}
        onFailure={fail}
        onClose={onClose}
      />
    );
  }
  const { client, password, devices, passkeys, articles } = confirmed;
  if (route.section === "administration") return <Administration client={client} onClose={onClose} />;
  const change = (fields: Partial<ConfirmedAccount>) => setConfirmed((now) => now && { ...now, ...fields });
  const loadDevices = async () => change({ devices: await client.appPasswords() });
  return (
    <Screen title={text.title} onClose={onClose}>
      <h2>{text.devices}</h2>
      <Devices client={client} devices={devices} onChange={loadDevices} />
      {confirmed.isToken && (
        <details>
          <summary>{text.appPage}</summary>
          <p class="hint">{text.appPageHint}</p>
          <code>{password}</code>
        </details>
      )}
      <ExtensionSignIn client={client} username={username} onChange={loadDevices} />
      <h2>{text.feed}</h2>
      <FeedAddress client={client} username={username} onChange={loadDevices} />
      <h2>{text.kobo}</h2>
      <KoboDevice client={client} onChange={loadDevices} />
      {articles && <Quota articles={articles} />}
      {config.signOn && <SignOnLink username={username} password={password} name={config.signOn.name} />}
      {passkeys && (
        <Passkeys
          passkeys={passkeys}
          credentials={{ username, password }}
          onAdded={(token) => openAccount(token, true)}
          onRemoved={async () => change({ passkeys: await loadPasskeys(password) })}
        />
      )}
      <ChangePassword username={username} client={client} hasPasskeys={!!passkeys?.length} onClose={onClose} />
      {config.hasOperators && <OpenAdministration client={client} />}
      <DeleteAccount username={username} client={client} onExport={onExport} onClose={onClose} />
    </Screen>
  );
}

/** The space that saved copies take. */
const Quota = ({ articles: { bytes, quota, count } }: { articles: KeptArticles }) => (
  <>
    <h2>{text.articles}</h2>
    <p>{say(text.quota, { used: formatBytes(bytes), quota: formatBytes(quota), number: count })}</p>
    <p class="hint">{text.articlesHint}</p>
  </>
);

/** Opens the administration page, if the user is an administrator. */
function OpenAdministration({ client }: { client: ReadingListClient }) {
  const { route } = useReader();
  async function open() {
    await client.callOperator("state");
    location.hash = formatRoute({ ...route.value, section: "administration" });
  }
  return (
    <>
      <h2>{laterTexts.operator.title}</h2>
      <p class="hint">{laterTexts.operator.openHint}</p>
      <TaskForm name={laterTexts.operator.open} run={open}>
        {null}
      </TaskForm>
    </>
  );
}

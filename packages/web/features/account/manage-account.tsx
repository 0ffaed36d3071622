// SPDX-License-Identifier: MIT

import type { AppPassword, KeptArticles, ReadingListClient } from "@reading-list/client/main.ts";
import { useEffect, useState } from "preact/hooks";
import { freshByPasskey, listPasskeys, type Passkey, signInByPasskey } from "../../data/passkeys.ts";
import { useReader } from "../../data/reader.ts";
import { beginFreshSignOn, exchangeFreshCode, finishLink } from "../../data/sign-on.ts";
import type { Arrival } from "../../kit/arrival.ts";
import { explainFailure } from "../../kit/explain-failure.ts";
import { formatBytes } from "../../kit/format-bytes.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import { useObservable } from "../../kit/observable.ts";
import { formatRoute } from "../../kit/router.ts";
import { Screen } from "../../kit/screen.tsx";
import { Password, TaskForm } from "../../kit/task-form.tsx";
import { say } from "../../kit/texts.ts";
import { Administration } from "./administration/administration.tsx";
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

/** The devices of a user, the password and the deletion of the account. It asks for the account's own password. */
export function ManageAccount({ username, arrival, onArrived, onExport, onClose }: ManageAccountProps) {
  const { account, config, notices, route: router } = useReader();
  const route = useObservable(router);
  const [client, setClient] = useState<ReadingListClient>();
  const [devices, setDevices] = useState<AppPassword[]>([]);
  const [articles, setArticles] = useState<KeptArticles>();
  const [password, setPassword] = useState("");
  const [passkeys, setPasskeys] = useState<Passkey[]>();
  const [isFresh, setFresh] = useState(false);
  const [failure, setFailure] = useState("");

  async function loadPasskeys(password: string) {
    if (config.hasPasskeys) setPasskeys(await listPasskeys(config, { username, password }));
  }
  /** `isFresh`: the password is a token instead of the account's. */
  async function open(password: string, isFresh = false) {
    const opened = account.clientOf(password);
    setDevices(await opened.appPasswords());
    await loadPasskeys(password);
    setFresh(isFresh);
    // A fresh token gives no access to the list.
    setArticles((await account.session.value?.client.stats({ articles: true }))?.articles);
    setPassword(password);
    setClient(opened);
  }
  async function openWith(arrival: Arrival) {
    const { username: name, password } = await exchangeFreshCode(config, arrival);
    if (name === username) await open(password, true);
    else setFailure(say(text.otherUser, { username: name }));
  }
  const fail = (error: unknown) => setFailure(explainFailure(error));
  useEffect(() => {
    onArrived();
    if (arrival?.kind === "fresh") openWith(arrival).catch(fail);
    if (arrival?.kind === "linked") {
      finishLink(config, arrival).then(() => {
        notices.show(text.nowLinked);
        onClose();
      }, fail);
    }
  }, []);
  async function changePassword(read: (field: string) => string) {
    const [password, revokes] = [read("new"), read("revoke") === "on"];
    await client?.changePassword(password, { revokes });
    // A browser with its own app password continues to use it.
    if (passkeys?.length) {
      if (revokes) await account.use(await signInByPasskey(config, { username, password }, account.stays));
    } else if (revokes || account.remembered.id === undefined) await account.renew(password);
    notices.show(text.passwordChanged);
    onClose();
  }
  async function deleteAccount(read: (field: string) => string) {
    await client?.deleteAccount(read("confirm"));
    onClose();
    await account.signOut();
    notices.show(text.deleted);
  }

  const byPasskey = config.hasPasskeys
    ? {
        name: text.continueByPasskey,
        run: async (read: (field: string) => string) =>
          open(await freshByPasskey(config, { username, password: read("password") }), true),
      }
    : undefined;

  if (!client) {
    return (
      // Without a key the next form would have the field with the password that was typed here.
      <Screen key="ask" title={text.title} onClose={onClose}>
        {failure && (
          <p class="error" role="alert">
            {failure}
          </p>
        )}
        {config.signOn && (
          <>
            <p>{text.asksSignOn}</p>
            <button type="button" onClick={() => beginFreshSignOn(config).catch(fail)}>
              {say(text.signOnAgain, { name: config.signOn.name })}
            </button>
          </>
        )}
        {!config.signOn?.isOnly && <p>{text.asksPassword}</p>}
        {/* A form of its own: its typed password must not stand in the form of the new one. */}
        {!config.signOn?.isOnly && (
          <TaskForm key="continue" name={text.continue} run={(read) => open(read("password"))} other={byPasskey}>
            <input name="username" autocomplete="username" value={username} readOnly hidden />
            <Password name="password" label={text.accountPassword} />
          </TaskForm>
        )}
      </Screen>
    );
  }
  const loadDevices = async () => setDevices(await client.appPasswords());
  if (route.section === "administration") return <Administration client={client} onClose={onClose} />;
  return (
    <Screen key="manage" title={text.title} onClose={onClose}>
      <h2>{text.devices}</h2>
      <Devices client={client} devices={devices} onChange={loadDevices} />
      {isFresh && (
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
      {articles && (
        <>
          <h2>{text.articles}</h2>
          <p>
            {say(text.quota, {
              used: formatBytes(articles.bytes),
              quota: formatBytes(articles.quota),
              number: articles.count,
            })}
          </p>
          <p class="hint">{text.articlesHint}</p>
        </>
      )}
      {config.signOn && <SignOnLink username={username} password={password} name={config.signOn.name} />}
      {passkeys && (
        <Passkeys
          passkeys={passkeys}
          credentials={{ username, password }}
          onAdded={(token) => open(token, true)}
          onRemoved={() => loadPasskeys(password)}
        />
      )}
      <h2>{text.password}</h2>
      <TaskForm name={text.changePassword} run={changePassword}>
        <Password name="new" label={text.newPassword} isNew />
        <label class="check">
          <input type="checkbox" name="revoke" />
          {text.revokeAll}
        </label>
      </TaskForm>
      {config.hasOperators && (
        <>
          <h2>{laterTexts.operator.title}</h2>
          <p class="hint">{laterTexts.operator.openHint}</p>
          <TaskForm
            name={laterTexts.operator.open}
            run={async () => {
              await client.callOperator("state");
              location.hash = formatRoute({ ...route, section: "administration" });
            }}
          >
            {null}
          </TaskForm>
        </>
      )}
      <h2>{text.deletion}</h2>
      <p class="hint">{text.deletionHint}</p>
      <button type="button" onClick={onExport}>
        {laterTexts.settings.export}
      </button>
      <TaskForm name={text.deleteAccount} isDangerous run={deleteAccount}>
        <label>
          {say(text.confirm, { username })}
          <input
            name="confirm"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            required
            pattern={username}
          />
        </label>
      </TaskForm>
    </Screen>
  );
}

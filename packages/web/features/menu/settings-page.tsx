// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import { DisplayFields } from "../../kit/display-fields.tsx";
import { LanguageChoice } from "../../kit/language-choice.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { useObservable } from "../../kit/observable.ts";
import { formatRoute } from "../../kit/router.ts";
import { TopBar } from "../../kit/screen.tsx";
import { Segments } from "../../kit/segments.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { say } from "../../kit/texts.ts";
import { KeyboardSettings } from "./shortcuts.tsx";
import { SignOut } from "./sign-out.tsx";
import { ImportButton, WaysToSave } from "./ways-in.tsx";

const text = laterTexts.settings;

/** Version of the service. */
declare const RELEASE: string;

interface SettingsPageProps {
  session: Session;
  /** The section that the address names. */
  section: string | undefined;
  onImport(file: File): void;
  /** Opens the dialog that writes the list to a file. */
  onExport(): void;
  onClose(): void;
}

/** All settings of the user, in sections with their own addresses. */
export function SettingsPage({ section: asked, onClose, ...props }: SettingsPageProps) {
  const { route: router, notices } = useReader();
  const route = useObservable(router);
  const section = sections.find((name) => name === asked) ?? "look";
  const Section = contents[section];
  const links = useRef<HTMLElement>(null);
  useEffect(() => {
    links.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [section]);
  useShortcuts({ Escape: onClose, z: () => notices.undo() });
  return (
    <main class="settings-page">
      <TopBar title={text.title} onClose={onClose} />
      <div class="settings">
        <nav ref={links} class="sections" aria-label={text.title}>
          {sections.map((name) => (
            <a
              key={name}
              href={formatRoute({ ...route, section: name })}
              aria-current={name === section ? "page" : undefined}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                // "Back" leads to the list, not to the section before.
                event.preventDefault();
                router.value = { ...route, section: name };
              }}
            >
              {text.sections[name]}
            </a>
          ))}
        </nav>
        <section aria-labelledby="section-title">
          <h2 id="section-title">{text.sections[section]}</h2>
          <Section {...props} />
        </section>
      </div>
    </main>
  );
}

type SectionProps = Omit<SettingsPageProps, "section" | "onClose">;

const contents = {
  look: Look,
  articles: () => <DisplayFields settings={useReader().settings} />,
  keyboard: KeyboardSettings,
  saving: () => <WaysToSave onManage={useManage()} />,
  data: Data,
  account: Account,
  about: About,
} satisfies Record<keyof typeof text.sections, (props: SectionProps) => ComponentChildren>;
const sections = Object.keys(contents) as (keyof typeof contents)[];

function Look() {
  const { settings } = useReader();
  const { theme, themes, density, densities } = laterTexts.menu;
  return (
    <>
      <Segments name="theme" title={theme} values={themes} settings={settings} />
      <Segments name="density" title={density} values={densities} settings={settings} />
      <LanguageChoice settings={settings} />
    </>
  );
}

function Data({ session, onImport, onExport }: SectionProps) {
  const { notices } = useReader();
  const { importHint, dropHint, refresh, refreshing } = laterTexts.menu;
  return (
    <>
      <ImportButton onImport={onImport} />
      <p class="hint">
        {importHint} <span class="with-mouse">{dropHint}</span>
      </p>
      <button type="button" onClick={onExport}>
        {text.export}
      </button>
      <p class="hint">{text.exportHint}</p>
      <button
        type="button"
        onClick={() => {
          notices.show(refreshing);
          void session.texts.refresh(session.list.items.value ?? []);
        }}
      >
        {refresh}
      </button>
      <p class="hint">{text.refreshHint}</p>
    </>
  );
}

/** Opens the page of the account; "Back" then leads to the list. */
function useManage() {
  const { route: router } = useReader();
  return () => {
    router.value = { ...router.value, page: "account", section: undefined };
  };
}

function Account({ session }: SectionProps) {
  const onManage = useManage();
  return (
    <>
      <button type="button" onClick={onManage}>
        {laterTexts.manage.open}
      </button>
      <p class="hint">{text.accountHint}</p>
      <SignOut session={session} />
    </>
  );
}

function About() {
  const { config } = useReader();
  return (
    <>
      <p>{say(text.version, { version: RELEASE })}</p>
      <p>{text.license}</p>
      {config.hasReference && <a href={new URL("reference/", config.baseUrl).href}>{text.reference}</a>}
    </>
  );
}

// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { openPlace, type Place } from "../data/place.ts";
import { useReader } from "../data/reader.ts";
import type { Session } from "../data/session.ts";
import { useChanges } from "../data/use-changes.ts";
import { useVisibleItems } from "../data/use-visible-items.ts";
import { SyncButton } from "../features/account/sync-status.tsx";
import { ListPage } from "../features/list/list-page.tsx";
import type { Arrival } from "../kit/arrival.ts";
import { useObservable } from "../kit/observable.ts";
import { formatRoute, type Route } from "../kit/router.ts";
import type { SharedRef } from "../kit/shared-page.ts";
import { loadStyles, useLoaded } from "../kit/use-loaded.ts";
import type { ShownDialog } from "./later.tsx";

/** Name of the style sheet for everything after the first rendering; build.ts defines it. */
declare const LATER_STYLES: string;

export interface SignedInProps {
  session: Session;
  shared: SharedRef;
  arrival: Arrival | undefined;
  onArrived(): void;
}

/** The list of the user, an article, or another page. */
export function SignedIn({ session, shared, arrival, onArrived }: SignedInProps) {
  const { route: router, settings, notices } = useReader();
  useState(() => {
    if (arrival) router.value = { view: "unread", page: "account" };
  });
  const route = useObservable(router);
  const isInCards = useObservable(settings).density === "cards";
  const visible = useVisibleItems(session);
  const change = useChanges(session);
  const place = useMemo(openPlace, []);
  const cameFromList = useRef(false);
  const [dialog, setDialog] = useState<ShownDialog>();
  const reading = useLoaded(() => import("./open-article.tsx"));
  const hasStyles = useLoaded(() => loadStyles(LATER_STYLES));
  const later = useLoaded(() => import("./later.tsx"));

  useRejections(session);
  useEffect(() => later?.receivePages(shared, session, change, setDialog), [session, later]);
  const hasRows = visible.shown.length > 0;
  useEffect(() => {
    if (hasRows) later?.list.hintAtSwipes();
  }, [later, hasRows]);
  // The next user of this page starts with the list, and cannot undo the actions of this user.
  useEffect(
    () => () => {
      notices.forgetSteps();
      router.value = { view: "unread" };
    },
    [session, notices],
  );

  const isReading = route.article !== undefined;
  useEffect(() => {
    session.syncer.isListShown = !isReading;
  }, [session, isReading]);

  if (route.article === undefined && !route.page) cameFromList.current = true;
  const close = () => {
    const goesBack = cameFromList.current;
    // A second key before the list is shown must not leave the reader.
    cameFromList.current = false;
    if (goesBack) history.back();
    else router.value = { ...route, article: undefined, mark: undefined, page: undefined, section: undefined };
  };
  const openPage = (page: Route["page"]) => {
    location.hash = formatRoute({ view: route.view, page });
  };
  const opened = later && dialog && (
    <later.OpenedDialog dialog={dialog} session={session} visible={visible} change={change} onDialog={setDialog} />
  );
  if (route.article === undefined && route.page && visible.all !== undefined) {
    if (!later || !hasStyles) return null;
    return (
      <>
        <later.Page
          route={route}
          visible={visible}
          session={session}
          change={change}
          arrival={arrival}
          onArrived={onArrived}
          onDialog={setDialog}
          onClose={close}
        />
        {opened}
      </>
    );
  }
  if (route.article === undefined || visible.all === undefined) {
    // The sheet has the cards: the rows would become cards on the screen.
    if (isInCards && !hasStyles) return null;
    return (
      <ScrolledPage place={place}>
        <ListPage
          session={session}
          visible={visible}
          change={change}
          place={place}
          tools={
            <>
              <SyncButton session={session} />
              {later && <later.Menu session={session} onShortcuts={() => setDialog("shortcuts")} onPage={openPage} />}
            </>
          }
          firstSteps={(add) =>
            later && <later.FirstSteps onAdd={add} onImport={setDialog} onManage={() => openPage("account")} />
          }
          onShortcuts={() => setDialog("shortcuts")}
          later={later?.list}
        />
        {opened}
      </ScrolledPage>
    );
  }
  const item = visible.all.find(({ url }) => url === route.article);
  if (!item) return later ? <later.list.Unlisted url={route.article} change={change} onClose={close} /> : null;
  if (!reading || !later || !hasStyles) return null;
  return (
    <reading.OpenArticle
      item={item}
      session={session}
      visible={visible}
      change={change}
      place={place}
      ChangeDialog={later.list.ChangeDialog}
      onClose={close}
    />
  );
}

/** Shows why the service has rejected a change of this device. */
function useRejections(session: Session): void {
  const { notices } = useReader();
  useEffect(() => {
    const show = async (reason: string, url?: string) => {
      const { explainRejection } = await import("../kit/explain-failure.ts");
      notices.show(explainRejection(reason, url));
    };
    session.onRejected = ({ url }, reason) => void show(reason, url);
    session.onMarkRejected = (reason) => void show(reason);
  }, [session, notices]);
}

/** A page that returns to its place. In the layout phase: an article begins at its top, which is another place. */
function ScrolledPage({ place, children }: { place: Place; children: ComponentChildren }) {
  useLayoutEffect(() => {
    scrollTo(0, place.scrolled);
    const remember = () => {
      place.scrolled = scrollY;
    };
    addEventListener("scroll", remember, { passive: true });
    return () => removeEventListener("scroll", remember);
  }, []);
  return <>{children}</>;
}

/** What a list shows of a page beside its times. */
export interface PageContent {
  title: string;
  tags: string;
  state: "0" | "1";
}

interface Version {
  content: PageContent | undefined;
  /** When its write was sent, and when its success was heard; milliseconds of `performance.now()`. */
  sent: number;
  acknowledged: number;
}

/** Versions of a page that are remembered: more than it can have while one `get` is under way. */
const versionsKept = 12;

const notThere: Version = {
  content: undefined,
  sent: Number.NEGATIVE_INFINITY,
  acknowledged: Number.NEGATIVE_INFINITY,
};

/** What one user's list must hold, by URL, with enough of the past to judge a `get` that ran beside writes. */
export class ListModel {
  readonly #versions = new Map<string, Version[]>();

  urls(): string[] {
    return [...this.#versions.keys()];
  }

  /** What a page is once every write is acknowledged; undefined where it is not in the list. */
  contentOf(url: string): PageContent | undefined {
    return this.#versionsOf(url).at(-1)?.content;
  }

  /** Notes that a write is on its way; gives what is to be called once it is acknowledged. */
  change(contents: ReadonlyMap<string, PageContent>): () => void {
    const versions = [...contents].map(([url, content]) => {
      const version = { content, sent: performance.now(), acknowledged: Number.POSITIVE_INFINITY };
      this.#versions.set(url, [...this.#versionsOf(url), version].slice(-versionsKept));
      return version;
    });
    return () => {
      for (const version of versions) version.acknowledged = performance.now();
    };
  }

  /** Whether a `get` between two moments may show a page so: as acknowledged before it began, or as written since. */
  mayShow(url: string, content: PageContent | undefined, begin: number, end: number): boolean {
    return this.#versionsOf(url).some((version, i, all) => {
      const isReplaced = all.slice(i + 1).some(({ acknowledged }) => acknowledged < begin);
      return !isReplaced && version.sent <= end && isSame(version.content, content);
    });
  }

  /** Whether nothing was written to a page from one moment on. */
  isUntouchedSince(url: string, begin: number): boolean {
    return this.#versionsOf(url).every(({ acknowledged }) => acknowledged < begin);
  }

  #versionsOf(url: string): Version[] {
    return this.#versions.get(url) ?? [notThere];
  }
}

const isSame = (a: PageContent | undefined, b: PageContent | undefined) =>
  a?.title === b?.title && a?.tags === b?.tags && a?.state === b?.state;

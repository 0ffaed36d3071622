// SPDX-License-Identifier: MIT

export const count = (number: number, one: string, many = `${one}s`) =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
export const pages = (number: number) => count(number, "page");

/** The texts of the first load; english-later.ts has all others. A translation is two files like these. */
export const english = {
  name: "Reading list",
  notStarted:
    "The reader cannot start. Check the connection, and that this browser stores data of web pages; then reload.",
  close: "Close",
  length: (most: number) => `1 to ${most.toLocaleString("en")} characters`,
  storage: {
    full: "There is no space left for this site. Free some on the disk, or sign out to delete cached texts, then try again.",
    refused:
      "This browser stores no data for this site. Allow cookies and site data for it, or leave private browsing, then reload.",
    closed: "The browser has closed or deleted the data of this site. Reload the page.",
  },
  save: "Save",
  undo: "Undo",
  list: {
    unread: "Unread",
    archive: "Archive",
    archived: "Archived",
    found: "Found",
    savedSearches: "Saved searches",
    search: "Search",
    searchHint: 'Words, "phrases", -without, tag: site: is:starred added:2025',
    star: "Star",
    unstar: "Remove star",
    starred: "Starred",
    share: "Read so far",
    taggedWith: (tag: string) => `Tagged “${tag}”`,
    tags: "Tags",
    select: "Select",
    selectItem: (title: string) => `Select “${title}”`,
    selectAll: "Select all",
    selected: (number: number) => `${number.toLocaleString("en")} selected`,
    done: "Done",
    markRead: "Archive",
    markUnread: "Mark unread",
    edit: "Edit",
    addTags: "Add tags",
    delete: "Delete",
    minutes: (minutes: number) => {
      const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
      return [hours && `${hours} h`, rest && `${rest} min`].filter(Boolean).join(" ");
    },
    pending: "Not sent yet",
    nothing: "Nothing to read",
    nothingArchived: "Nothing in the archive",
    nothingFound: "Nothing found",
    unlisted: "This page is not in your list.",
    back: "Back to the list",
    loading: "Loading your list…",
    label: (view: string, number: number) => `${view}, ${pages(number)}`,
  },
  filters: {
    title: "Order and filters",
    everything: "Everything",
    starred: "Starred",
    untagged: "Without tags",
    lengths: { short: "Up to 5 minutes", medium: "6 to 20 minutes", long: "More than 20 minutes" },
    end: (filter: string) => `Remove filter ${filter}`,
    editTag: "Rename or delete tag",
  },
  add: {
    title: "Add a page",
  },
  notices: {
    added: "Page added",
    addedMany: (number: number) => `${pages(number)} added`,
    known: "In your list already",
    archived: (number: number) => `${pages(number)} archived`,
    unread: (number: number) => `${pages(number)} marked unread`,
    restored: (number: number) => `${pages(number)} restored`,
    deleted: (number: number) => `${pages(number)} deleted`,
    changed: (number: number) => `${pages(number)} changed`,
    undone: (step: string, before: string | undefined) => `Undone: ${step}${before ? `. Before it: ${before}` : ""}`,
    nothingToUndo: "Nothing to undo",
    rejected: (url: string, reason: string) => `The service refused a change of ${url}: ${reason}`,
    markRejected: (reason: string) => `The service refused a mark, which stays on this device: ${reason}`,
    failed: "That did not work. Your list is unchanged.",
    newVersion: "A new version of the reader is ready",
    reload: "Reload",
  },
  sync: {
    upToDate: "Up to date",
    syncing: "Syncing…",
    offline: "Offline",
    failed: "Not synced",
    unsent: (number: number) => `${count(number, "change")} to send`,
    never: "Not synced yet",
  },
};

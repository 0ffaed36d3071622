// SPDX-License-Identifier: MIT

/** Marks a file as a database of this service (SQLite's `application_id`): "RdLs". */
export const applicationId = 0x52644c73;

/**
 * The migrations from each version of the schema (`user_version`) to the next; the first turns an empty file into a
 * database. Never change a released migration; add another one.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    username TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    password_hash TEXT,
    user_since INTEGER NOT NULL,
    count_unread INTEGER NOT NULL DEFAULT 0,
    count_read INTEGER NOT NULL DEFAULT 0,
    last_since INTEGER NOT NULL DEFAULT 0,
    changed_at INTEGER NOT NULL DEFAULT 0,
    deleted_at INTEGER NOT NULL DEFAULT 0,
    revision INTEGER NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0,
    window_start INTEGER NOT NULL DEFAULT 0,
    walks TEXT,
    unfinished TEXT,
    deleting_since INTEGER,
    moving TEXT,
    moved TEXT
  ) STRICT;

  -- kind: 0 unread, 1 read, 2 deleted. A title that is the URL, and empty tags, are NULL.
  CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    user INTEGER NOT NULL,
    item_id INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    time_updated INTEGER NOT NULL,
    change INTEGER NOT NULL,
    time_added INTEGER NOT NULL,
    application TEXT NOT NULL,
    url TEXT NOT NULL,
    title TEXT,
    tags TEXT,
    ref_id TEXT,
    former_applications TEXT
  ) STRICT;
  CREATE UNIQUE INDEX items_by_id ON items (user, item_id);
  CREATE INDEX items_by_time ON items (user, kind, time_updated, change, application);
  CREATE INDEX deletions_by_time ON items (time_updated) WHERE kind = 2;

  CREATE TABLE api_keys (
    key_hash TEXT PRIMARY KEY,
    application_id TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    user_limit INTEGER,
    key_limit INTEGER,
    is_public INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL,
    replaced INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE key_windows (
    id TEXT NOT NULL,
    window_start INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    PRIMARY KEY (id, window_start)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE login_attempts (
    username TEXT NOT NULL,
    source TEXT NOT NULL,
    expires INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    PRIMARY KEY (username, source)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE users ADD COLUMN last_number INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE items ADD COLUMN number INTEGER;
  CREATE UNIQUE INDEX items_by_number ON items (user, number) WHERE number IS NOT NULL;
  `,
  `
  -- App passwords and OAuth sign-ins. user: the id of the user's row.
  CREATE TABLE sign_ins (
    user INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    time_created INTEGER NOT NULL,
    time_used INTEGER NOT NULL DEFAULT 0,
    secret_hash TEXT NOT NULL,
    expires INTEGER,
    refresh_hash TEXT,
    refresh_expires INTEGER,
    PRIMARY KEY (user, id)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX sign_ins_by_secret ON sign_ins (user, secret_hash);
  `,
  `
  -- Their counts are those of the table articles.
  ALTER TABLE users ADD COLUMN articles INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE users ADD COLUMN article_bytes INTEGER NOT NULL DEFAULT 0;

  -- user: user_id of users, which no later user has.
  CREATE TABLE articles (
    id INTEGER PRIMARY KEY,
    user TEXT NOT NULL,
    item_id INTEGER NOT NULL,
    content BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX articles_by_item ON articles (user, item_id);
  `,
  `
  -- Unused since 0.4.0: the ends of pages are in walks.
  ALTER TABLE users ADD COLUMN page_ends TEXT;
  -- The last repair of a clock that was ahead (UserClock.repaired).
  ALTER TABLE users ADD COLUMN repaired TEXT;
  -- The refresh tokens before (RefreshToken.former).
  ALTER TABLE sign_ins ADD COLUMN former TEXT;
  `,
  `
  -- Users who were deleted, by user_id: a restore of an earlier backup leaves them out.
  CREATE TABLE deleted_users (user_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  `,
  `
  -- trashed_state: of a deleted item that can be restored, 0 or 1 (Item.trashedState). progress: JSON.
  ALTER TABLE items ADD COLUMN trashed_state INTEGER;
  ALTER TABLE items ADD COLUMN continues INTEGER;
  ALTER TABLE items ADD COLUMN progress TEXT;
  ALTER TABLE items ADD COLUMN time_of_content INTEGER;
  CREATE INDEX trash_by_time ON items (time_updated, user) WHERE trashed_state IS NOT NULL;
  `,
  `
  -- The snapshots of queries that apps page through (ListSnapshot). user: user_id of users. ids: 8 bytes for each item.
  CREATE TABLE walks (
    user TEXT NOT NULL,
    sign_in TEXT NOT NULL,
    name TEXT NOT NULL,
    started INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    ids BLOB NOT NULL,
    PRIMARY KEY (user, sign_in, name)
  ) STRICT;
  `,
  `
  -- UserClock.highlightsAt; the number of highlights, also of items in the trash.
  ALTER TABLE users ADD COLUMN highlights_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE users ADD COLUMN highlights INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE items ADD COLUMN has_highlights INTEGER;
  ALTER TABLE items ADD COLUMN highlights_told_at INTEGER;
  CREATE INDEX items_told_by_time ON items (user, highlights_told_at) WHERE highlights_told_at IS NOT NULL;

  -- Highlights of items, also of those in the trash. user: the id of the user's row. is_deleted: a tombstone.
  CREATE TABLE highlights (
    id INTEGER PRIMARY KEY,
    user INTEGER NOT NULL,
    highlight_id TEXT NOT NULL,
    item_id INTEGER NOT NULL,
    is_deleted INTEGER NOT NULL,
    time_updated INTEGER NOT NULL,
    change INTEGER NOT NULL,
    time_created INTEGER NOT NULL,
    quote TEXT NOT NULL,
    prefix TEXT NOT NULL,
    suffix TEXT NOT NULL,
    position INTEGER,
    color TEXT NOT NULL,
    note TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX highlights_by_id ON highlights (user, highlight_id);
  CREATE INDEX highlights_by_time ON highlights (user, is_deleted, time_updated, change);
  CREATE INDEX highlights_by_item ON highlights (user, item_id, highlight_id) WHERE is_deleted = 0;
  CREATE INDEX deleted_highlights_by_time ON highlights (time_updated) WHERE is_deleted = 1;
  `,
  `
  -- Scope; full if absent.
  ALTER TABLE sign_ins ADD COLUMN scope TEXT;
  `,
  `
  -- users.last_number is the greatest number of its items and highlights.
  ALTER TABLE highlights ADD COLUMN number INTEGER;
  CREATE UNIQUE INDEX highlights_by_number ON highlights (user, number) WHERE number IS NOT NULL;
  `,
  `
  -- Codes of apps that sign in by OAuth (Authorization). content: JSON.
  CREATE TABLE authorizations (
    id TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    kept_until INTEGER NOT NULL,
    content TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The only API that a sign-in opens; all if absent.
  ALTER TABLE sign_ins ADD COLUMN audience TEXT;
  `,
  `
  -- Bytes of the table pictures.
  ALTER TABLE users ADD COLUMN picture_bytes INTEGER NOT NULL DEFAULT 0;

  -- The files of pictures. user: user_id of users. hash: SHA-256 in hexadecimal, the name of the file.
  CREATE TABLE pictures (
    user TEXT NOT NULL,
    hash TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (user, hash)
  ) STRICT, WITHOUT ROWID;

  -- ArticlePicture.
  CREATE TABLE article_pictures (
    user TEXT NOT NULL,
    item_id INTEGER NOT NULL,
    url TEXT NOT NULL,
    hash TEXT,
    tries INTEGER NOT NULL,
    retry_at INTEGER,
    PRIMARY KEY (user, item_id, url)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX article_pictures_by_hash ON article_pictures (user, hash) WHERE hash IS NOT NULL;
  `,
  `
  -- UserClock.keptAt, User.keepsPages, User.keeping. noted_…: the state of the list whose changes are noted in kept_pages.
  ALTER TABLE users ADD COLUMN kept_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE users ADD COLUMN keeps_pages INTEGER;
  ALTER TABLE users ADD COLUMN keeping TEXT;
  ALTER TABLE users ADD COLUMN noted_revision INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE users ADD COLUMN noted_up_to INTEGER NOT NULL DEFAULT 0;

  -- What is known of the texts of pages (KeptPage). user: user_id of users. state: 0 kept, 1 waiting, 2 failed.
  CREATE TABLE kept_pages (
    id INTEGER PRIMARY KEY,
    user TEXT NOT NULL,
    item_id INTEGER NOT NULL,
    state INTEGER NOT NULL,
    error TEXT NOT NULL,
    tries INTEGER NOT NULL,
    next_try INTEGER,
    site TEXT NOT NULL,
    is_asked INTEGER NOT NULL,
    words INTEGER,
    excerpt TEXT,
    image TEXT,
    time_added INTEGER NOT NULL,
    time_updated INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX kept_pages_by_item ON kept_pages (user, item_id);
  CREATE INDEX kept_pages_by_time ON kept_pages (user, time_updated, item_id);
  CREATE INDEX kept_pages_by_state ON kept_pages (user, state, item_id);
  CREATE INDEX kept_pages_by_work ON kept_pages (user, next_try, state, site) WHERE next_try IS NOT NULL;
  `,
  `
  ALTER TABLE users ADD COLUMN is_operator INTEGER NOT NULL DEFAULT 0;

  -- OperatorLink. user: user_id of users; an invitation has none.
  CREATE TABLE operator_links (
    id TEXT PRIMARY KEY,
    secret_hash TEXT NOT NULL UNIQUE,
    user TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Identity. user: user_id of users.
  CREATE TABLE identities (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    user TEXT NOT NULL,
    PRIMARY KEY (issuer, subject)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX identities_by_user ON identities (user);
  `,
  `
  ALTER TABLE users ADD COLUMN passkeys INTEGER NOT NULL DEFAULT 0;

  -- Passkey. user: user_id of users. transports: JSON.
  CREATE TABLE passkeys (
    user TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    public_key BLOB NOT NULL,
    counter INTEGER NOT NULL,
    transports TEXT NOT NULL,
    time_created INTEGER NOT NULL,
    time_used INTEGER NOT NULL,
    PRIMARY KEY (user, id)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- UserClock.firstSyncUpTo.
  ALTER TABLE users ADD COLUMN first_sync_up_to INTEGER;
  `,
  `
  -- Share. user: user_id of users. content: JSON.
  CREATE TABLE shares (
    token TEXT PRIMARY KEY,
    user TEXT NOT NULL,
    id TEXT NOT NULL,
    content TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX shares_by_user ON shares (user, id);
  `,
  `
  -- User.isSuspended. is_operator is 2 for a user who has those rights by a claim of single sign-on alone.
  ALTER TABLE users ADD COLUMN is_suspended INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- UserCalls.
  ALTER TABLE users ADD COLUMN public_calls INTEGER NOT NULL DEFAULT 0;
  `,
];

// SPDX-License-Identifier: MIT

/**
 * The parts of the suites: `npm test` runs the quick ones, `npm run test:all` these, too, and CI each in a job of its own.
 * Every other test file is quick, so that a new one is never left out.
 */
export const parts = {
  /** The web reader, the extension and the pages that a browser shows. */
  browsers: ["tests/{article,reference,web}/**/*-in-{browsers,chromium}.test.ts", "tests/extension/*.test.ts"],
  /** The bundles of a stage, called as Lambda calls them, with the grants of its functions. */
  bundles: ["tests/stacks/bundles/*.test.ts"],
  /** Bombs, storms, random models, walks for secrets, simulated weeks, and installations on a system. */
  slow: [
    "tests/article/epubcheck.test.ts",
    "tests/article/processes/*.test.ts",
    "tests/client/{package,storms}.test.ts",
    "tests/core/{deep-pages,highlight-properties,pages-of-a-day,sync-properties}.test.ts",
    "tests/deploy/*.test.ts",
    "tests/http/fuzz/parameters.test.ts",
    "tests/http/watch/secrecy.test.ts",
    "tests/local/shutdown.test.ts",
    "tests/ops/encrypted-backups.test.ts",
    "tests/stacks/alarm-simulations.test.ts",
    "tests/store-dynamodb/import-storm.test.ts",
    "tests/store-sqlite/power-cuts.test.ts",
    "tests/system/{belongings-model,bounds}.test.ts",
    "tests/system/faults/*.test.ts",
  ],
};

/**
 * Tests whose result depends on the database: they run on SQLite, and once more on a DynamoDB. The slow ones are among
 * those of the part `slow`.
 */
export const onEachDatabase = {
  quick: [
    "tests/core/{trash,progress,highlights,items,counted-items,item-numbers,kept-articles,kept-pages,kept-pictures,sync,deletions,account,signup,sharing,app-passwords,scopes,keys-users-limits,list-walks,restored-lists}.test.ts",
    "tests/core/{send-model,page-properties}.test.ts",
    "tests/ops/{archives,articles-keep,doctor-of-lists,highlights-in-files,import-texts,trash,users,keys,repair-clock}.test.ts",
    "tests/protocols/{oidc,passkeys,feeds/feeds,feeds/secret,kobo/items,mcp/tools,opds/catalog,readeck/pages,readeck/oauth/*}.test.ts",
    "tests/protocols/wallabag/{annotations,sync}.test.ts",
  ],
  slow: ["tests/core/{highlight-properties,pages-of-a-day}.test.ts", "tests/system/belongings-model.test.ts"],
};

/**
 * Tests for AWS's own DynamoDB Local: each command that the store sends, with each of its conditions, is in one of them.
 * The others, random models among them, send the same commands to the embedded one, which is several times as fast.
 */
export const onDynamodbLocal = [
  // The subject of the others is the clock, the cache, and failures that the test makes; or they are long random runs.
  "tests/store-dynamodb/!(clock-lead|faults|import-storm|unknown-api-keys).test.ts",
  "tests/core/{trash,highlights,items,counted-items,item-numbers,kept-articles,kept-pictures,sync,deletions,account,sharing,app-passwords,keys-users-limits,restored-lists}.test.ts",
  "tests/ops/{archives,articles-keep,doctor-of-lists,users,keys,repair-clock,recount,export,move}.test.ts",
  "tests/protocols/{readeck/oauth/attacks,wallabag/annotations}.test.ts",
];

// SPDX-License-Identifier: MIT

/// <reference path="./.sst/platform/config.d.ts" />

export default $config({
  async app({ stage }) {
    const { keepsData } = await import("@reading-list/store-dynamodb/table-definition.ts");
    const { createTags } = await import("./stacks/settings.ts");
    const keep = keepsData(stage);
    return {
      name: "reading-list",
      home: "aws",
      protect: keep,
      removal: keep ? "retain" : "remove",
      providers: { aws: { defaultTags: { tags: createTags(stage) } }, random: "4.16.6" },
    };
  },

  async run() {
    const { nameOfCommit, readStageSettings } = await import("./stacks/settings.ts");
    const { createTable } = await import("./stacks/table.ts");
    const { createTextBucket } = await import("./stacks/derived-buckets.ts");
    const { createKeptBucket } = await import("./stacks/kept-bucket.ts");
    const { createEdge } = await import("./stacks/edge.ts");
    const { createHttpApi } = await import("./stacks/http-api.ts");
    const { createExtractionFunction, createImagingFunction, createIndexingFunction } = await import(
      "./stacks/functions.ts"
    );
    const { createIndexBucket } = await import("./stacks/derived-buckets.ts");
    const { createDeletions } = await import("./stacks/deletions.ts");
    const { createKeeping } = await import("./stacks/keeping.ts");
    const { createProbe } = await import("./stacks/probe.ts");
    const { createCanary } = await import("./stacks/canary.ts");
    const { createWebReader } = await import("./stacks/web.ts");
    const { createContainerPolicy } = await import("./stacks/container.ts");
    const { createObservability } = await import("./stacks/observability.ts");

    const { keepsData } = await import("@reading-list/store-dynamodb/table-definition.ts");
    const { readConcurrency, warnOfReservations } = await import("./stacks/concurrency.ts");

    const reservesConcurrency = keepsData($app.stage) && !$dev;
    const isRead = reservesConcurrency && !process.env.ACCOUNT_CONCURRENCY;
    const concurrency = isRead ? await readConcurrency(`${$app.name}-${$app.stage}-`) : undefined;
    const settings = readStageSettings($app.stage, { RELEASE: nameOfCommit(), ...process.env }, concurrency);
    const warning = warnOfReservations(settings.accountConcurrency, settings.reservedConcurrency);
    if (reservesConcurrency && warning) console.warn(warning);
    const edge = settings.edge && createEdge(settings.edge);
    const texts = createTextBucket();
    // The reader has the addresses of the APIs, and their functions that of the reader.
    const reader = Promise.withResolvers<$util.Output<string> | undefined>();
    const textUrl = Promise.withResolvers<$util.Output<string>>();
    const indexStorage = {
      table: createTable(settings),
      articles: createKeptBucket("Articles", settings),
      pictures: createKeptBucket("Pictures", settings),
      indexes: createIndexBucket(),
    };
    const storage = {
      ...indexStorage,
      texts,
      extraction: createExtractionFunction(settings),
      imaging: createImagingFunction(settings),
      indexing: createIndexingFunction(indexStorage, settings),
      proofSecret: new random.RandomPassword("ProofSecret", { length: 43, special: false }).result,
      edgeSecret: edge?.secret,
      readerUrl: $output(reader.promise),
      textUrl: $output(textUrl.promise),
    };
    const main = createHttpApi("main", storage, edge, settings);
    const text = createHttpApi("text", storage, edge, settings);
    textUrl.resolve(text.url);
    const web = createWebReader(main, text, settings);
    reader.resolve(web?.url);
    const deletions = createDeletions(storage, settings);
    const keeping = createKeeping(storage, settings);
    const functions = [main, text].flatMap((api) => Object.values(api.functions));
    const distributions = [main, text].flatMap(({ distribution }) => distribution ?? []);
    const probe = createProbe(main, text, storage, settings);
    const others = [
      storage.extraction,
      storage.imaging,
      storage.indexing,
      deletions,
      keeping,
      ...(probe ? [probe] : []),
    ];
    const moved = [...functions, ...others];
    const canary = createCanary(moved, storage, distributions, settings);
    createObservability({ main, text }, [...moved, canary], storage.table, settings);
    return {
      baseUrl: main.url,
      ...(main.dnsTarget && { baseDnsTarget: main.dnsTarget }),
      textUrl: text.url,
      ...(text.dnsTarget && { textDnsTarget: text.dnsTarget }),
      ...(web && { webUrl: web.url }),
      ...(web?.dnsTarget && { webDnsTarget: web.dnsTarget }),
      tableName: storage.table.name,
      containerPolicy: createContainerPolicy(storage).arn,
      ...(reservesConcurrency && warning && { warning }),
    };
  },
});

/// <reference path="./.sst/platform/config.d.ts" />

export default $config({
  async app({ stage }) {
    const { keepsData } = await import("@reading-list/store/table-definition.ts");
    const { tagsOf } = await import("./stacks/settings.ts");
    const keep = keepsData(stage);
    return {
      name: "reading-list",
      home: "aws",
      protect: keep,
      removal: keep ? "retain" : "remove",
      providers: { aws: { defaultTags: { tags: tagsOf(stage) } } },
    };
  },

  async run() {
    const { readStageSettings } = await import("./stacks/settings.ts");
    const { createTable } = await import("./stacks/table.ts");
    const { createTextBucket } = await import("./stacks/text-bucket.ts");
    const { createMainApi } = await import("./stacks/api.ts");
    const { createTextApi } = await import("./stacks/text.ts");
    const { createReferencePage } = await import("./stacks/reference.ts");
    const { createWebReader } = await import("./stacks/web.ts");
    const { createObservability } = await import("./stacks/observability.ts");

    const settings = readStageSettings($app.stage, process.env);
    const storage = { table: createTable(settings), texts: createTextBucket() };
    const main = createMainApi(storage, settings);
    const text = createTextApi(storage, settings);
    createReferencePage(main, text);
    const web = createWebReader(main, text, settings);
    createObservability({ main, text }, storage.table, settings);
    return {
      baseUrl: main.api.url,
      ...(main.dnsTarget && { baseDnsTarget: main.dnsTarget }),
      textUrl: text.api.url,
      ...(text.dnsTarget && { textDnsTarget: text.dnsTarget }),
      ...(web && { webUrl: web.url }),
      ...(web?.dnsTarget && { webDnsTarget: web.dnsTarget }),
      tableName: storage.table.name,
    };
  },
});

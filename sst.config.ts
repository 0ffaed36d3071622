/// <reference path="./.sst/platform/config.d.ts" />

export default $config({
  async app({ stage }) {
    const { keepsData } = await import("./stacks/settings.ts");
    const keep = keepsData(stage);
    return { name: "reading-list", home: "aws", protect: keep, removal: keep ? "retain" : "remove" };
  },

  async run() {
    const { readStageSettings } = await import("./stacks/settings.ts");
    const { createTable } = await import("./stacks/table.ts");
    const { createMainApi } = await import("./stacks/api.ts");
    const { createTextApi } = await import("./stacks/text.ts");

    const settings = readStageSettings($app.stage, process.env);
    const table = createTable(settings);
    const main = createMainApi(table, settings);
    const text = createTextApi(table, settings);
    return { baseUrl: main.url, textUrl: text.url, tableName: table.name };
  },
});

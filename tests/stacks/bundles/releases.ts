// SPDX-License-Identifier: MIT

import type { RequestListener } from "node:http";
import { linesOf } from "../../http/watch/output.ts";
import { type Evaluation, resourcesOf } from "../evaluate.ts";

/** An alias as Lambda answers it. */
interface Alias {
  FunctionVersion: string;
  RoutingConfig: { AdditionalVersionWeights: Record<string, number> };
  RevisionId: string;
}

interface Metric {
  Namespace: string;
  MetricName: string;
  Dimensions: { Name: string; Value: string }[];
}

interface Directive {
  Namespace: string;
  Dimensions: string[][];
  Metrics: { Name: string }[];
}

/** The log output of a version of a function, or of all. */
type OutputOf = (...functionAndVersion: string[]) => Promise<string>;

/** The aliases and versions of a stage's functions, and the metrics of the versions. */
export class Releases {
  /** By the full name of the function. */
  readonly aliases: ReadonlyMap<string, Alias>;
  /** The numbers of the versions of each function: at first, those of seven deployments. */
  readonly versions: ReadonlyMap<string, Set<string>>;
  /** Runs before CloudWatch answers. */
  beforeMetrics: () => Promise<void> = async () => {};
  readonly #calls = new Map<string, number>();
  readonly #crashes = new Map<string, number>();
  readonly #outputOf: OutputOf;

  constructor(evaluation: Evaluation, outputOf: OutputOf) {
    this.aliases = new Map(
      resourcesOf(evaluation, "lambda/alias:Alias").map(({ inputs }) => [
        String(inputs.functionName),
        {
          FunctionVersion: String(inputs.functionVersion),
          RoutingConfig: { AdditionalVersionWeights: {} },
          RevisionId: "0",
        },
      ]),
    );
    this.versions = new Map(
      [...this.aliases].map(([name, { FunctionVersion }]) => [
        name,
        new Set(Array.from({ length: Number(FunctionVersion) }, (_, index) => String(index + 1))),
      ]),
    );
    this.#outputOf = outputOf;
  }

  #aliasOf(functionName: string): Alias {
    const alias = this.aliases.get(functionName);
    if (!alias) throw new Error(`${functionName} has no alias`);
    return alias;
  }

  /** The version that serves the next call; that with a weight serves exactly its share. */
  nextVersion(functionName: string): string {
    const { FunctionVersion, RoutingConfig } = this.#aliasOf(functionName);
    const [[version, weight] = ["", 0]] = Object.entries(RoutingConfig.AdditionalVersionWeights);
    const calls = this.#calls.get(functionName) ?? 0;
    this.#calls.set(functionName, calls + 1);
    return Math.floor((calls + 1) * weight) > Math.floor(calls * weight) ? version : FunctionVersion;
  }

  /** Counts a call that ended without an answer. */
  noteCrash(functionName: string, version: string): void {
    const crashes = this.#crashes.get(`${functionName} ${version}`) ?? 0;
    this.#crashes.set(`${functionName} ${version}`, crashes + 1);
  }

  /** Answers `GetAlias`, and with a body `UpdateAlias`: a status, and a text in JSON. */
  answerAlias(functionName: string, body: string): [status: number, text: string] {
    const alias = this.#aliasOf(functionName);
    if (body) {
      const { RevisionId, ...changes } = JSON.parse(body);
      if (RevisionId !== undefined && RevisionId !== alias.RevisionId) return [412, "{}"];
      Object.assign(alias, changes, { RevisionId: String(Number(alias.RevisionId) + 1) });
    }
    return [200, JSON.stringify(alias)];
  }

  /** Answers `ListAliases` in JSON. */
  listAliases(functionName: string): string {
    return JSON.stringify({ Aliases: [this.#aliasOf(functionName)] });
  }

  /** Answers `ListVersionsByFunction` in JSON. */
  listVersions(functionName: string): string {
    const versions = ["$LATEST", ...(this.versions.get(functionName) ?? [])];
    return JSON.stringify({ Versions: versions.map((Version) => ({ Version })) });
  }

  /** Answers `DeleteFunction`: a status. Lambda refuses `$LATEST`, and a version of an alias. */
  deleteVersion(functionName: string, version: string | null): number {
    const { FunctionVersion, RoutingConfig } = this.#aliasOf(functionName);
    const aliased = [FunctionVersion, ...Object.keys(RoutingConfig.AdditionalVersionWeights)];
    if (!version || aliased.includes(version)) return 409;
    return this.versions.get(functionName)?.delete(version) ? 204 : 404;
  }

  /** CloudWatch's API. */
  readonly metrics: RequestListener = async (message, response) => {
    const { MetricDataQueries, StartTime, EndTime } = JSON.parse((await message.toArray()).join(""));
    // The hour before a release has no data; the first of two questions is that for failures.
    const isBefore = EndTime - StartTime === 3600;
    if (MetricDataQueries[0]?.Id.startsWith("next0")) await this.beforeMetrics();
    const results = MetricDataQueries.map(
      async ({ Id, MetricStat }: { Id: string; MetricStat: { Metric: Metric } }) => {
        const value = isBefore ? 0 : await this.#valueOf(MetricStat.Metric);
        return { Id, StatusCode: "Complete", Values: value === 0 ? [] : [value], Timestamps: [] };
      },
    );
    response.writeHead(200, { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify({ MetricDataResults: await Promise.all(results), Messages: [] }));
  };

  async #valueOf({ Namespace, MetricName, Dimensions }: Metric): Promise<number> {
    const dimensions = Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value]));
    if (Namespace === "AWS/Lambda") {
      const { FunctionName, Resource, ExecutedVersion } = dimensions;
      if (MetricName !== "Errors" || Resource !== `${FunctionName}:live`) throw new Error(`no metric ${MetricName}`);
      return this.#crashes.get(`${FunctionName} ${ExecutedVersion}`) ?? 0;
    }
    const names = Object.keys(dimensions).sort().join();
    const isOfMetric = (each: Directive) =>
      each.Namespace === Namespace &&
      each.Dimensions.some((set) => [...set].sort().join() === names) &&
      each.Metrics.some(({ Name }) => Name === MetricName);
    const { function: name, version } = dimensions;
    const output = await (name && version ? this.#outputOf(name, version) : this.#outputOf());
    const lines = linesOf(output).filter(
      (line) =>
        Object.entries(dimensions).every(([name, value]) => line[name] === value) &&
        (line._aws as { CloudWatchMetrics: Directive[] } | undefined)?.CloudWatchMetrics.some(isOfMetric),
    );
    return lines.reduce((sum, line) => sum + Number(line[MetricName]), 0);
  }
}

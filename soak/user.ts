import { isDeepStrictEqual } from "node:util";
import { parseXml, type XmlElement } from "../tests/parse-xml.ts";
import type { ItemAnswer, StatsAnswer } from "../tests/service.ts";
import { Caller, type Surroundings } from "./caller.ts";
import { below } from "./chance.ts";
import { Device } from "./device.ts";
import { ListModel } from "./list-model.ts";
import { itemsOf } from "./replica.ts";

/** Calls that a device makes between two checks of the whole list. */
const callsBetweenChecks = 30;

/** A user whose devices change one list at the same time, and check what they are shown. */
export class User {
  readonly #around: Surroundings;
  readonly #name: string;
  readonly #caller: Caller;
  readonly #model = new ListModel();
  readonly #devices: readonly Device[];
  /** After anything wrong nobody knows what the list must hold. */
  #isLost = false;

  constructor(around: Surroundings, name: string) {
    const { devices } = around.agents;
    const credentials = { username: name, password: `of ${name}` };
    this.#around = around;
    this.#name = name;
    this.#caller = new Caller(around, devices[0] as (typeof devices)[number], credentials);
    this.#devices = devices.map((_, number) => new Device(around, credentials, this.#model, number));
  }

  async signUp(): Promise<void> {
    await this.#caller.call({ kind: "signup", endpoint: "signup" });
  }

  /** Lives until it `isOver` or anything is wrong, with a pause after each call. */
  async live(pause: () => Promise<unknown>, isOver: () => boolean): Promise<void> {
    const use = async (device: Device) => {
      for (let i = 0; i < callsBetweenChecks && !isOver(); i++) {
        await device.act();
        await pause();
      }
    };
    try {
      while (!this.#isLost && !isOver()) {
        await Promise.all(this.#devices.map(use));
        await this.#check();
      }
    } catch (error) {
      this.#isLost = true;
      this.#around.log.blame(`${this.#name}: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** Nothing is under way now: replicas, whole list, counts and model must be the same. */
  async #check(): Promise<void> {
    for (const device of this.#devices) await device.sync();
    const format = below(2) ? "json" : "xml";
    const form = { format, tags: "1" };
    const { body: list } = await this.#caller.call({ kind: `get all, ${format}`, endpoint: "get", form });
    const items = format === "json" ? itemsOf(list) : itemsInXml(list);
    for (const device of this.#devices) device.compare(items);

    const state = below(2) ? "read" : "unread";
    const filter = { state, myAppOnly: "1", tags: "1" };
    const { body: part } = await this.#caller.call({ kind: "get by state", endpoint: "get", form: filter });
    const isOfState = ({ state: shown }: ItemAnswer) => (shown === "1") === (state === "read");
    if (!isDeepStrictEqual(itemsOf(part), items.filter(isOfState))) throw new Error(`get: not the ${state} items`);

    const { body: counts } = await this.#caller.call({ kind: "stats", endpoint: "stats" });
    const { count_list, count_unread, count_read } = JSON.parse(counts) as StatsAnswer;
    const unread = items.filter(({ state }) => state === "0").length;
    const isRight =
      [count_list, count_unread, count_read].join() === [items.length, unread, items.length - unread].join();
    if (!isRight) throw new Error(`stats: ${counts} of a list of ${items.length}, ${unread} unread`);
  }
}

function itemsInXml(xml: string): ItemAnswer[] {
  const fieldsOf = ({ children }: XmlElement) => Object.fromEntries(children.map(({ name, text }) => [name, text]));
  const list = parseXml(xml).children.find(({ name }) => name === "list");
  return (list?.children ?? []).map((item) => fieldsOf(item) as unknown as ItemAnswer);
}

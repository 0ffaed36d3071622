// SPDX-License-Identifier: MIT

import type { z } from "zod";
import type { EndpointContract } from "../contract/endpoint.ts";
import type { Scope } from "../domain/sign-in.ts";
import type { Application } from "../ports/applications.ts";
import type { User, UserCall } from "../ports/users.ts";
import type { GrantedPorts } from "./granted-ports.ts";

/** The application that makes an admitted call, for no user. */
interface ApplicationCaller {
  application: Application;
  /** The network address of the caller: an IPv4 address, or the first 64 bits of an IPv6 address. */
  address: string;
  /** The address of the called host, as the client sees it, such as `https://host`. */
  calledUrl: string;
  user?: undefined;
}

/** The user who makes an admitted call, and the application. */
export interface Caller extends Omit<ApplicationCaller, "user"> {
  user: User;
  /** The sign-in whose app password or token the call was made with; undefined with the account's password. */
  signInId: string | undefined;
  /** The scope of that sign-in; `full` with the account's password. */
  scope: Scope;
  /** Counts further calls against the limits, for work that was done already: they are never refused. */
  countFurther: (calls: number) => Promise<void>;
}

export type AnyCaller = Caller | ApplicationCaller;

/** Who calls an endpoint, by the `caller` of its contract. */
export type CallerOf<Kind> = Kind extends "user" ? Caller : AnyCaller;

/**
 * The work of one endpoint: `begin` runs during the admission of the call, so it may prefetch but must not change
 * anything; the function that it returns runs after the call is admitted.
 *
 * `calls`: the number of calls that it counts against the limits; 1 if undefined. `userCalls`: the number for only the
 * user's limit, if it differs. `countCalls`: the number computed from the user's record.
 *
 * `sync` is defined if the answer has a `since`, to which admission raises the user's clock. `beginsWalk`: the answer
 * is the first of several pages. `since`: see `UserCall.sync`.
 *
 * `Needs`: the ports that it uses, which the contract of its endpoint must grant (`GrantedPorts`). `By`: who calls it.
 */
export interface UseCase<Input, Result, Needs = unknown, By = Caller> {
  calls?: (input: Input) => number;
  userCalls?: (input: Input) => number;
  countCalls?: (deps: Needs, input: Input, caller: Pick<Caller, "user" | "application">) => number;
  sync?: (input: Input) => UserCall["sync"];
  begin: (deps: Needs, input: Input) => (caller: By) => Promise<Result>;
}

/** For endpoints whose work is done by admission. */
export const noOperation: UseCase<unknown, void, unknown, AnyCaller> = { begin: () => async () => {} };

/** An entry of a list, with the name under which JSON has it. */
export type ListEntry = Record<string, string> & ({ item_id: string; id?: never } | { id: string });

/** A deletion. `time` in unix seconds. */
export type DeletedEntry = ListEntry & { time: string };

/** A page that was found, with the places of the words in its `snippet`: from, and length, in UTF-16 units. */
export interface FoundEntry {
  fields: Record<string, string>;
  marks: readonly (readonly [from: number, length: number])[];
}

/** Entries of a list, some at a time. */
export type EntryParts<Entry> = AsyncIterable<readonly Entry[]> | Iterable<readonly Entry[]>;

/** Named fields of a response; `list` has entries in order. */
export interface AnswerFields {
  fields: Record<string, string | number>;
  list?: EntryParts<ListEntry>;
  /** Entries that the list has at least. */
  size?: number;
  /** Found pages in order; replaces `list`. */
  found?: readonly FoundEntry[];
  /** Times of deletion in unix seconds: of items, or of highlights and of their items. */
  deleted?: EntryParts<DeletedEntry>;
  deletedItems?: EntryParts<DeletedEntry>;
}

/**
 * One endpoint: its contract, its use case, and the fields of its answer if that has fields (undefined for the status
 * line). The file `<name>.ts` exports it as `endpoint`: both gateways and the Lambda functions find it by the name.
 */
export interface Endpoint<C extends EndpointContract, Result, Ports> {
  contract: C;
  useCase: UseCase<z.output<C["input"]>, Result, Ports, CallerOf<C["caller"]>>;
  writeFields?: (result: Result, input: z.output<C["input"]>) => AnswerFields | undefined;
}

/** Infers the types of a definition from its contract. The use case may need the ports that the contract grants. */
export const defineEndpoint = <C extends EndpointContract, Result>(endpoint: Endpoint<C, Result, GrantedPorts<C>>) =>
  endpoint;

/** How much a run measures: every duration and count of it in one place. */
export interface Extent {
  /** Times that each measurement under load is made, all in turn. */
  rounds: number;
  /** Before each measurement under load; what is answered meanwhile is not counted. */
  warmUpSeconds: number;
  /** For each measurement under load in each round. */
  seconds: number;
  /** Calls of a kind that is too slow to be measured by time, for each number of connections in each round. */
  slowCalls: number;
  /** Calls with a cold password, for each number of connections. */
  coldCalls: number;
  /** Passwords verified one after the other. */
  verifications: number;
  /** Calls of each kind whose database commands are counted. */
  countedCalls: number;
  /** Items of the lists whose growth is measured, from few to many. */
  listSizes: readonly number[];
  /** Calls of each kind on each of these lists, all in turn. */
  growthTurns: number;
  /** Items of the list that is read in full. */
  fullListItems: number;
  /** Times that it is. */
  fullReads: number;
}

export const fullRun: Extent = {
  rounds: 3,
  warmUpSeconds: 0.2,
  seconds: 0.8,
  slowCalls: 48,
  coldCalls: 160,
  verifications: 50,
  countedCalls: 5,
  listSizes: [10, 1000, 20_000, 100_000],
  growthTurns: 15,
  fullListItems: 20_000,
  fullReads: 5,
};

/** Long enough to see that everything works; its numbers mean little. */
export const quickRun: Extent = {
  rounds: 1,
  warmUpSeconds: 0.1,
  seconds: 0.3,
  slowCalls: 32,
  coldCalls: 32,
  verifications: 5,
  countedCalls: 2,
  listSizes: [10, 1000, 5000],
  growthTurns: 3,
  fullListItems: 5000,
  fullReads: 2,
};

/** Connections that call at the same time, each waiting for an answer before its next call. */
export const connectionCounts = [1, 8, 32] as const;

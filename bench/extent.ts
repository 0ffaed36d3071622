/** All durations and counts of a run. */
export interface Extent {
  /** Rounds of the measurements under load. */
  rounds: number;
  /** Warm-up of each measurement under load; its answers are not counted. */
  warmUpSeconds: number;
  /** Duration of each measurement under load, in each round. */
  seconds: number;
  /** Calls of a slow kind, for each number of connections in each round. */
  slowCalls: number;
  /** Calls of each kind whose processor time is measured. */
  processorTimeCalls: number;
  /** Calls with a cold password, for each number of connections. */
  coldCalls: number;
  /** Passwords verified one after the other. */
  verifications: number;
  /** Calls of each kind whose database commands are counted. */
  countedCalls: number;
  /** Items of the lists whose growth is measured, in ascending order. */
  listSizes: readonly number[];
  /** Calls of each kind on each of these lists, in turns. */
  growthTurns: number;
  /** Items of the list that is read in full. */
  fullListItems: number;
  /** Number of these reads. */
  fullReads: number;
}

export const fullRun: Extent = {
  rounds: 3,
  warmUpSeconds: 0.2,
  seconds: 0.8,
  slowCalls: 48,
  processorTimeCalls: 2000,
  coldCalls: 160,
  verifications: 50,
  countedCalls: 5,
  listSizes: [10, 1000, 20_000, 100_000],
  growthTurns: 15,
  fullListItems: 20_000,
  fullReads: 5,
};

/** Only checks that everything works; its numbers are inaccurate. */
export const quickRun: Extent = {
  rounds: 1,
  warmUpSeconds: 0.1,
  seconds: 0.3,
  slowCalls: 32,
  processorTimeCalls: 400,
  coldCalls: 32,
  verifications: 5,
  countedCalls: 2,
  listSizes: [10, 1000, 5000],
  growthTurns: 3,
  fullListItems: 5000,
  fullReads: 2,
};

/** Concurrent connections; each waits for an answer before its next call. */
export const connectionCounts = [1, 8, 32] as const;

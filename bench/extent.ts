/** How much a run measures: every duration and count of it in one place. */
export interface Extent {
  /** Times that each measurement under load is made, all in turn. */
  rounds: number;
  /** Before each measurement under load; what is answered meanwhile is not counted. */
  warmUpSeconds: number;
  /** For each measurement under load in each round. */
  seconds: number;
  /** Calls with a cold password, for each number of connections. */
  coldCalls: number;
  /** Passwords verified one after the other. */
  verifications: number;
  /** Calls of each kind whose database commands are counted. */
  countedCalls: number;
}

export const fullRun: Extent = {
  rounds: 3,
  warmUpSeconds: 0.4,
  seconds: 1.4,
  coldCalls: 200,
  verifications: 50,
  countedCalls: 5,
};

/** Long enough to see that everything works; its numbers mean little. */
export const quickRun: Extent = {
  rounds: 1,
  warmUpSeconds: 0.2,
  seconds: 0.4,
  coldCalls: 16,
  verifications: 5,
  countedCalls: 2,
};

/** Connections that call at the same time, each waiting for an answer before its next call. */
export const connectionCounts = [1, 8] as const;

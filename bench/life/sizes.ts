import type { Size } from "../report/result.ts"

/** Sizes of the suite `life`. */
export const lifeSizes = {
  small: {
    connections: 8,
    rounds: 1,
    warmUpMillis: 300,
    measureMillis: 1_000,
    simulatorDelayMillis: 100,
    backlog: 400,
    backlogRatePerSecond: 50,
    idleMillis: 400,
    backlogMillis: 1_500,
  },
  default: {
    connections: 64,
    rounds: 2,
    warmUpMillis: 8_000,
    measureMillis: 20_000,
    simulatorDelayMillis: 3_000,
    backlog: 60_000,
    backlogRatePerSecond: 500,
    idleMillis: 4_000,
    backlogMillis: 5_000,
  },
  full: {
    connections: 64,
    rounds: 5,
    warmUpMillis: 10_000,
    measureMillis: 60_000,
    simulatorDelayMillis: 3_000,
    backlog: 200_000,
    backlogRatePerSecond: 800,
    idleMillis: 10_000,
    backlogMillis: 10_000,
  },
} as const satisfies Record<Size, object>

/** One size. */
export type LifeSize = (typeof lifeSizes)[Size]

import type { Size } from "../report/result.ts"

/** Sizes of the suite `costs`. What is looked for is small: many short pairs tell more than few long ones. */
export const costSizes = {
  small: {
    connections: 16,
    warmUpMillis: 100,
    chargeRounds: 2,
    chargeMillis: 120,
    endpoints: 2,
    deliveryRounds: 2,
    deliveryEvents: 40,
  },
  default: {
    connections: 64,
    warmUpMillis: 3_000,
    chargeRounds: 9,
    chargeMillis: 1_000,
    endpoints: 10,
    deliveryRounds: 5,
    deliveryEvents: 600,
  },
  full: {
    connections: 64,
    warmUpMillis: 10_000,
    chargeRounds: 25,
    chargeMillis: 3_000,
    endpoints: 10,
    deliveryRounds: 15,
    deliveryEvents: 4_000,
  },
} as const satisfies Record<Size, object>

/** One size. */
export type CostSize = (typeof costSizes)[Size]

import type { Size } from "../report/result.ts"

/**
 * Sizes of the suite `costs`. What is looked for is small: many short pairs tell more than few long ones. Two starts of the same
 * service differ by up to a tenth or more, so that pairs of many `starts` tell more than those of one. What one process shows in
 * slices of its time (`sliceRoundMillis`) is steadier by far. Rounds and events are those of one start.
 */
export const costSizes = {
  small: {
    starts: 1,
    connections: 16,
    warmUpMillis: 100,
    chargeRounds: 2,
    sliceRounds: 2,
    sliceRoundMillis: 500,
    chargeMillis: 120,
    endpoints: 2,
    deliveryRounds: 2,
    deliveryWarmUps: 1,
    deliveryEvents: 40,
  },
  default: {
    starts: 6,
    connections: 64,
    warmUpMillis: 2_500,
    chargeRounds: 2,
    sliceRounds: 3,
    sliceRoundMillis: 6_000,
    chargeMillis: 1_000,
    endpoints: 10,
    deliveryRounds: 2,
    deliveryWarmUps: 3,
    deliveryEvents: 600,
  },
  full: {
    starts: 12,
    connections: 64,
    warmUpMillis: 5_000,
    chargeRounds: 4,
    sliceRounds: 4,
    sliceRoundMillis: 10_000,
    chargeMillis: 2_000,
    endpoints: 10,
    deliveryRounds: 4,
    deliveryWarmUps: 2,
    deliveryEvents: 4_000,
  },
} as const satisfies Record<Size, object>

/** One size. */
export type CostSize = (typeof costSizes)[Size]

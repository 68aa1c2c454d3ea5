import type { Size } from "../report/result.ts"

/** Sizes of the suite `deliveries`. `endpoints` and `stormEndpoints` are less than five or a multiple of five. */
export const deliverySizes = {
  small: {
    endpoints: 2,
    fanOutEvents: 50,
    fanOutRounds: 2,
    latencyEventsPerSecond: 200,
    latencyMillis: 400,
    latencyRounds: 1,
    stormEndpoints: 5,
    stormDeliveries: 500,
    stormRounds: 1,
    isolationEventsPerSecond: 50,
    isolationMillis: 500,
    isolationRounds: 1,
    aloneJobs: 300,
    aloneRounds: 1,
  },
  default: {
    endpoints: 10,
    fanOutEvents: 2_000,
    fanOutRounds: 5,
    latencyEventsPerSecond: 500,
    latencyMillis: 4_000,
    latencyRounds: 5,
    stormEndpoints: 25,
    stormDeliveries: 20_000,
    stormRounds: 3,
    isolationEventsPerSecond: 100,
    isolationMillis: 5_000,
    isolationRounds: 3,
    aloneJobs: 10_000,
    aloneRounds: 3,
  },
  full: {
    endpoints: 10,
    fanOutEvents: 8_000,
    fanOutRounds: 9,
    latencyEventsPerSecond: 500,
    latencyMillis: 15_000,
    latencyRounds: 9,
    stormEndpoints: 100,
    stormDeliveries: 100_000,
    stormRounds: 3,
    isolationEventsPerSecond: 100,
    isolationMillis: 20_000,
    isolationRounds: 5,
    aloneJobs: 50_000,
    aloneRounds: 5,
  },
} as const satisfies Record<Size, object>

/** One size. */
export type DeliverySize = (typeof deliverySizes)[Size]

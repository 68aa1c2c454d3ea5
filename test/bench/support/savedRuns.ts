import type { SavedMetric, SavedRun, SavedSuite } from "../../../bench/report/savedRun.ts"
import { medianOfRatios } from "../../../bench/support/statistics.ts"

/** A metric with its rounds' values, and the service's median ratio to each other side. */
export const metric = (
  name: string,
  unit: string,
  values: Readonly<Record<string, ReadonlyArray<number>>>,
): SavedMetric => {
  const { corrente, ...others } = values
  const ratios = Object.entries(others).map(([other, theirs]) => [
    other,
    medianOfRatios(corrente ?? [], theirs),
  ])
  return { name, unit, values, ratios: corrente === undefined ? {} : Object.fromEntries(ratios) }
}

/** A suite with a right check and a met target. */
export const suite = (
  metrics: ReadonlyArray<SavedMetric>,
  overrides: Partial<SavedSuite> = {},
): SavedSuite => ({
  suite: "transactions",
  parameters: { connections: 64, rounds: 5, latency: "open loop" },
  metrics,
  targets: [{ name: "POST throughput at least 0.75 of bare", measured: 0.91, isMet: true }],
  checks: [{ name: "charges", isRight: true, detail: "12,000 answered, 12,000 stored" }],
  ...overrides,
})

/** A complete run of suites. */
export const savedRun = (suites: ReadonlyArray<SavedSuite>, overrides: Partial<SavedRun> = {}): SavedRun => ({
  format: 2,
  size: "default",
  asked: suites.map(({ suite: name }) => name),
  environment: {
    startedAt: "2026-11-21T10:00:00.000Z",
    machine: "2 cores, Example CPU, 8 GiB",
    system: "Linux 6.1 x64",
    node: "v22.23.3",
    redis: "7.0.15",
    commit: "0123456789ab",
    disk: "append and fdatasync of 4 KiB: p50 0.20 ms, p90 0.30 ms",
  },
  suites,
  ...overrides,
})

/** Five rounds around a value, up to 2 % apart; the same at each call. */
export const roundsAround = (value: number): ReadonlyArray<number> =>
  [1, 0.99, 1.01, 0.995, 1.008].map((factor) => value * factor)

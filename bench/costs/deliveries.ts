import type { EndpointSet } from "../deliveries/endpoints.ts"
import { type FanOutRound, runFanOut } from "../deliveries/phases.ts"
import type { DeliverySide } from "../deliveries/side.ts"
import type { Metric, Progress } from "../report/result.ts"
import { makeMetric } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { turns } from "../support/turns.ts"
import type { Cost } from "./cost.ts"
import type { CostEnvironment, CostService } from "./services.ts"
import type { CostSize } from "./sizes.ts"

/** One side of a pair. */
interface DeliveryCostSide {
  readonly side: DeliverySide
  readonly set: EndpointSet
  /** Whether metrics are recorded where that can be switched. */
  readonly isRecording?: boolean
}

interface Pair {
  readonly cost: Cost
  readonly with: DeliveryCostSide
  readonly without: DeliveryCostSide
}

const sideOf = ({ delivering, unordered }: CostService): DeliveryCostSide => ({
  side: delivering,
  set: unordered,
})

const pairsOf = ({ services, ordered, untraced }: CostEnvironment): ReadonlyArray<Pair> => {
  const whole = sideOf(services.whole)
  const switched = sideOf(services["switched metrics"])
  return [
    { cost: "nothing", with: whole, without: sideOf(services["whole again"]) },
    { cost: "nothing, one process", with: whole, without: whole },
    {
      cost: "metrics",
      with: { ...switched, isRecording: true },
      without: { ...switched, isRecording: false },
    },
    { cost: "series and search", with: whole, without: sideOf(services["without series"]) },
    { cost: "ordering", with: { ...whole, set: ordered }, without: whole },
    { cost: "a traceparent", with: whole, without: { ...whole, side: untraced } },
  ]
}

const rateOf = ({ measured, seconds }: FanOutRound): number => measured / seconds

const cpuOfBoth = ({ cpuMillis: { server, redis }, measured }: FanOutRound): number =>
  ((server + redis) * 1_000) / measured

/** What deliveries were measured, and what was wrong with them. */
export interface DeliveryCosts {
  readonly metrics: ReadonlyArray<Metric>
  readonly deliveries: number
  readonly problems: ReadonlyArray<string>
}

/** Measures deliveries of events that come all at once, pair by pair. */
export const measureDeliveries = async (
  environment: CostEnvironment,
  { deliveryRounds, deliveryEvents, deliveryWarmUps }: CostSize,
  progress: Progress,
): Promise<DeliveryCosts> => {
  const problems: Array<string> = []
  let deliveries = 0
  const run = async (cost: Cost, { side, set, isRecording }: DeliveryCostSide): Promise<FanOutRound> => {
    if (isRecording !== undefined) await environment.metricsSwitch.turn(isRecording)
    const round = await runFanOut({ ...environment, sets: { fanOut: set } }, side, deliveryEvents)
    problems.push(...round.problems.map((problem) => `${cost}, ${side.queue}: ${problem}`))
    deliveries += round.deliveries
    progress(`costs, deliveries, ${cost}, ${side.queue}: ${formatNumber(rateOf(round))}/s`)
    return round
  }
  const pairs = pairsOf(environment)
  // As often each: a process that has delivered more is faster.
  for (let round = 0; round < deliveryWarmUps; round++) {
    for (const service of Object.values(environment.services)) await run("nothing", sideOf(service))
  }
  const metrics: Array<Metric> = []
  for (const { cost, with: one, without: other } of pairs) {
    const rounds = await turns(
      deliveryRounds,
      () => run(cost, one),
      () => run(cost, other),
    )
    const values = (value: (round: FanOutRound) => number) => ({
      corrente: rounds.with.map(value),
      without: rounds.without.map(value),
    })
    metrics.push(makeMetric(`deliveries, ${cost}: throughput`, "1/s", values(rateOf)))
    metrics.push(makeMetric(`deliveries, ${cost}: CPU`, "us", values(cpuOfBoth)))
  }
  return { metrics, deliveries, problems }
}

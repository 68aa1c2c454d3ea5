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
}

interface Pair {
  readonly cost: Cost
  readonly with: DeliveryCostSide
  readonly without: DeliveryCostSide
}

const pairsOf = ({ services, ordered, untraced }: CostEnvironment): ReadonlyArray<Pair> => {
  const of = ({ delivering, unordered }: CostService): DeliveryCostSide => ({
    side: delivering,
    set: unordered,
  })
  const whole = of(services.whole)
  return [
    { cost: "nothing", with: whole, without: of(services["whole again"]) },
    { cost: "metrics", with: whole, without: of(services["without metrics"]) },
    { cost: "series and search", with: whole, without: of(services["without series"]) },
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
  { deliveryRounds, deliveryEvents }: CostSize,
  progress: Progress,
): Promise<DeliveryCosts> => {
  const problems: Array<string> = []
  let deliveries = 0
  const run = async (cost: Cost, { side, set }: DeliveryCostSide): Promise<FanOutRound> => {
    const round = await runFanOut({ ...environment, sets: { fanOut: set } }, side, deliveryEvents)
    problems.push(...round.problems.map((problem) => `${cost}, ${side.queue}: ${problem}`))
    deliveries += round.deliveries
    progress(`costs, deliveries, ${cost}, ${side.queue}: ${formatNumber(rateOf(round))}/s`)
    return round
  }
  const pairs = pairsOf(environment)
  for (const pair of pairs) await run(pair.cost, pair.without)
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

import * as keys from "../../src/store/keys.ts"
import type { Check, Metric, Progress, Size, SuiteResult } from "../report/result.ts"
import { makeMetric, ratioTarget } from "../report/result.ts"
import { Proof } from "../suites/proof.ts"
import { ChargeCosts } from "./charges.ts"
import { type DeliveryCosts, measureDeliveries } from "./deliveries.ts"
import { type CostEnvironment, type CostService, variants, withCostEnvironment } from "./services.ts"
import { type CostSize, costSizes } from "./sizes.ts"

/** A part costs a charge at most 2 % more. */
const costTarget = 1.02

/** Whether a service has counted anything for series. */
const hasSeries = async ({ side, unordered }: CostService): Promise<boolean> => {
  const feeds = [{ sellerId: side.sellerId, mode: "test" } as const, ...unordered.feeds]
  let series = 0
  for (const feed of feeds) series += (await side.redis.client.keys(keys.seriesKey(feed, "*"))).length
  return series > 0
}

/** The side without series has really left them out, and the others have not. (The switch of metrics proves itself.) */
const switchCheck = async ({ services }: CostEnvironment): Promise<Check> => {
  const wrong: Array<string> = []
  for (const variant of variants) {
    if ((await hasSeries(services[variant])) !== (variant !== "without series")) wrong.push(variant)
  }
  return {
    name: "what is left out",
    isRight: wrong.length === 0,
    detail: wrong.length === 0 ? "no series where they are, all elsewhere" : `series: ${wrong.join("; ")}`,
  }
}

/** Ordered endpoints are ordered. */
const orderCheck = async ({ ordered, services }: CostEnvironment): Promise<Check> => {
  const orderings = new Set<string>()
  for (const id of ordered.endpointIds.flat()) {
    orderings.add(String(await services.whole.side.redis.client.hget(keys.destinationKey(id), "ordering")))
  }
  return {
    name: "ordering",
    isRight: orderings.size === 1 && orderings.has("resource"),
    detail: `endpoints with the order: ${[...orderings].join(", ")}`,
  }
}

/** What one start of the services has measured. */
interface Start {
  readonly metrics: ReadonlyArray<Metric>
  readonly checks: ReadonlyArray<Check>
}

const deliveryCheck = (delivered: DeliveryCosts): Check => ({
  name: "deliveries",
  isRight: delivered.problems.length === 0 && delivered.deliveries > 0,
  detail:
    delivered.problems.length === 0
      ? `${delivered.deliveries} received once; every attempt is recorded; a sample's signatures verified`
      : delivered.problems.slice(0, 5).join("; "),
})

const measureStart = (size: CostSize, proof: Proof, progress: Progress): Promise<Start> =>
  withCostEnvironment(size.endpoints, async (environment) => {
    const chargeCosts = new ChargeCosts(environment, size, proof, progress)
    const charges = await chargeCosts.measure()
    const delivered = await measureDeliveries(environment, size, progress)
    return {
      metrics: [...charges, ...delivered.metrics],
      checks: [
        chargeCosts.traceCheck,
        deliveryCheck(delivered),
        await switchCheck(environment),
        await orderCheck(environment),
      ],
    }
  })

/** A metric of all starts: the rounds of each, one after the other. */
const joined = (metric: Metric, starts: ReadonlyArray<Start>): Metric => {
  const of = starts.flatMap(({ metrics }) => metrics.filter(({ name }) => name === metric.name))
  return makeMetric(metric.name, metric.unit, {
    corrente: of.flatMap(({ values }) => values.corrente ?? []),
    without: of.flatMap(({ values }) => values.without ?? []),
  })
}

/** Each check once: as it came out where it was wrong, or else at the first start. */
const checksOf = (starts: ReadonlyArray<Start>): ReadonlyArray<Check> =>
  (starts[0]?.checks ?? []).map((first) => {
    const all = starts.flatMap(({ checks }) => checks.filter(({ name }) => name === first.name))
    return all.find(({ isRight }) => !isRight) ?? first
  })

/** What parts of the service cost: the service beside the same service without one, in pairs. */
export const runCosts = async (size: Size, progress: Progress): Promise<SuiteResult> => {
  const parameters = costSizes[size]
  const proof = new Proof(["corrente"])
  const starts: Array<Start> = []
  while (starts.length < parameters.starts) {
    progress(`costs: start ${starts.length + 1} of ${parameters.starts}`)
    starts.push(await measureStart(parameters, proof, progress))
  }
  const metrics = (starts[0]?.metrics ?? []).map((metric) => joined(metric, starts))
  return {
    suite: "costs",
    parameters: { ...parameters, ...notes },
    metrics,
    targets: ["POST, metrics", "GET, metrics", "POST, series and search"].map((cost) =>
      ratioTarget(metrics, `${cost}: CPU`, "without", { atMost: costTarget }),
    ),
    checks: [...proof.checks(), ...checksOf(starts)],
  }
}

const notes = {
  sides:
    "four services, one process and one redis-server each: as users start it, the same again, with metrics that a signal switches off, without series and search; all started anew `starts` times",
  pairs: "in turn, every other one in reverse order; ratios are with / without",
  nothing: "the same service twice: what the ratios of pairs of two processes are to be held against",
  "nothing, one process": "one process beside itself: what the ratios of the others are to be held against",
  metrics:
    "one process, with and without: no histogram, no count of requests and no timing of commands to Redis; charges in slices of about 100 ms in random order within each round",
  "series and search":
    "without: Redis functions that count no hours and note no digests, and no digest of the address; reads touch neither, so GET is left out",
  ordering:
    "deliveries to endpoints with `ordering: resource`, each event of another resource, beside endpoints without",
  "a traceparent":
    "requests with the header beside requests without; deliveries of charges with a trace id beside those without",
  CPU: "of the server and its Redis together, per request or delivery; in slices of the server alone, since metrics cost Redis nothing",
  throughput: "closed loop; deliveries: from the first event to the last arrival",
}

import { limits } from "../../schema/limits.ts"
import type { DelivererName } from "../load/deliveryProtocol.ts"
import type { Check, Progress, Size, SuiteResult } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { withDeliveryEnvironment } from "./deliveryEnvironment.ts"
import { type DeliveryRounds, deliveryMetrics, deliveryTargets } from "./metrics.ts"
import { stormHoldMillis } from "./phases.ts"
import { DeliveryRun, type Rounds } from "./run.ts"
import { deliverySizes } from "./sizes.ts"

const sumOf = (rounds: ReadonlyArray<{ readonly deliveries: number }> | undefined): number =>
  (rounds ?? []).reduce((sum, { deliveries }) => sum + deliveries, 0)

const deliveriesCheck = (
  name: DelivererName,
  problems: ReadonlyArray<string>,
  { fanOut, latency, storm, isolation }: DeliveryRounds,
): Check => {
  const isolated = (isolation.get(name) ?? []).flatMap(({ none, half }) => [none, half])
  const counts = [fanOut.get(name), latency.get(name), isolated].map(sumOf)
  const retried = sumOf(storm.get(name))
  const isComplete = counts.every((count) => count > 0) && retried > 0
  const total = counts.reduce((sum, count) => sum + count, 0)
  return {
    name: `${name}, deliveries`,
    isRight: problems.length === 0 && isComplete,
    detail:
      problems.length === 0
        ? `${total} received once, ${retried} once failing and once again; every attempt is recorded; a sample's signatures verified`
        : problems.slice(0, 5).join("; "),
  }
}

/** The service's endpoints never exceeded their limit of concurrent requests. */
const capCheck = ({ storm }: DeliveryRounds): Check => {
  const cap = limits.attemptsInFlightPerDestination
  const most = (name: DelivererName): number =>
    Math.max(...(storm.get(name) ?? []).map(({ atOnceMax }) => atOnceMax))
  const others = (["bare", "bullmq"] as const).map((name) => `${name} ${most(name)}`).join(", ")
  return {
    name: "corrente, cap of an endpoint",
    isRight: most("corrente") <= cap,
    detail: `at most ${most("corrente")} concurrent requests at one endpoint, ${cap} allowed (without a cap: ${others})`,
  }
}

/** All contenders must send bodies of the same length. */
const sameBytes = (fanOut: Rounds<{ readonly bytesPerRequest: number }>): Check => {
  const bytes = [...fanOut].map(([name, rounds]) => [name, rounds[0]?.bytesPerRequest ?? Number.NaN] as const)
  const lengths = bytes.map(([, length]) => length)
  return {
    name: "same bytes",
    isRight: Math.max(...lengths) - Math.min(...lengths) < 1,
    detail: `bytes of a body: ${bytes.map(([name, length]) => `${name} ${formatNumber(length)}`).join(", ")}`,
  }
}

/** Webhook deliveries: fan-out, latency, a storm of retries and hanging endpoints, beside a bare queue and BullMQ. */
export const runDeliveries = (size: Size, progress: Progress): Promise<SuiteResult> => {
  const parameters = deliverySizes[size]
  return withDeliveryEnvironment(parameters, async (environment) => {
    const run = new DeliveryRun(parameters, environment, progress)
    const rounds: DeliveryRounds = {
      fanOut: await run.fanOut(),
      latency: await run.latency(),
      storm: await run.storm(),
      isolation: await run.isolation(),
      alone: await run.alone(),
    }
    const metrics = deliveryMetrics(rounds, parameters)
    return {
      suite: "deliveries",
      parameters: { ...parameters, ...notes },
      metrics,
      targets: deliveryTargets(metrics, parameters),
      checks: [
        ...[...run.problems].map(([name, problems]) => deliveriesCheck(name, problems, rounds)),
        capCheck(rounds),
        sameBytes(rounds.fanOut),
      ],
    }
  })
}

const notes = {
  contenders:
    "one process and one redis-server each: append-only, fsync always. All send the same bodies, headers and two signatures, and record attempts alike",
  events:
    "transaction.paid of a charge with its QR. corrente: append_event of the service's own prelude.lua, which owes it to " +
    "all subscribed endpoints, in a function library of the bench; peers: the body as it is sent, one call per event",
  bare: "a sorted set, functions that claim and record, undici's dispatch; 256 attempts at once; no caps, fences or indexes",
  bullmq:
    "one queue, one job per delivery, a worker with 256 concurrent jobs, undici's request; BullMQ counts attempts and waits between them; finished jobs are removed",
  receivers:
    "one process; each endpoint has its own port on 127.0.0.1, TLS with keep-alive; IP addresses, so no DNS lookups",
  "fan-out": "from the first event to the last arrival; CPU until the last attempt is recorded",
  latency: "open loop: from when an event was due to its request's last byte, commit and fsync included",
  "retry storm":
    "all fail once (503) and wait for an hour; then all become due at one moment, from which we count (corrente, bare: ZADD " +
    `of all; bullmq: the call of promoteJobs); receivers hold each answer for ${stormHoldMillis} ms`,
  isolation:
    "every other endpoint hangs; attempts time out after 10 s; latencies as above, of the healthy endpoints; all answer " +
    "again at the end of the round",
  "queue alone":
    "no requests; bare: claim and record; bullmq: an empty processor, finished jobs kept (its default)",
}

import { setTimeout as sleep } from "node:timers/promises"
import {
  type DeliveryRound,
  type DeliverySourceAnswer,
  deliveriesOf,
  type ReceiverBehaviour,
  type SeenDeliveries,
} from "../load/deliveryProtocol.ts"
import { exactCpuMillisOf, residentMiBOf } from "../support/processUsage.ts"
import type { DeliveryEnvironment } from "./deliveryEnvironment.ts"
import type { EndpointSet } from "./endpoints.ts"
import { type ExpectedRound, faultsOf } from "./proof.ts"
import { clearSide, type DeliverySide, readAttempts } from "./side.ts"

const settleTimeoutMillis = 120_000
const settleStepMillis = 10

/** Answers immediately. */
export const prompt: ReceiverBehaviour = { status: 200, holdMillis: 0, hanging: [] }

/** The plan of a round. */
export interface RoundPlan {
  readonly set: EndpointSet
  readonly events: number
  readonly behaviour: ReceiverBehaviour
  readonly expected: Omit<ExpectedRound, "deliveries">
}

/** CPU time of each process, in ms. */
export interface CpuMillis {
  readonly server: number
  readonly redis: number
  readonly receiver: number
  readonly source: number
}

/** The results of a round; `result` is what its work returned. */
export interface DeliveryRoundResult<A> {
  readonly result: A
  readonly deliveries: number
  readonly seen: SeenDeliveries
  /** From the last mark until the last attempt was recorded. */
  readonly cpuMillis: CpuMillis
  readonly serverMiB: number
  readonly redisMiB: number
  readonly problems: ReadonlyArray<string>
}

/** What the work of a round can do. */
export interface RoundActions {
  readonly round: DeliveryRound
  /** Owes the events of a range, at a rate or as fast as possible. */
  readonly owe: (fromEvent: number, toEvent: number, ratePerSecond?: number) => Promise<DeliverySourceAnswer>
  readonly behave: (behaviour: ReceiverBehaviour) => Promise<unknown>
  /** Waits for that many requests in total. */
  readonly arrived: (requests: number) => Promise<unknown>
  /** Waits until nothing of the round is due or in flight. */
  readonly settled: () => Promise<void>
  /** Starts counting CPU time. */
  readonly mark: () => void
}

let runs = 0

const settle = async (side: DeliverySide, set: EndpointSet): Promise<void> => {
  const deadline = performance.now() + settleTimeoutMillis
  while ((await side.unsettled(set)) > 0 && performance.now() < deadline) await sleep(settleStepMillis)
}

/** The processes that a round needs beside its side. */
export type RoundParts = Pick<DeliveryEnvironment, "receiver" | "source">

const cpuNow = ({ receiver, source }: RoundParts, side: DeliverySide): CpuMillis => ({
  server: exactCpuMillisOf(side.pid),
  redis: exactCpuMillisOf(side.redis.pid),
  receiver: exactCpuMillisOf(receiver.pid),
  source: exactCpuMillisOf(source.pid),
})

const spent = (from: CpuMillis, to: CpuMillis): CpuMillis => ({
  server: to.server - from.server,
  redis: to.redis - from.redis,
  receiver: to.receiver - from.receiver,
  source: to.source - from.source,
})

const actionsOf = (
  environment: RoundParts,
  side: DeliverySide,
  set: EndpointSet,
  round: DeliveryRound,
  mark: () => void,
): RoundActions => ({
  round,
  owe: (fromEvent, toEvent, ratePerSecond) =>
    environment.source.ask({
      kind: "owe",
      name: side.name,
      queue: side.queue,
      round,
      fromEvent,
      toEvent,
      feeds: set.feeds,
      ratePerSecond,
    }),
  behave: (behaviour) => environment.receiver.ask({ kind: "behave", behaviour }),
  arrived: (requests) =>
    environment.receiver.ask({ kind: "await", requests, timeoutMillis: settleTimeoutMillis }),
  settled: () => settle(side, set),
  mark,
})

/** Runs a round: does its work, waits until everything is recorded, proves the result and removes it. */
export const runRound = async <A>(
  environment: RoundParts,
  side: DeliverySide,
  { set, events, behaviour, expected }: RoundPlan,
  work: (actions: RoundActions) => Promise<A>,
): Promise<DeliveryRoundResult<A>> => {
  runs += 1
  const round: DeliveryRound = { run: runs, events, groups: set.groups }
  await environment.receiver.ask({ kind: "expect", round, behaviour })
  let before = cpuNow(environment, side)
  const mark = () => {
    before = cpuNow(environment, side)
  }
  const actions = actionsOf(environment, side, set, round, mark)
  const result = await work(actions)
  await actions.settled()
  const cpuMillis = spent(before, cpuNow(environment, side))
  const memory = { serverMiB: residentMiBOf(side.pid), redisMiB: residentMiBOf(side.redis.pid) }
  const { seen } = await environment.receiver.ask({ kind: "take" })
  if (seen === undefined) throw new Error("the receiver did not return its deliveries")
  const stored = await readAttempts(side.redis.client)
  await clearSide(side)
  const deliveries = deliveriesOf(round)
  const problems = faultsOf({ ...expected, deliveries }, seen, stored)
  return { result, deliveries, seen, cpuMillis, ...memory, problems }
}

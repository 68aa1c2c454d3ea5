import { assert } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { type ClaimedDelivery, DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { EndpointStore } from "../../actors/ports/endpointStore.ts"
import type { EventEntry } from "../../actors/ports/eventLog.ts"
import type { StoredTransaction } from "../../actors/ports/transactionStore.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import { sizes } from "../support/sizes.ts"
import { claimAll, dead, failedForGood, failedToRetry, type Outcome, record, succeeded } from "./attempts.ts"
import { eventsOf, freshIdBeside, move, openCharge, openEndpoint, openShop, type Shop } from "./fixtures.ts"
import { elapse, Stage, type StoreCase, type StoreServices, storeCase } from "./stage.ts"

const resources = 3
const statuses: ReadonlyArray<TransactionStatus> = ["paid", "refunded", "chargeback", "failed"]
const outcomes: ReadonlyArray<Outcome> = [succeeded, failedToRetry, dead, failedForGood]
const ever = { fromMillis: 0, toMillis: 8_000_000_000_000 }

type Act = "event" | "claim" | "record" | "byHand" | "disable" | "enable" | "recover" | "missed" | "order"
interface Command {
  readonly act: Act
  readonly which: number
  readonly outcome: number
}

const commandOf = (...acts: ReadonlyArray<Act>) =>
  fc.record({
    act: fc.constantFrom(...acts),
    which: fc.nat(20),
    outcome: fc.nat(outcomes.length - 1),
  })
const ordered = ["event", "event", "claim", "record", "record", "byHand", "disable", "enable"] as const

/** What has become of an event: when it was first claimed, when its delivery ended first, when an attempt first succeeded. */
interface History {
  readonly resourceId: string
  readonly seq: number
  wasMissed: boolean
  isUnderWay: boolean
  begunAt?: number
  endedAt?: number
  succeededAt?: number
  lastDeliveryId?: string
}

interface Run {
  readonly shop: Shop
  readonly scope: { readonly feed: Shop["live"]; readonly endpointId: string }
  readonly charges: Array<StoredTransaction>
  readonly histories: Map<string, History>
  readonly claims: Array<ClaimedDelivery>
  /** Whether all events until now met an ordered endpoint. */
  isOrdered: boolean
  isEnabled: boolean
  moment: number
}
type Step = Effect.Effect<void, unknown, StoreServices | Stage>

const update = (run: Run, change: { readonly enabled?: boolean; readonly ordering?: "none" | "resource" }) =>
  Effect.flatMap(EndpointStore, (store) => store.update(run.scope, change))

const append = (run: Run, which: number): Step =>
  Effect.gen(function* () {
    const at = which % resources
    const charge = run.charges[at] as StoredTransaction
    const next = statuses[(statuses.indexOf(charge.status as TransactionStatus) + 1) % statuses.length]
    run.charges[at] = yield* move(charge, next ?? "paid")
    const entry = (yield* eventsOf(run.shop.live)).at(-1) as EventEntry
    const { resourceId, seq } = entry
    run.histories.set(entry.entryId, { resourceId, seq, wasMissed: !run.isEnabled, isUnderWay: false })
  })

/** Claims what is due. No other delivery of the resource is under way then, a claim of the same one apart. */
const claim = (run: Run): Step =>
  Effect.gen(function* () {
    for (const delivery of yield* claimAll(run.scope.endpointId, 5)) {
      const history = run.histories.get(delivery.entry.entryId) as History
      run.claims.push(delivery)
      history.begunAt ??= run.moment++
      history.isUnderWay = true
      if (!run.isOrdered) continue
      const underWay = [...run.histories.values()].filter(
        ({ resourceId, isUnderWay }) => isUnderWay && resourceId === history.resourceId,
      )
      assert.deepStrictEqual(underWay, [history])
    }
  })

const end = (run: Run, which: number, wanted: Outcome): Step =>
  Effect.gen(function* () {
    const [delivery] = run.claims.splice(which % Math.max(1, run.claims.length), 1)
    if (delivery === undefined) return
    const history = run.histories.get(delivery.entry.entryId) as History
    const outcome = delivery.destination.enabled ? wanted : failedForGood
    history.lastDeliveryId = yield* record(delivery, outcome)
    if (outcome.retryInMillis === undefined) {
      history.endedAt ??= run.moment++
      history.isUnderWay = false
    }
    if (outcome === succeeded) history.succeededAt ??= run.moment++
  })

const retryByHand = (run: Run, which: number): Step =>
  Effect.gen(function* () {
    const ended = [...run.histories.values()].filter(({ lastDeliveryId }) => lastDeliveryId !== undefined)
    const id = ended[which % Math.max(1, ended.length)]?.lastDeliveryId
    if (id === undefined) return
    const promised = yield* freshIdBeside("whd_", run.shop.sellerId)
    yield* (yield* DeliveryQueue).retry(run.shop.live, id, promised)
  })

const perform = (run: Run, { act, which, outcome }: Command): Step =>
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    switch (act) {
      case "event":
        return yield* append(run, which)
      case "claim":
        return yield* claim(run)
      case "record":
        return yield* end(run, which, outcomes[outcome] ?? succeeded)
      case "byHand":
        return yield* retryByHand(run, which)
      case "recover":
        return void (yield* endpoints.recover(run.scope, ever))
      case "missed":
        return void (yield* endpoints.recoverMissed(run.scope, ever, Effect.void))
      case "order":
        run.isOrdered = false
        return void (yield* update(run, { ordering: which % 2 === 0 ? "none" : "resource" }))
      default:
        run.isEnabled = act === "enable"
        return void (yield* update(run, { enabled: run.isEnabled }))
    }
  })

/** Lets everything be delivered: each event was owed, and none waits for ever. */
const settle = (run: Run): Step =>
  Effect.gen(function* () {
    const endpoints = yield* EndpointStore
    yield* perform(run, { act: "enable", which: 0, outcome: 0 })
    yield* endpoints.recoverMissed(run.scope, ever, Effect.void)
    for (let isBusy = true; isBusy; ) {
      yield* elapse(1)
      yield* claim(run)
      isBusy = run.claims.length > 0
      while (run.claims.length > 0) yield* end(run, 0, succeeded)
    }
    const open = [...run.histories.values()].filter(({ endedAt }) => endedAt === undefined)
    assert.deepStrictEqual(open, [])
    const waiting = yield* endpoints.waiting(run.scope, { afterPosition: undefined, limit: 100 })
    assert.deepStrictEqual(waiting, { events: [], nextAfterPosition: undefined })
  })

/** Of two events of a resource, the later one succeeds first only where the earlier one had ended before it began. */
const checkOrder = (run: Run): void => {
  const met = [...run.histories.values()].filter(({ wasMissed }) => !wasMissed)
  for (const later of met) {
    for (const earlier of met) {
      if (earlier.resourceId !== later.resourceId || earlier.seq >= later.seq) continue
      const isInOrder = (earlier.succeededAt ?? Number.POSITIVE_INFINITY) < (later.succeededAt ?? 0)
      const hadEnded = (earlier.endedAt ?? Number.POSITIVE_INFINITY) < (later.begunAt ?? 0)
      assert.isTrue(isInOrder || hadEnded, JSON.stringify({ earlier, later }))
    }
  }
}

const runSequence = (commands: ReadonlyArray<Command>): Step =>
  Effect.gen(function* () {
    const shop = yield* openShop()
    const { id } = yield* openEndpoint(shop.live)
    const charges: Array<StoredTransaction> = []
    for (let i = 0; i < resources; i++) charges.push(yield* openCharge(shop.live))
    const run: Run = {
      ...{ shop, scope: { feed: shop.live, endpointId: id }, charges, histories: new Map(), claims: [] },
      ...{ isOrdered: true, isEnabled: true, moment: 1 },
    }
    yield* update(run, { ordering: "resource" })
    for (const command of commands) yield* perform(run, command)
    yield* settle(run)
    if (run.isOrdered) checkOrder(run)
  })

const sequenceCase = (name: string, ...acts: ReadonlyArray<Act>): StoreCase =>
  storeCase(
    name,
    Effect.gen(function* () {
      const { isTimeControlled } = yield* Stage
      const context = yield* Effect.context<StoreServices | Stage>()
      const sequences = fc.array(commandOf(...acts), { maxLength: 60 })
      const property = fc.asyncProperty(sequences, (commands) =>
        Effect.runPromiseWith(context)(runSequence(commands)),
      )
      const numRuns = isTimeControlled ? sizes.storeSequences : Math.ceil(sizes.storeSequences / 7)
      yield* Effect.promise(() => fc.assert(property, { numRuns }))
    }),
  )

/** Random sequences at ordered endpoints (`docs/contract/deliveries.md#ordering`). */
export const orderingSequenceCases: ReadonlyArray<StoreCase> = [
  sequenceCase(
    "whatever fails, is retried by hand, disabled and recovered, a resource's first successes are in order, and nothing starves",
    ...ordered,
    ...(["recover", "missed"] as const),
  ),
  sequenceCase(
    "however often the ordering is changed while deliveries wait, each is made",
    ...ordered,
    ...(["order", "missed"] as const),
  ),
]

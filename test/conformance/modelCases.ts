import { assert } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { destinationIdOfPostback } from "../../actors/delivery/destinationId.ts"
import type { ClaimedDelivery } from "../../actors/ports/deliveryQueue.ts"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import type { EventEntry } from "../../actors/ports/eventLog.ts"
import type { LedgerMovement } from "../../actors/ports/ledger.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { limits } from "../../schema/limits.ts"
import { sizes } from "../support/sizes.ts"
import { allAttempts, claimAll, recordOf, succeeded } from "./attempts.ts"
import { type Command, commandSequences } from "./commands.ts"
import {
  creationOf,
  eventsOf,
  freshIdBeside,
  newCharge,
  newScope,
  openEndpoint,
  openShop,
  type Shop,
  transitionOf,
  unique,
} from "./fixtures.ts"
import { type DeliveryModel, type Model, makeModel } from "./model.ts"
import { elapse, Stage, type StoreCase, type StoreServices, storeCase } from "./stage.ts"
import { balance, balanceOf, entriesOf } from "./withdrawals.ts"

const url = "https://shop.example/postback"
const postback = { url }
const longestLeaseMillis = Math.max(
  limits.idempotencyLeaseMillis,
  limits.deliveryLeaseMillis,
  limits.timerLeaseMillis,
)

/** One sequence's shop, its model, and the claims made so far with what the model knows of them. */
interface Run {
  readonly shop: Shop
  readonly model: Model
  readonly keyName: string
  readonly destinationIds: ReadonlyArray<string>
  readonly claims: Array<{ readonly claimed: ClaimedDelivery; readonly delivery: DeliveryModel }>
}
type Step = Effect.Effect<void, unknown, StoreServices | Stage>

const pick = <A>(list: ReadonlyArray<A>, index: number): A | undefined => list[index % list.length]

const scopeOf = (
  run: Run,
  command: { readonly key: number; readonly body: number; readonly isResent: boolean },
) => {
  const execution = command.isResent ? run.model.executionOf(command.key) : undefined
  return newScope({
    key: `${run.keyName}-${command.key}`,
    fingerprint: `body-${command.body}`,
    executionId: execution ?? unique("execution"),
  })
}

const create = (run: Run, command: Command & { kind: "create" }): Step =>
  Effect.gen(function* () {
    const owner = run.shop.live
    const charge = yield* newCharge(owner)
    const idempotency = scopeOf(run, command)
    const wanted = run.model.create(command.key, command.body, idempotency.executionId, charge)
    const answer = yield* (yield* TransactionStore).create(creationOf(owner, charge, { idempotency }))
    assert.deepStrictEqual(answer, wanted)
  })

const hold = (run: Run, command: Command & { kind: "hold" }): Step =>
  Effect.gen(function* () {
    const { id } = yield* newCharge(run.shop.live)
    const idempotency = scopeOf(run, command)
    const wanted = run.model.hold(command.key, command.body, idempotency.executionId, id)
    // An execution that has ended does not claim again: the ports do not say what that would answer.
    if (wanted.kind === "created") return
    const answer = yield* (yield* TransactionStore).claim(run.shop.live, idempotency, id)
    assert.deepStrictEqual(answer, wanted)
  })

const movementOf = (resourceId: string, gained: number): LedgerMovement | undefined =>
  gained === 0
    ? undefined
    : {
        ...{ kind: gained > 0 ? "charge_paid" : "charge_refunded", resourceType: "transaction", resourceId },
        postings: [
          { bucket: "external", amount: -gained },
          { bucket: "available", amount: gained },
        ],
      }

const move = (run: Run, command: Command & { kind: "move" }): Step =>
  Effect.gen(function* () {
    const { model } = run
    const charge = pick(model.charges, command.charge)
    if (charge === undefined) return
    const { lag, timer, timerDone, to, hasPostback, isSilent, gained } = command
    const commit = transitionOf(charge, to, {
      ...(isSilent ? { eventType: undefined } : {}),
      movement: movementOf(charge.id, gained),
      expectedVersion: charge.version - lag,
      postback: hasPostback ? postback : undefined,
      timers: timer === undefined ? [] : [{ name: timer, resourceId: charge.id, dueMillis: 1_000 }],
      timersDone: timerDone === undefined ? [] : [timerDone],
    })
    const { kind } = yield* (yield* TransactionStore).transition(commit)
    assert.strictEqual(kind, lag === 0 ? "applied" : "stale")
    if (kind !== "applied") return
    const next = { ...charge, status: to, version: charge.version + 1, document: commit.document }
    const postbackId = hasPostback ? run.destinationIds.at(-1) : undefined
    model.move(model.charges.indexOf(charge), next, commit.eventType, postbackId, gained)
    if (timerDone !== undefined) model.timers.delete(`${charge.id} ${timerDone}`)
    if (timer !== undefined) model.timers.set(`${charge.id} ${timer}`, "due")
  })

const fire = (
  run: Run,
  { timersMax, isDropped }: { readonly timersMax: number; readonly isDropped: boolean },
): Step =>
  Effect.gen(function* () {
    const queue = yield* TimerQueue
    const { timers } = run.model
    const dueCount = [...timers.values()].filter((state) => state === "due").length
    const { due } = yield* queue.claim(run.shop.partition, timersMax)
    assert.strictEqual(due.length, Math.min(timersMax, dueCount))
    for (const timer of due) {
      const name = `${timer.resourceId} ${timer.name}`
      assert.strictEqual(timers.get(name), "due")
      timers.set(name, "leased")
      if (!isDropped) continue
      yield* queue.drop(timer)
      timers.delete(name)
    }
  })

const claim = (run: Run, destinationId: string, deliveriesMax: number): Step =>
  Effect.gen(function* () {
    const claimable = run.model.claimable(destinationId)
    const claimed = yield* claimAll(destinationId, deliveriesMax)
    assert.strictEqual(claimed.length, Math.min(deliveriesMax, claimable.length))
    for (const one of claimed) {
      const delivery = claimable.find(({ seq }) => seq === one.entry.seq)
      if (delivery === undefined) return assert.fail(`event ${one.entry.seq} must not be claimed`)
      assert.strictEqual(one.attempt, delivery.attempts + 1)
      assert.isAbove(one.fence, delivery.fence)
      delivery.state = "leased"
      delivery.fence = one.fence
      run.claims.push({ claimed: one, delivery })
    }
  })

const record = (run: Run, command: Command & { kind: "record" }): Step =>
  Effect.gen(function* () {
    const found = pick(run.claims, command.claim)
    if (found === undefined) return
    const { claimed, delivery } = found
    const { status, hasNext } = command
    const attempt = yield* recordOf(claimed, { status, ...(hasNext ? { retryInMillis: 0 } : {}) })
    const isLeased = delivery.state === "leased" || delivery.state === "lapsed"
    const { kind } = yield* (yield* DeliveryQueue).record(attempt)
    assert.strictEqual(kind, isLeased && delivery.fence === claimed.fence ? "recorded" : "stale")
    if (kind === "recorded") run.model.record(delivery, attempt.deliveryId, status, hasNext)
  })

const retry = (run: Run, command: Command & { kind: "retry" }): Step =>
  Effect.gen(function* () {
    const row = pick([...run.model.rows], command.row)
    if (row === undefined) return
    const owner = run.shop.live
    const newId = yield* freshIdBeside("whd_", owner.sellerId)
    const { kind } = yield* (yield* DeliveryQueue).retry(owner, row[0], newId)
    assert.strictEqual(kind, run.model.retry(row[1]))
  })

const lapse = (run: Run): Step =>
  Effect.gen(function* () {
    yield* elapse(longestLeaseMillis)
    run.model.lapse()
  })

const perform = (run: Run, command: Command): Step => {
  switch (command.kind) {
    case "create":
      return create(run, command)
    case "hold":
      return hold(run, command)
    case "move":
      return move(run, command)
    case "fire":
      return fire(run, command)
    case "claim":
      return claim(run, pick(run.destinationIds, command.destination) ?? "", command.deliveriesMax)
    case "record":
      return record(run, command)
    case "retry":
      return retry(run, command)
    case "lapse":
      return lapse(run)
  }
}

/** Ends all leases, by time or by their holders, then all deliveries owed and timers set: nothing may be lost. */
const settle = (run: Run): Step =>
  Effect.gen(function* () {
    const { model, shop } = run
    const queue = yield* DeliveryQueue
    if ((yield* Stage).isTimeControlled) {
      yield* lapse(run)
      const owing = run.destinationIds.filter((id) => model.claimable(id).length > 0)
      assert.sameMembers([...(yield* queue.dueDestinations(shop.partition, 0)).destinationIds], owing)
    }
    for (const [index, { delivery, claimed }] of run.claims.entries()) {
      const isHeld = delivery.state === "leased" && delivery.fence === claimed.fence
      if (isHeld) yield* record(run, { kind: "record", claim: index, ...succeeded, hasNext: false })
    }
    for (const id of run.destinationIds) {
      const first = run.claims.length
      yield* claim(run, id, 1_000)
      for (let index = first; index < run.claims.length; index++) {
        yield* record(run, { kind: "record", claim: index, ...succeeded, hasNext: false })
      }
      assert.deepStrictEqual(yield* queue.claim(id, 1), { claimed: [], nextInMillis: undefined })
    }
    const nothing = { destinationIds: [], nextInMillis: undefined }
    assert.deepStrictEqual(yield* queue.dueDestinations(shop.partition, 0), nothing)
    yield* settleTimers(run)
  })

const settleTimers = (run: Run): Step =>
  Effect.gen(function* () {
    const { model, shop } = run
    const queue = yield* TimerQueue
    for (const [name, state] of model.timers) {
      const [resourceId = "", timerName = ""] = name.split(" ")
      if (state !== "leased") continue
      yield* queue.drop({ resourceId, name: timerName })
      model.timers.delete(name)
    }
    yield* fire(run, { timersMax: 1_000, isDropped: true })
    assert.strictEqual(model.timers.size, 0)
    const nothing = { due: [], nextInMillis: undefined }
    assert.deepStrictEqual(yield* queue.claim(shop.partition, 1), nothing)
  })

const auditMoney = ({ model, shop }: Pick<Run, "model" | "shop">, events: ReadonlyArray<EventEntry>): Step =>
  Effect.gen(function* () {
    const entries = (yield* entriesOf(shop.live)).map((entry) => ({
      ...{ seq: entry.seq, resourceId: entry.resourceId, available: entry.balance.available },
      gained: entry.postings.find(({ bucket }) => bucket === "available")?.amount,
      eventSeq: events.find(({ entryId }) => entryId === entry.eventEntryId)?.seq,
    }))
    assert.deepStrictEqual(
      entries,
      model.entries.map((entry, index) => ({ seq: index + 1, ...entry })),
    )
    const available = model.entries.at(-1)?.available ?? 0
    assert.deepStrictEqual(yield* balanceOf(shop.live), balance({ available }))
  })

/** Compares all that the store holds with the model. */
const audit = ({ model, shop }: Run): Step =>
  Effect.gen(function* () {
    const store = yield* TransactionStore
    for (const charge of model.charges) assert.deepStrictEqual(yield* store.load(charge.id), charge)
    const all = yield* eventsOf(shop.live)
    const events = all.map(({ seq, type, resourceId, data }) => ({
      ...{ seq, type, resourceId, data },
    }))
    assert.deepStrictEqual(
      events,
      model.events.map((event, index) => ({ seq: index + 1, ...event })),
    )
    yield* auditMoney({ model, shop }, all)
    const rows = yield* allAttempts(shop.live)
    assert.sameMembers(
      rows.map((row) => row.id),
      [...model.rows.keys()],
    )
    for (const delivery of model.deliveries) {
      const own = rows.filter((row) => model.rows.get(row.id) === delivery).map((row) => row.attempt)
      const wanted = Array.from({ length: delivery.attempts }, (_, index) => index + 1)
      assert.sameMembers(own, wanted)
      assert.include(["success", "failed", "dead"], delivery.state)
    }
  })

const runSequence = (commands: ReadonlyArray<Command>): Step =>
  Effect.gen(function* () {
    const shop = yield* openShop()
    const every = yield* openEndpoint(shop.live)
    const some = ["transaction.paid", "transaction.refunded"]
    const few = yield* openEndpoint(shop.live, some)
    const model = makeModel([
      { destinationId: every.id, wants: () => true },
      { destinationId: few.id, wants: (type) => some.includes(type) },
    ])
    const destinationIds = [every.id, few.id, destinationIdOfPostback(shop.sellerId, "live", url)]
    const run: Run = { shop, model, keyName: unique("key"), destinationIds, claims: [] }
    for (const command of commands) yield* perform(run, command)
    yield* settle(run)
    yield* audit(run)
  })

/** Random sequences against a pure model: no event twice or missing, no delivery and no timer lost. */
export const modelCases: ReadonlyArray<StoreCase> = [
  storeCase(
    "any sequence of commands leaves the store as the model predicts",
    Effect.gen(function* () {
      const { isTimeControlled } = yield* Stage
      const context = yield* Effect.context<StoreServices | Stage>()
      const property = fc.asyncProperty(commandSequences(isTimeControlled), (commands) =>
        Effect.runPromiseWith(context)(runSequence(commands)),
      )
      yield* Effect.promise(() =>
        fc.assert(property, {
          numRuns: isTimeControlled ? sizes.storeSequences : Math.ceil(sizes.storeSequences / 7),
        }),
      )
    }),
  ),
]

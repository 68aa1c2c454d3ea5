import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { ReceivedPix, SentPayout } from "../../../actors/ports/acquirer.ts"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import { PixClaimStore } from "../../../actors/ports/pixClaimStore.ts"
import { makeSweep } from "../../../actors/sweeps/sweep.ts"
import { makeId, partitionOfId, payoutIdOf, txidOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { MemoryStore } from "../../model/state.ts"
import { acquirerWith, emptyScript, partitions, sweepWorld, unreadableItem } from "../support/books.ts"
import { nowMillis, sellerId, storedCharge } from "../support/charges.ts"
import { pass, settle } from "../support/settle.ts"
import { storedWithdrawal } from "../support/withdrawals.ts"

const window = { fromMillis: nowMillis - 1_000, toMillis: nowMillis }
const bytesOf = (i: number) => new Uint8Array(14).fill(i & 31).fill(i >> 5, 0, 7)
const chargeIdOf = (i: number) => makeId("txn_", nowMillis, 5, bytesOf(i))
const withdrawalIdOf = (i: number) => makeId("wd_", nowMillis, 6, bytesOf(i))

const pixOf = (endToEndId: string, txid: string | undefined, amount = 1_000): ReceivedPix => ({
  ...{ endToEndId, amount, refunds: [], txid, receivedMillis: nowMillis },
})
const payoutOf = (payoutId: string | undefined, changes: Partial<SentPayout> = {}): SentPayout => ({
  ...{ payoutId, endToEndId: "S1", amount: 1_000, status: "paid", reason: undefined },
  ...{ returnedAmount: 0, sentMillis: nowMillis, ...changes },
})

const openSweep = Effect.gen(function* () {
  const script = emptyScript()
  const state = yield* MemoryStore
  const acquirer = acquirerWith(script)
  const sweep = yield* makeSweep(acquirer, acquirer.books)
  /** Stores a live charge, by default one that E<i> paid. */
  const charge = (i: number, status: "pending" | "paid" = "paid") => {
    const id = chargeIdOf(i)
    const stored = storedCharge(status, status === "paid" ? { end_to_end_id: `E${i}` } : {})
    state.transactions.set(id, { ...stored, id, mode: "live" })
    return id
  }
  const withdrawal = (i: number, status: "successful" | "processing") => {
    const id = withdrawalIdOf(i)
    state.withdrawals.set(id, { ...storedWithdrawal(status), id, mode: "live" })
    return id
  }
  const begin = Effect.forkChild(Effect.result(sweep({ window })))
  /** Runs a sweep to its end, however long it takes. */
  const run = Effect.gen(function* () {
    const fiber = yield* begin
    for (let i = 0; i < 100 && fiber.pollUnsafe() === undefined; i++) yield* pass(100)
    return yield* Fiber.join(fiber)
  })
  return { script, charge, withdrawal, begin, run }
})

const runs = <A, E, R>(
  world: ReturnType<typeof sweepWorld>,
  program: (door: (typeof world)["door"]) => Effect.Effect<A, E, R>,
) => Effect.andThen(TestClock.setTime(nowMillis), program(world.door)).pipe(Effect.provide(world.layer))

type Opened = Effect.Success<typeof openSweep>
type Door = ReturnType<typeof sweepWorld>["door"]

/** Runs a test of a sweep whose requests need not wait, with books that it fills. */
const sweeps = <A, E, R>(program: (opened: Opened & { readonly door: Door }) => Effect.Effect<A, E, R>) =>
  runs(sweepWorld(), (door) => Effect.flatMap(openSweep, (opened) => program({ ...opened, door })))

const ended = (items: number, differences: number, failures = 0) => ({
  ...{ items, differences, failures },
  unread: { items: [], more: 0 },
})

describe("a sweep", () => {
  it.effect(
    "a sweep reads every page of both lists, and asks about nothing that is the same in both books",
    () =>
      sweeps(({ door, script, charge, withdrawal, run }) =>
        Effect.gen(function* () {
          script.received = [[1, 2], [3]].map((page) => page.map((i) => pixOf(`E${i}`, txidOf(charge(i)))))
          script.sent = [[payoutOf(payoutIdOf(withdrawal(1, "successful")))], []]
          assert.deepInclude(yield* run, { success: ended(4, 0) })
          assert.deepStrictEqual(script.pages, ["received 0", "received 1", "sent 0", "sent 1"])
          assert.deepStrictEqual(script.windows, [window])
          assert.deepStrictEqual(door.asked, [])
        }),
      ),
  )

  it.effect("what differs is asked about: the charge with the Pix that it lacks, and the payout", () =>
    sweeps(({ door, script, charge, withdrawal, run }) =>
      Effect.gen(function* () {
        script.received = [[pixOf("E1", txidOf(charge(1, "pending"))), pixOf("E2", txidOf(charge(2)))]]
        script.sent = [[payoutOf(payoutIdOf(withdrawal(1, "processing")))]]
        const report = yield* run
        assert.deepInclude(report, { success: ended(3, 2) })
        assert.deepStrictEqual(door.asked, [`${chargeIdOf(1)} E1 -`, withdrawalIdOf(1)])
      }),
    ),
  )

  it.effect("what is none of ours is an exception, once, in a partition that its fact decides", () =>
    runs(sweepWorld(), (door) =>
      Effect.gen(function* () {
        const store = yield* ExceptionStore
        const { script, run } = yield* openSweep
        script.received = [[pixOf("E7", "order7", 250)]]
        script.sent = [[payoutOf(undefined, { endToEndId: "S7" })]]
        assert.deepInclude(yield* run, { success: ended(2, 2) })
        const page = { state: undefined, kind: undefined, beforeId: undefined, limit: 10 }
        const found = yield* store.list(page)
        assert.deepStrictEqual(found.map(({ fact }) => fact).sort(), [
          "payment_unknown:E7",
          "payout_unknown:S7",
        ])
        const payment = found.find(({ kind }) => kind === "payment_unknown")
        assert.deepInclude(payment, {
          mode: "live",
          state: "open",
          account: "elsewhere:1",
          sellerId: undefined,
        })
        assert.deepStrictEqual(JSON.parse(payment?.document ?? ""), {
          ...{ id: payment?.id, object: "exception", kind: "payment_unknown", state: "open", mode: "live" },
          ...{ acquirer: "elsewhere", resource_type: null, resource_id: null, seller_id: null, amount: 250 },
          details: { end_to_end_id: "E7", txid: "order7" },
          ...{ created_at: new Date(nowMillis).toISOString(), resolved_at: null, resolved_by: null },
          ...{ act: null, reason: null },
        })
        for (const { id } of found) assert.isBelow(partitionOfId(id) ?? partitions, partitions)
        yield* run
        assert.deepStrictEqual(yield* store.list(page), found)
        assert.deepStrictEqual(door.asked, [])
      }),
    ),
  )

  const openPage = { state: undefined, kind: undefined, beforeId: undefined, limit: 10 }

  it.effect(
    "a Pix without a txid is compared with the charge that has it, and differs by its returns alone",
    () =>
      sweeps(({ door, script, charge, run }) =>
        Effect.gen(function* () {
          const id = charge(1)
          const pix = { account: "elsewhere:1", endToEndId: "E1" }
          yield* (yield* PixClaimStore).claim(pix, id)
          script.received = [[pixOf("E1", undefined)]]
          assert.deepInclude(yield* run, { success: ended(1, 0) })
          const back = { id: "D1", amount: 10, kind: "refund", status: "done" } as const
          script.received = [[{ ...pixOf("E1", undefined), refunds: [back] }]]
          assert.deepInclude(yield* run, { success: ended(1, 1) })
          assert.deepStrictEqual(door.asked, [`${id} E1 D1`])
          assert.deepStrictEqual(yield* (yield* ExceptionStore).list(openPage), [])
        }),
      ),
  )

  it.effect("a Pix without a txid is the charge's that the query of the Pix names", () =>
    sweeps(({ door, script, charge, run }) =>
      Effect.gen(function* () {
        const id = charge(1, "pending")
        script.received = [[pixOf("E1", undefined)]]
        script.pix.set("E1", pixOf("E1", txidOf(id)))
        assert.deepInclude(yield* run, { success: ended(1, 1) })
        assert.deepStrictEqual(door.asked, [`${id} E1 -`])
        assert.deepStrictEqual(yield* (yield* ExceptionStore).list(openPage), [])
      }),
    ),
  )

  it.effect("what went back of a Pix that names no charge is an exception of its own, once", () =>
    sweeps(({ script, run }) =>
      Effect.gen(function* () {
        const back = { id: "D1", amount: 10, kind: "chargeback", status: "done" } as const
        script.received = [[{ ...pixOf("E7", undefined), refunds: [back] }]]
        yield* run
        yield* run
        const found = yield* (yield* ExceptionStore).list(openPage)
        assert.deepStrictEqual(found.map(({ kind }) => kind).sort(), ["payment_returned", "payment_unknown"])
      }),
    ),
  )

  it.effect("a withdrawal of another account is a partner_changed, and its payout is not asked about", () =>
    sweeps(({ door, script, withdrawal, run }) =>
      Effect.gen(function* () {
        const id = withdrawal(1, "processing")
        const { withdrawals } = yield* MemoryStore
        const stored = withdrawals.get(id)
        if (stored === undefined) return assert.fail("it was not stored")
        withdrawals.set(id, { ...stored, account: "elsewhere:2" })
        script.sent = [[payoutOf(payoutIdOf(id))]]
        assert.deepInclude(yield* run, { success: ended(1, 1) })
        const found = yield* (yield* ExceptionStore).findFact(id, `partner_changed:${id}`)
        assert.deepInclude(found, { kind: "partner_changed", sellerId, account: "elsewhere:2" })
        assert.deepStrictEqual(door.asked, [])
      }),
    ),
  )

  it.effect("a sweep is not complete with an answer that did not come", () =>
    sweeps(({ door, script, charge, withdrawal, run }) =>
      Effect.gen(function* () {
        script.received = [[1, 2, 3, 4].map((i) => pixOf(`E${i}`, txidOf(charge(i, "pending"))))]
        script.sent = [[payoutOf(payoutIdOf(withdrawal(1, "processing")))]]
        door.answers.set(chargeIdOf(1), { kind: "unavailable", reason: "the seller's actor is overloaded" })
        door.answers.set(chargeIdOf(2), { kind: "missing" })
        // The acquirer's own books do not agree yet: nothing is known.
        door.answers.set(chargeIdOf(3), { kind: "pending" })
        assert.deepInclude(yield* run, { success: ended(5, 5, 2) })
        door.answers.set(withdrawalIdOf(1), { kind: "unavailable", reason: "no answer" })
        assert.deepInclude(yield* run, { success: ended(5, 5, 3) })
      }),
    ),
  )

  it.effect(
    "items that cannot be read are reported with their place, each digest once, and the others compared",
    () =>
      sweeps(({ door, script, charge, run }) =>
        Effect.gen(function* () {
          script.received = [[pixOf("E1", txidOf(charge(1, "pending")))], []]
          script.unreadable.set("received 0", [unreadableItem("a", 1)])
          script.unreadable.set("received 1", [unreadableItem("a", 0), unreadableItem("b", 1)])
          script.unreadable.set("sent 0", [unreadableItem("c", 7)])
          const at = (list: "received" | "sent", page?: string) => ({ list, window, page })
          const items = [
            { ...unreadableItem("a", 1), ...at("received") },
            { ...unreadableItem("b", 1), ...at("received", "1") },
            { ...unreadableItem("c", 7), ...at("sent") },
          ]
          assert.deepInclude(yield* run, { success: { ...ended(1, 1), unread: { items, more: 0 } } })
          assert.deepStrictEqual(door.asked, [`${chargeIdOf(1)} E1 -`])
        }),
      ),
  )

  it.effect("as many items that cannot be read are reported as the limit says, and more are counted", () =>
    sweeps(({ script, run }) =>
      Effect.gen(function* () {
        const most = limits.sweepUnreadableReadMax
        const many = Array.from({ length: most + 1 }, (_, i) => ({ ...unreadableItem("a"), digest: `${i}` }))
        script.unreadable.set("received 0", many.slice(0, most))
        const atLimit = yield* run
        assert.strictEqual(atLimit._tag === "Success" ? atLimit.success.unread.items.length : 0, most)
        assert.strictEqual(atLimit._tag === "Success" ? atLimit.success.unread.more : -1, 0)
        script.unreadable.set("sent 0", many.slice(most))
        const past = yield* run
        assert.strictEqual(past._tag === "Success" ? past.success.unread.items.length : 0, most)
        assert.strictEqual(past._tag === "Success" ? past.success.unread.more : -1, 1)
      }),
    ),
  )

  it.effect("a page that cannot be read ends the sweep, after what the pages before it called for", () =>
    sweeps(({ door, script, charge, run }) =>
      Effect.gen(function* () {
        script.received = [
          [pixOf("E1", txidOf(charge(1, "pending")))],
          [pixOf("E2", txidOf(charge(2, "pending")))],
        ]
        script.failsAt = { list: "received", page: 1 }
        const report = yield* run
        assert.deepInclude(report, { _tag: "Failure" })
        assert.deepStrictEqual(door.asked, [`${chargeIdOf(1)} E1 -`])
        script.failsAt = undefined
        assert.deepInclude(yield* run, { success: ended(2, 2) })
      }),
    ),
  )

  it.effect("a page that does not come in time ends the sweep", () =>
    sweeps(({ script, run }) =>
      Effect.gen(function* () {
        script.delayMillis = limits.acquirerTimeoutMillis + 1
        const fiber = yield* Effect.forkChild(run)
        yield* pass(limits.acquirerTimeoutMillis)
        assert.deepInclude(yield* Fiber.join(fiber), { _tag: "Failure" })
      }),
    ),
  )

  it.effect("a sweep asks about so many differences at once, and no more", () =>
    sweeps(({ door, script, charge, run }) =>
      Effect.gen(function* () {
        const count = limits.sweepReadAtOnce + 1
        const ids = Array.from({ length: count }, (_, i) => charge(i, "pending"))
        script.received = [ids.map((id, i) => pixOf(`E${i}`, txidOf(id)))]
        assert.deepInclude(yield* run, { success: ended(count, count) })
        assert.strictEqual(door.most, limits.sweepActsAtOnce)
        assert.strictEqual(new Set(door.asked).size, count)
      }),
    ),
  )

  it.effect("a sweep waits while requests wait, and goes on all the same after a while", () => {
    const requests = { now: limits.dueWorkYieldsAboveMillis + 1 }
    return runs(sweepWorld(requests), () =>
      Effect.gen(function* () {
        const { script, charge, begin } = yield* openSweep
        script.received = [[pixOf("E1", txidOf(charge(1)))]]
        const fiber = yield* begin
        yield* settle
        const mostMillis = limits.auditYieldLooksMax * limits.dueWorkLookMillis
        yield* TestClock.adjust(mostMillis - 1)
        yield* settle
        assert.deepStrictEqual(script.pages, ["received 0"])
        yield* TestClock.adjust(1)
        yield* settle
        assert.deepStrictEqual(script.pages, ["received 0", "sent 0"])
        assert.deepInclude(yield* Fiber.join(fiber), { _tag: "Success" })
      }),
    )
  })
})

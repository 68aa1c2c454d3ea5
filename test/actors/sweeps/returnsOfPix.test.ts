import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { ReceivedPix } from "../../../actors/ports/acquirer.ts"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import { PixClaimStore } from "../../../actors/ports/pixClaimStore.ts"
import {
  decideResolved,
  exceptionBeside,
  exceptionOfNobody,
  exceptionOfResource,
  readException,
} from "../../../actors/seller/decisions/exceptionDocument.ts"
import { makeSweep } from "../../../actors/sweeps/sweep.ts"
import { makeId, txidOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { ExceptionKind } from "../../../schema/resources/exception.ts"
import { MemoryStore } from "../../model/state.ts"
import { acquirerWith, emptyScript, partitions, sweepWorld } from "../support/books.ts"
import { nowMillis, storedCharge } from "../support/charges.ts"
import { pass } from "../support/settle.ts"

const chargeId = makeId("txn_", nowMillis, 5, new Uint8Array(14))
const account = "elsewhere:1"
const window = { fromMillis: nowMillis - 1_000, toMillis: nowMillis }

const back = { id: "D1", amount: 400, kind: "chargeback", status: "done" } as const
const pix = (changes: Partial<ReceivedPix> = {}): ReceivedPix => ({
  ...{ endToEndId: "E2", amount: 1_000, refunds: [back], txid: txidOf(chargeId), receivedMillis: nowMillis },
  ...changes,
})

/** A live charge with an exception of E2, and a sweep of what the bank lists. */
const open = Effect.fnUntraced(function* (kind: ExceptionKind) {
  const script = emptyScript()
  const acquirer = acquirerWith(script)
  const sweep = yield* makeSweep(acquirer, acquirer.books)
  const charge = {
    ...storedCharge("paid", { end_to_end_id: "E1" }),
    id: chargeId,
    mode: "live",
    account,
  } as const
  const { transactions } = yield* MemoryStore
  transactions.set(chargeId, charge)
  const found = { kind, about: "E2", acquirer: "elsewhere", amount: 1_000, details: { end_to_end_id: "E2" } }
  const exceptions = yield* ExceptionStore
  const { id } = yield* exceptions.open(
    exceptionOfResource(found, { type: "transaction", ...charge }, nowMillis),
  )
  return {
    id,
    kinds: Effect.map(
      exceptions.list({ state: undefined, kind: undefined, beforeId: undefined, limit: 100 }),
      (all) =>
        all
          .map(readException)
          .map((one) => `${one.kind} ${one.details.return_id ?? ""}`)
          .sort(),
    ),
    sweeps: (...received: ReadonlyArray<ReceivedPix>) =>
      Effect.gen(function* () {
        script.received = [received]
        const fiber = yield* Effect.forkChild(sweep({ window }))
        for (let i = 0; i < 100 && fiber.pollUnsafe() === undefined; i++) yield* pass(100)
        return yield* Fiber.join(fiber)
      }),
  }
})

type Opened = Effect.Success<ReturnType<typeof open>>
const { door, layer } = sweepWorld()
const world = <A, E, R>(kind: ExceptionKind, program: (opened: Opened) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(nowMillis)
    door.asked.length = 0
    door.answers.clear()
    return yield* program(yield* open(kind))
  }).pipe(Effect.provide(layer))

describe("a Pix of a charge that only the list has", () => {
  it.effect("what goes back of it is a payment_returned beside its payment_unconfirmed, once", () =>
    world("payment_unconfirmed", ({ kinds, sweeps }) =>
      Effect.gen(function* () {
        door.answers.set(chargeId, { kind: "pending", queryStatus: "unknown" })
        yield* sweeps(pix({ refunds: [{ ...back, status: "processing" }] }))
        assert.deepStrictEqual(yield* kinds, ["payment_unconfirmed "])
        for (const _ of [1, 2]) yield* sweeps(pix())
        assert.deepStrictEqual(yield* kinds, ["payment_returned D1", "payment_unconfirmed "])
      }),
    ),
  )
})

describe("a return that was found beside a payment_unknown", () => {
  it.effect("is the charge's once the list alone has it of the charge's own Pix", () =>
    world("partner_changed", ({ sweeps }) =>
      Effect.gen(function* () {
        const exceptions = yield* ExceptionStore
        const found = { kind: "payment_unknown", about: "E1", acquirer: "elsewhere", amount: 1_000 } as const
        const unknown = exceptionOfNobody({ ...found, details: {} }, account, partitions, nowMillis)
        const { id } = yield* exceptions.open(unknown)
        const stored = yield* exceptions.load(id)
        if (stored === undefined) return assert.fail("no exception")
        const about = {
          kind: "payment_returned",
          about: "E1:D1",
          acquirer: "elsewhere",
          amount: 400,
        } as const
        const beside = exceptionBeside({ ...about, details: {} }, stored, nowMillis)
        yield* exceptions.open(beside)
        const resolution = { act: "dismiss", reason: "It has paid a charge", operatorIds: [] } as const
        const change = decideResolved(stored, resolution, { nowMillis, offsetMillis: 0 })
        yield* exceptions.commit({ change, timers: [], timersDone: [] })

        door.answers.set(chargeId, { kind: "pending", queryStatus: "unknown" })
        for (let n = 0; n < limits.unconfirmedSweepsMin; n++) {
          yield* sweeps(pix({ endToEndId: "E1" }))
          yield* TestClock.adjust(limits.unconfirmedMillisMin / 4)
        }
        const open = yield* exceptions.list({
          ...{ state: "open", kind: "payment_returned", beforeId: undefined, limit: 10 },
        })
        assert.deepStrictEqual(
          open.map((one) => readException(one).resource_id),
          [chargeId],
        )
      }),
    ),
  )
})

describe("a return of a Pix that two charges name", () => {
  const otherId = makeId("txn_", nowMillis, 6, new Uint8Array(14))
  /** The claim is another charge's, which the Pix has paid, or has not. */
  const claimed = (paidBy: string) =>
    Effect.gen(function* () {
      yield* (yield* PixClaimStore).claim({ account, endToEndId: "E2" }, otherId)
      const { transactions } = yield* MemoryStore
      const listed = { kind: "double_payment", end_to_end_id: "E2", amount: 1_000, created_at: "" } as const
      transactions.set(chargeId, {
        ...storedCharge("paid", { end_to_end_id: "E1", exceptions: [listed] }),
        ...{ id: chargeId, mode: "live", account },
      })
      transactions.set(otherId, {
        ...storedCharge("paid", { end_to_end_id: paidBy }),
        ...{ id: otherId, mode: "live", account },
      })
    })

  it.effect("is asked about of the charge that it paid, whichever its item names", () =>
    world("double_payment", ({ sweeps }) =>
      Effect.gen(function* () {
        yield* claimed("E2")
        yield* sweeps(pix())
        assert.deepStrictEqual(door.asked, [`${otherId} E2 D1`])
      }),
    ),
  )

  it.effect("is its own charge's where a claim was never used", () =>
    world("double_payment", ({ sweeps }) =>
      Effect.gen(function* () {
        yield* claimed("E9")
        yield* sweeps(pix())
        assert.deepStrictEqual(door.asked, [`${chargeId} E2 D1`])
      }),
    ),
  )

  it.effect("is that of the exception which was credited with it, where that is of no charge", () =>
    world("double_payment", ({ kinds, sweeps }) =>
      Effect.gen(function* () {
        const exceptions = yield* ExceptionStore
        const found = { kind: "payment_unknown", about: "E2", acquirer: "elsewhere", amount: 1_000 } as const
        const details = { end_to_end_id: "E2" }
        const unknown = exceptionOfNobody({ ...found, details }, account, partitions, nowMillis)
        const { id } = yield* exceptions.open(unknown)
        yield* (yield* PixClaimStore).claim({ account, endToEndId: "E2" }, id)
        yield* sweeps(pix())
        assert.deepStrictEqual(door.asked, [])
        assert.deepStrictEqual(yield* kinds, ["double_payment ", "payment_returned D1", "payment_unknown "])
      }),
    ),
  )
})

describe("an item without a txid", () => {
  it.effect("is compared with the charge whose exception has its Pix, and its return asked about", () =>
    world("double_payment", ({ id, kinds, sweeps }) =>
      Effect.gen(function* () {
        yield* (yield* PixClaimStore).claim({ account, endToEndId: "E2" }, id)
        const { transactions } = yield* MemoryStore
        const listed = { kind: "double_payment", end_to_end_id: "E2", amount: 1_000, created_at: "" } as const
        transactions.set(chargeId, {
          ...storedCharge("paid", { end_to_end_id: "E1", exceptions: [listed] }),
          ...{ id: chargeId, mode: "live", account },
        })
        yield* sweeps(pix({ txid: undefined, refunds: [] }))
        assert.deepStrictEqual(door.asked, [])
        yield* sweeps(pix({ txid: undefined }))
        assert.deepStrictEqual(door.asked, [`${chargeId} E2 D1`])
        assert.deepStrictEqual(yield* kinds, ["double_payment "])
      }),
    ),
  )
})

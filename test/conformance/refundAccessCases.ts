import { randomBytes } from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type RefundPage, RefundStore } from "../../actors/ports/refundStore.ts"
import { type Principal, sessionPrincipal } from "../../actors/values/principal.ts"
import { makeId, partitionOfId } from "../../schema/ids.ts"
import { hashOf, openShop } from "./fixtures.ts"
import {
  type Counter,
  openCounter,
  openRefund,
  openRefundable,
  pass,
  preconditionsOf,
  refundScope,
  request,
  requestOf,
} from "./refunds.ts"
import { Stage, type StoreCase, storeCase } from "./stage.ts"
import { balance, balanceOf, credit, writingNothing } from "./withdrawals.ts"

const firstMillis = 1_795_000_000_000
const everything: RefundPage = {
  ...{ status: undefined, transactionId: undefined, fromMillis: undefined, toMillis: undefined },
  ...{ beforeId: undefined, limit: 100 },
}

/** The ids of a page. */
const listed = (owner: Principal, page: Partial<RefundPage> = {}) =>
  Effect.gen(function* () {
    const answer = yield* (yield* RefundStore).list(owner, { ...everything, ...page })
    if ("kind" in answer) return yield* Effect.die(new Error(answer.kind))
    return answer.map(({ id }) => id)
  })

/** Refunds of a charge requested at chosen times of their ids, 1,000 ms apart, oldest first; all failed but the last. */
const refundsAt = ({ live, charge }: Pick<Counter, "live" | "charge">, startMillis: number, count: number) =>
  Effect.forEach(Array.from({ length: count }), (_, index) =>
    Effect.gen(function* () {
      const partition = partitionOfId(live.sellerId) ?? 0
      const id = makeId("rfd_", startMillis + index * 1_000, partition, randomBytes(14))
      const open = yield* openRefund({ live, charge }, {}, { id })
      if (index < count - 1) yield* pass(open, "failed")
      return id
    }),
  )

const foreign: StoreCase = storeCase(
  "a refund that was not requested, or is of another seller or mode, is neither read nor listed",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const counter = yield* openCounter()
    const { shop, live, charge } = counter
    const other = yield* openShop()
    const unwritten = (yield* requestOf(counter)).refund
    const { refund } = yield* openRefund(counter)
    const session = sessionPrincipal(shop.sellerId, "live", "a-user")
    assert.deepStrictEqual(yield* store.get(live, refund.id), refund)
    assert.deepStrictEqual(yield* store.get(session, refund.id), refund)
    assert.deepStrictEqual(yield* listed(session), [refund.id])
    for (const id of [unwritten.id, "rfd_nothing-like-an-id", "", charge.id]) {
      assert.isUndefined(yield* store.get(live, id))
      assert.isUndefined(yield* store.load(id))
    }
    for (const stranger of [shop.test, other.live, other.test]) {
      assert.isUndefined(yield* store.get(stranger, refund.id))
      assert.deepStrictEqual(yield* listed(stranger), [])
      assert.deepStrictEqual(yield* listed(stranger, { status: "pending" }), [])
      assert.deepStrictEqual(yield* listed(stranger, { transactionId: charge.id }), [])
      assert.deepStrictEqual(yield* listed(stranger, { transactionId: charge.id, status: "pending" }), [])
    }
  }),
)

const window: StoreCase = storeCase(
  "the refund list has an inclusive window, an exclusive cursor and a limit, of a charge or of all",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const { live, charge } = counter
    const [a, b, c, d] = yield* refundsAt(counter, firstMillis, 4)
    for (const filter of [{}, { transactionId: charge.id }]) {
      assert.deepStrictEqual(yield* listed(live, filter), [d, c, b, a])
      const inner = { ...filter, fromMillis: firstMillis + 1_000, toMillis: firstMillis + 2_000 }
      assert.deepStrictEqual(yield* listed(live, inner), [c, b])
      const between = { ...filter, fromMillis: firstMillis + 1_001, toMillis: firstMillis + 1_999 }
      assert.deepStrictEqual(yield* listed(live, between), [])
      assert.deepStrictEqual(yield* listed(live, { ...filter, beforeId: c ?? "" }), [b, a])
      assert.deepStrictEqual(yield* listed(live, { ...filter, beforeId: a ?? "" }), [])
      assert.deepStrictEqual(yield* listed(live, { ...filter, limit: 1 }), [d])
      const rest = { ...filter, beforeId: d ?? "", fromMillis: firstMillis, limit: 2 }
      assert.deepStrictEqual(yield* listed(live, rest), [c, b])
      assert.deepStrictEqual(yield* listed(live, { ...filter, status: "failed", limit: 2 }), [c, b])
      assert.deepStrictEqual(yield* listed(live, { ...inner, status: "failed", beforeId: c ?? "" }), [b])
      assert.deepStrictEqual(yield* listed(live, { ...filter, status: "pending" }), [d])
    }
  }),
)

const ofCharge: StoreCase = storeCase(
  "the refund list of a charge has that charge's refunds alone",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const { live, charge } = counter
    const second = yield* openRefundable(live)
    const { refund: ofFirst } = yield* openRefund(counter)
    const { refund: ofSecond } = yield* openRefund({ live, charge: second })
    assert.deepStrictEqual(yield* listed(live, { transactionId: charge.id }), [ofFirst.id])
    assert.deepStrictEqual(yield* listed(live, { transactionId: second.id }), [ofSecond.id])
    assert.sameMembers([...(yield* listed(live))], [ofFirst.id, ofSecond.id])
    const third = yield* openRefundable(live)
    for (const id of [third.id, "txn_nothing-like-an-id", ""]) {
      assert.deepStrictEqual(yield* listed(live, { transactionId: id }), [], id)
    }
  }),
)

const byStatus: StoreCase = storeCase(
  "a refund is listed under its status alone, from one to the next",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const { live, charge } = counter
    const isListed = (id: string, status: string) =>
      Effect.forEach(["pending", "processing", "succeeded", "failed"] as const, (one) =>
        Effect.gen(function* () {
          const wanted = one === status ? [id] : []
          assert.deepStrictEqual(yield* listed(live, { status: one }), wanted, `${one} while ${status}`)
          const ofOne = { status: one, transactionId: charge.id }
          assert.deepStrictEqual(yield* listed(live, ofOne), wanted, `${one} of the charge`)
        }),
      )
    let refunding = yield* openRefund(counter)
    yield* isListed(refunding.refund.id, "pending")
    for (const to of ["processing", "succeeded"] as const) {
      refunding = yield* pass(refunding, to)
      yield* isListed(refunding.refund.id, to)
    }
    assert.deepStrictEqual(yield* listed(live), [refunding.refund.id])
  }),
)

/** What each call of the store answers a principal. */
const answersTo = (principal: Principal, counter: Pick<Counter, "live" | "charge">, refundId: string) =>
  Effect.gen(function* () {
    const store = yield* RefundStore
    const commit = { ...(yield* requestOf(counter)), principal }
    return yield* writingNothing(
      Effect.all({
        create: request(commit),
        readPreconditions: store.readPreconditions(principal, commit.idempotency, counter.charge.id),
        get: store.get(principal, refundId),
        list: store.list(principal, everything),
        listOfCharge: store.list(principal, { ...everything, transactionId: counter.charge.id }),
      }),
    )
  })

const keyInvalid = { kind: "keyInvalid" } as const
const shutOut = {
  ...{ create: keyInvalid, readPreconditions: keyInvalid, get: keyInvalid },
  ...{ list: keyInvalid, listOfCharge: keyInvalid },
}

const unknownKey: StoreCase = storeCase(
  "an unknown or another seller's API key reads and requests no refund, and writes nothing",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const { refund } = yield* openRefund(counter)
    const stranger = { ...counter.live, keyHash: hashOf("no such key") }
    assert.deepStrictEqual(yield* answersTo(stranger, counter, refund.id), shutOut)
    const borrowed = { ...counter.live, keyHash: (yield* openShop()).live.keyHash }
    assert.deepStrictEqual(yield* answersTo(borrowed, counter, refund.id), shutOut)
  }),
  { needs: ["contents"] },
)

const revokedKey: StoreCase = storeCase(
  "a revoked API key cannot even read its own refund, and a session still can",
  Effect.gen(function* () {
    const { revokeKey } = yield* Stage
    const counter = yield* openCounter()
    const { shop, live } = counter
    const { refund } = yield* openRefund(counter)
    const session = sessionPrincipal(shop.sellerId, "live", "a-user")
    yield* revokeKey(live)
    const ofSession = { ...counter, live: session }
    assert.deepStrictEqual(yield* answersTo(live, ofSession, refund.id), shutOut)
    assert.deepStrictEqual(yield* listed(session), [refund.id])
    yield* openRefund(ofSession)
  }),
  { needs: ["revokeKey", "contents"] },
)

const refused: StoreCase = storeCase(
  "a suspended seller, or in live one without approved KYC, reads refunds but requests none",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const approved = yield* openCounter()
    const commit = yield* requestOf(approved)
    const shops = [
      ...[{ status: "suspended" } as const, { status: "suspended", kycStatus: "pending" } as const],
      ...(["pending", "rejected"] as const).map((kycStatus) => ({ kycStatus })),
    ]
    for (const fields of shops) {
      const shop = yield* openShop(fields)
      for (const principal of [shop.live, shop.test]) {
        const isSuspended = "status" in fields
        const inLive = principal.mode === "live" ? ("kycRequired" as const) : undefined
        const kind = isSuspended ? ("sellerNotAllowed" as const) : inLive
        const looked = yield* store.readPreconditions(principal, refundScope(), approved.charge.id)
        assert.strictEqual(looked.kind, kind ?? "missing")
        const { kind: answer } = yield* writingNothing(request({ ...commit, principal }))
        assert.strictEqual(answer, kind ?? "stale")
        assert.deepStrictEqual(yield* listed(principal), [])
        assert.deepStrictEqual(yield* balanceOf(principal), balance())
      }
    }
    const poor = yield* openShop({ payoutLockedUntilMillis: firstMillis * 2 })
    const charge = yield* credit(poor.live, 1_000)
    assert.strictEqual((yield* preconditionsOf(poor.live, charge.id)).kind, "open", "a payout lock")
  }),
  { needs: ["contents"] },
)

/** Reads of refunds, and who may make them (`docs/contract/refunds.md#list`). */
export const refundAccessCases: ReadonlyArray<StoreCase> = [
  foreign,
  window,
  ofCharge,
  byStatus,
  unknownKey,
  revokedKey,
  refused,
]

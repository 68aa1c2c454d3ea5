import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { destinationIdOfPostback } from "../../actors/delivery/destinationId.ts"
import { EventLog } from "../../actors/ports/eventLog.ts"
import { RefundStore, type StoredRefund } from "../../actors/ports/refundStore.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { chargeReturned } from "../../actors/seller/decisions/movements.ts"
import { partiallyRefundedEventType } from "../../schema/events.ts"
import { claimAll } from "./attempts.ts"
import { eventsOf, freshIdBeside, move, openCharge, openEndpoint, transitionOf } from "./fixtures.ts"
import { amount, documentOf, openCounter, openRefund, preconditionsOf, type Refunding } from "./refunds.ts"
import { type StoreCase, storeCase } from "./stage.ts"
import { entriesOf, writingNothing } from "./withdrawals.ts"

const postbackUrl = "https://shop.example/postback"
const applied = { kind: "applied" } as const
const stale = { kind: "stale" } as const
const missing = { kind: "missing" } as const

/** The commit of a charge that books a refund which began at the acquirer. */
const bookingOf = ({ charge }: Pick<Refunding, "charge">, refundId: string) =>
  transitionOf(charge, "paid", {
    eventType: partiallyRefundedEventType,
    movement: chargeReturned({ id: charge.id, reserve: null }, { kind: "refund", amount, isWhole: false }),
    refund: {
      id: refundId,
      document: documentOf(refundId, "succeeded"),
      eventType: "refund.succeeded",
    },
  })

const booked: StoreCase = storeCase(
  "a charge's commit books a refund that began at the acquirer: ended, without a hold, its event first",
  Effect.gen(function* () {
    const [store, transactions] = [yield* RefundStore, yield* TransactionStore]
    const counter = yield* openCounter()
    const { live, charge } = counter
    const endpoint = yield* openEndpoint(live, ["refund.succeeded", "transaction.partially_refunded"])
    const open = yield* openRefund(counter)
    const id = yield* freshIdBeside("rfd_", live.sellerId)
    const commit = bookingOf(open, id)
    const postback = { url: postbackUrl }
    assert.deepStrictEqual(yield* transactions.transition({ ...commit, postback }), applied)
    const { document } = commit.refund ?? { document: "" }
    const refund: StoredRefund = {
      ...{ id, sellerId: live.sellerId, mode: "live", transactionId: charge.id, status: "succeeded" },
      ...{ version: 1, document, heldFromReserve: 0 },
    }
    assert.deepStrictEqual(yield* store.load(id), refund)
    assert.deepStrictEqual(yield* store.get(live, id), refund)
    const { refunding, refunds } = yield* preconditionsOf(live, charge.id)
    assert.deepStrictEqual([refunding, refunds], [amount, 2], "those under way stay as they are")
    const told = (yield* eventsOf(live)).slice(-2)
    assert.deepStrictEqual(
      told.map(({ type, resourceId, internal, data }) => [type, resourceId, internal, data]),
      [
        ["refund.succeeded", id, false, document],
        ["transaction.partially_refunded", charge.id, false, commit.document],
      ],
    )
    const log = yield* EventLog
    assert.deepStrictEqual(yield* log.entriesOfResource(live, id), [told[0]?.entryId ?? ""])
    assert.strictEqual((yield* log.entriesOfResource(live, charge.id)).at(-1), told[1]?.entryId)
    const entry = (yield* entriesOf(live)).at(-1)
    assert.deepStrictEqual(
      [entry?.kind, entry?.eventEntryId, entry?.resourceId],
      ["charge_partially_refunded", told[1]?.entryId, charge.id],
    )
    const owed = (yield* claimAll(endpoint.id)).map(({ entry: { type } }) => type)
    assert.deepStrictEqual(owed, ["refund.succeeded", "transaction.partially_refunded"])
    const posted = yield* claimAll(destinationIdOfPostback(live.sellerId, "live", postbackUrl))
    assert.deepStrictEqual(
      posted.map(({ entry: { type } }) => type),
      ["transaction.partially_refunded"],
    )
  }),
)

const bookedAccount: StoreCase = storeCase(
  "a refund that a charge's commit books has the charge's acquirer account, and its timers are the charge's",
  Effect.gen(function* () {
    const [store, transactions] = [yield* RefundStore, yield* TransactionStore]
    const { shop, live } = yield* openCounter()
    const unsent = yield* openCharge(live)
    const id = yield* freshIdBeside("txn_", live.sellerId)
    const account = "api-pix:0123456789abcdef"
    const transaction = { ...unsent, id, account, document: documentOf(id, "pending") }
    const creation = {
      ...{ principal: live, transaction, eventType: "transaction.created" as const },
      idempotency: { route: "r", key: "k", fingerprint: "f", executionId: "e" },
      timers: [{ name: "expire", resourceId: id, dueMillis: 1_000 }],
    }
    assert.deepStrictEqual(yield* transactions.create(creation), { kind: "created" })
    const charge = yield* move(transaction, "paid")
    const refundId = yield* freshIdBeside("rfd_", live.sellerId)
    const commit = bookingOf({ charge }, refundId)
    const timersOf = { timers: [{ name: "ask", resourceId: id, dueMillis: 1_000 }], timersDone: ["expire"] }
    assert.deepStrictEqual(yield* transactions.transition({ ...commit, ...timersOf }), applied)
    assert.strictEqual((yield* store.load(refundId))?.account, account)
    const { due } = yield* (yield* TimerQueue).claim(shop.partition, 10)
    assert.deepStrictEqual(
      due.map(({ name, resourceId }) => `${resourceId}:${name}`),
      [`${id}:ask`],
    )
  }),
)

const bookedStale: StoreCase = storeCase(
  "a charge's commit that is stale or missing books no refund",
  Effect.gen(function* () {
    const transactions = yield* TransactionStore
    const counter = yield* openCounter()
    const open = yield* openRefund(counter)
    const id = yield* freshIdBeside("rfd_", counter.live.sellerId)
    yield* writingNothing(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* transactions.transition(bookingOf(counter, id)), stale)
        const unwritten = yield* freshIdBeside("txn_", counter.live.sellerId)
        const lost = { ...bookingOf(open, id), transactionId: unwritten }
        assert.deepStrictEqual(yield* transactions.transition(lost), missing)
      }),
    )
  }),
  { needs: ["contents"] },
)

/** Refunds that began at the acquirer, which their charge's commit books (`docs/contract/refunds.md#origins`). */
export const refundBookingCases: ReadonlyArray<StoreCase> = [booked, bookedAccount, bookedStale]

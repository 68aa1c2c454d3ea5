import { createHmac } from "node:crypto"
import { Effect } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Inbox } from "../../actors/inbox/inbox.ts"
import type { PaymentReport, RefundReport } from "../../actors/ports/acquirer.ts"
import { InboxStore } from "../../actors/ports/inboxStore.ts"
import { readCharge } from "../../actors/seller/decisions/transactionTransitions.ts"
import { simulateOutcome } from "../../actors/seller/operations/simulateOutcome.ts"
import { SellerActors } from "../../actors/seller/sellerActor.ts"
import { isOfReturn } from "../../actors/values/acquirerRefund.ts"
import { noticeTimerName } from "../../actors/values/receivedNotice.ts"
import { txidOf } from "../../schema/ids.ts"
import { readNotices } from "../../src/acquirers/apiPix/notices.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { sizes } from "../support/sizes.ts"
import { readAccount } from "./account.ts"
import { makeAcquirerBooks } from "./acquirerBooks.ts"
import { createCharge } from "./fund.ts"
import { makeSeller, noticeSecret, startMoneyProcess } from "./process.ts"

const histories = sizes.moneyHistories
const sideBySide = 20

let redis: TestRedis
let money: ReturnType<typeof startMoneyProcess>
const books = makeAcquirerBooks()
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
  money = startMoneyProcess(redis.url, books, "histories")
})
afterAll(async () => {
  await money.dispose()
  await redis.stop()
})

const amount = 10_000

/** What happens to a charge. */
type Happening =
  | { readonly kind: "expiry" }
  | { readonly kind: "transfer"; readonly amount: number }
  | { readonly kind: "refund"; readonly amount: number; readonly how: "refund" | "chargeback" }

/** How a notice arrives: up to five times, in any order, perhaps with a wrongly signed copy beside it. */
interface Delivery {
  readonly times: number
  readonly isForged: boolean
  readonly place: number
}

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("expiry" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("transfer" as const),
      amount: fc.oneof({ weight: 3, arbitrary: fc.constant(amount) }, fc.constantFrom(1, 9_999, 10_001)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("refund" as const),
      amount: fc.constantFrom(1, 2_500, 5_000, amount),
      how: fc.constantFrom("refund", "chargeback"),
    }),
  },
)
const delivery: fc.Arbitrary<Delivery> = fc.record({
  times: fc.integer({ min: 1, max: 5 }),
  isForged: fc.boolean(),
  place: fc.nat(1_000),
})
const history = fc.record({
  happenings: fc.array(happening, { minLength: 1, maxLength: 6, size: "max" }),
  deliveries: fc.array(delivery, { minLength: 6, maxLength: 6 }),
  /** The happening after which notices begin to arrive; those of earlier ones are held back until then. */
  from: fc.nat(6),
})
type History = typeof history extends fc.Arbitrary<infer H> ? H : never

/** The notice of a transfer and its refunds, as API Pix writes it. */
const bodyOf = (txid: string, payment: PaymentReport): string =>
  JSON.stringify({
    pix: [
      {
        endToEndId: payment.endToEndId,
        txid,
        valor: (payment.amount / 100).toFixed(2),
        ...(payment.refunds.length === 0
          ? {}
          : { devolucoes: payment.refunds.map(({ id }) => ({ id, status: "DEVOLVIDO" })) }),
      },
    ],
  })

const send = Effect.fnUntraced(function* (body: string, isForged: boolean) {
  const inbox = yield* Inbox
  const secret = isForged ? "somebody else's secret" : noticeSecret
  return yield* inbox.receive({
    slug: "acquirer",
    rawBody: Buffer.from(body),
    headers: { "x-webhook-signature": createHmac("sha256", secret).update(body).digest("hex") },
  })
})

/** The inbox's records of a charge's rightly signed notices, by the keys that detect repetitions. */
const recordsOf = Effect.fnUntraced(function* (transactionId: string, bodies: Iterable<string>) {
  const client = yield* RedisClient
  const store = yield* InboxStore
  const tag = keys.tagOf(transactionId)
  const names = new Set(
    [...bodies].flatMap((body) => readNotices(body).map((notice) => notice.providerEventId)),
  )
  const ids = yield* client.callAll(
    [...names].map((name) => ["GET", [keys.noticeSeenKey(tag, "acquirer", name)]] as const),
  )
  const records = yield* Effect.forEach(ids, (id) => store.load(String(id)))
  return records.filter((record) => record !== undefined)
})

/** Processes the charge's notices that are still due, as the scheduler would by their timers. */
const processAll = Effect.fnUntraced(function* (transactionId: string, bodies: Iterable<string>) {
  const inbox = yield* Inbox
  for (const { id, processedAt } of yield* recordsOf(transactionId, bodies)) {
    if (processedAt !== undefined) continue
    yield* inbox.process({ name: noticeTimerName, resourceId: id, leaseEndMillis: 0 })
  }
})

/** Writes what happens into the acquirer's books and returns the notices of it. */
const happen = (
  payments: Array<PaymentReport>,
  txid: string,
  next: Exclude<Happening, { readonly kind: "expiry" }>,
  count: number,
): ReadonlyArray<string> => {
  if (next.kind === "transfer") {
    const payment = { endToEndId: `E${txid.slice(0, 20)}${count}`, amount: next.amount, refunds: [] }
    payments.push(payment)
    return [bodyOf(txid, payment)]
  }
  const paid = payments.findIndex((payment) => payment.amount === amount)
  const before = payments[paid]
  if (before === undefined) return []
  const back = before.refunds.reduce((sum, refund) => sum + refund.amount, 0)
  const refund: RefundReport = {
    ...{ id: `D${count}`, kind: next.how, status: "done" },
    // An acquirer never gives back more than was paid.
    amount: Math.min(next.amount, amount - back),
  }
  if (refund.amount === 0) return []
  const after = { ...before, refunds: [...before.refunds, refund] }
  payments[paid] = after
  return [bodyOf(txid, after)]
}

/** What must become of the charge, by the acquirer's books alone. */
const truth = (payments: ReadonlyArray<PaymentReport>) => {
  const paid = payments.find((payment) => payment.amount === amount)
  const refunds = paid?.refunds ?? []
  const back = refunds.reduce((sum, refund) => sum + refund.amount, 0)
  const isChargeback = refunds.some(({ kind }) => kind === "chargeback")
  return {
    end_to_end_id: paid?.endToEndId ?? null,
    refunded_amount: back,
    refunds: refunds.map(({ id }) => id).sort(),
    exceptions: payments
      .filter((payment) => payment !== paid)
      .map((payment) => [
        payment.endToEndId,
        payment.amount === amount ? "double_payment" : "amount_mismatch",
      ])
      .sort(),
    available: paid === undefined ? 0 : amount - back,
    whole: back === amount ? (isChargeback ? "chargeback" : "refunded") : "paid",
    entries: paid === undefined ? 0 : 1 + refunds.length,
  }
}

/** The acquirer's id of the return that a refund of a charge stands for. */
const acquirerIdOf = (refundId: string, payments: ReadonlyArray<PaymentReport>): string | undefined =>
  payments.flatMap(({ endToEndId, refunds }) =>
    refunds.filter(({ id }) => isOfReturn(refundId, endToEndId, id)).map(({ id }) => id),
  )[0]

const tell = Effect.fnUntraced(function* ({ happenings, deliveries, from }: History) {
  const { principal } = yield* makeSeller()
  const actors = yield* SellerActors
  const id = yield* createCharge(principal, amount)
  const txid = txidOf(id)
  const payments: Array<PaymentReport> = []
  books.payments.set(txid, payments)
  const notices: Array<{ readonly body: string; readonly isForged: boolean; readonly place: number }> = []
  const bodies = new Set<string>()
  let isExpired = false
  for (const [i, next] of happenings.entries()) {
    if (next.kind === "expiry") {
      isExpired ||=
        (yield* Effect.result(actors.ask(simulateOutcome, { transactionId: id, to: "expired" })))._tag ===
        "Success"
    } else {
      const { times, isForged, place } = deliveries[i] ?? { times: 1, isForged: false, place: 0 }
      for (const body of happen(payments, txid, next, i)) {
        // A forgery comes as well: it must not keep the genuine notice out.
        if (isForged) notices.push({ body, isForged, place: place - 1 })
        bodies.add(body)
        for (let n = 0; n < times; n++)
          notices.push({ body, isForged: false, place: (place * (n + 1)) % 997 })
      }
    }
    if (i >= from) {
      for (const notice of notices.splice(0).toSorted((a, b) => a.place - b.place)) {
        yield* send(notice.body, notice.isForged)
      }
      yield* processAll(id, bodies)
    }
  }
  for (const notice of notices.toSorted((a, b) => a.place - b.place))
    yield* send(notice.body, notice.isForged)
  yield* processAll(id, bodies)

  const account = yield* readAccount(principal)
  const stored = account.charges[0]
  if (stored === undefined) throw new Error("the charge is gone")
  const charge = readCharge(stored)
  const expected = truth(payments)
  const own = yield* recordsOf(id, bodies)
  const unpaid = isExpired ? "expired" : "pending"
  return {
    found: {
      status: charge.status,
      end_to_end_id: charge.end_to_end_id,
      refunded_amount: charge.refunded_amount,
      refunds: charge.refunds.map(({ id: refundId }) => acquirerIdOf(refundId, payments)).sort(),
      exceptions: charge.exceptions
        .filter(({ kind }) => kind !== "late_payment")
        .map(({ end_to_end_id, kind }) => [end_to_end_id, kind])
        .sort(),
      isLate: charge.exceptions.some(({ kind }) => kind === "late_payment"),
      available: account.balance.available,
      entries: account.entries.length,
      faults: account.faults,
      records: own.map((notice) => [notice.signatureValid, notice.processedAt !== undefined]),
    },
    expected: {
      status: expected.end_to_end_id === null ? unpaid : expected.whole,
      end_to_end_id: expected.end_to_end_id,
      refunded_amount: expected.refunded_amount,
      refunds: expected.refunds,
      exceptions: expected.exceptions,
      isLate: isExpired && expected.end_to_end_id !== null,
      available: expected.available,
      entries: expected.entries,
      faults: [],
      records: own.map(() => [true, true]),
    },
  }
})

describe("an acquirer's notices", () => {
  it(`in ${histories} histories of repeated, permuted and forged notices, a charge ends as in the acquirer's books`, {
    timeout: 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(history, { minLength: sideBySide, maxLength: sideBySide }), async (told) => {
        const outcomes = await money.runPromise(Effect.forEach(told, tell, { concurrency: sideBySide }))
        for (const { found, expected } of outcomes) expect(found).toEqual(expected)
      }),
      { numRuns: Math.ceil(histories / sideBySide), endOnFailure: true },
    )
    const kept = await money.runPromise(
      Effect.flatMap(InboxStore, (store) =>
        store.list({ state: undefined, beforeId: undefined, limit: 2_000 }),
      ),
    )
    const forged = kept.filter(({ signatureValid }) => !signatureValid)
    expect(forged.length).toBeGreaterThan(0)
    expect(forged.filter(({ attempts, processedAt }) => attempts > 0 || processedAt !== undefined)).toEqual(
      [],
    )
  })
})

import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { RefundStore } from "../../actors/ports/refundStore.ts"
import { reconcileRefund } from "../../actors/seller/operations/reconcileRefund.ts"
import { simulateOutcome } from "../../actors/seller/operations/simulateOutcome.ts"
import { simulateRefund } from "../../actors/seller/operations/simulateRefund.ts"
import { makeRefund } from "../../actors/seller/programs/refund.ts"
import { SellerActors } from "../../actors/seller/sellerActor.ts"
import { refundTimers } from "../../actors/values/refundTimers.ts"
import { acquirerRefundIdOf } from "../../schema/ids.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import { sizes } from "../support/sizes.ts"
import { readAccount } from "./account.ts"
import { fresh, fund, refund, withdraw } from "./fund.ts"
import { makeSeller } from "./process.ts"
import { play, type Services, withTwoProcesses } from "./twoProcesses.ts"

const rounds = sizes.moneyRaceRounds
const { books, run, race: raceAll, runInOther } = withTwoProcesses()

/** A race in which a racer's failure is a value. */
const race = <A>(racer: (index: number) => Effect.Effect<A, unknown, Services>) =>
  raceAll((index) => Effect.result(racer(index)))

/** A seller with a paid charge of 10,000 centavos. */
const newCharge = () =>
  run(
    Effect.gen(function* () {
      const seller = yield* makeSeller()
      const charge = yield* fund(seller.principal, 10_000)
      return { ...seller, transactionId: charge?.id ?? "" }
    }),
  )
type Seller = Awaited<ReturnType<typeof newCharge>>

const accountOf = ({ principal }: Seller) => run(readAccount(principal))

/** Makes a refund and returns its id; throws where it is refused. */
const madeRefund = ({ principal, transactionId }: Seller, amount: number) =>
  run(
    Effect.gen(function* () {
      const answer = yield* refund(principal, transactionId, amount, fresh("refund"))
      if (answer.kind !== "answered" || answer.status !== 201) throw new Error(JSON.stringify(answer))
      return (JSON.parse(answer.body) as { readonly id: string }).id
    }),
  )

/** The status of an answer, or what it is instead of one. */
const statusOf = (result: Result.Result<{ readonly kind: string }, unknown>): string | number => {
  if (Result.isFailure(result)) return "failed"
  const answer = result.success
  return "status" in answer && answer.kind === "answered" ? Number(answer.status) : answer.kind
}

const shownRefunds = (account: Awaited<ReturnType<typeof accountOf>>): ReadonlyArray<Refund> =>
  account.refunds.map(({ document }) => JSON.parse(document))

describe(`50 refunds at once over two processes, ${rounds} times`, () => {
  it("requests at once with one Idempotency-Key make one refund, and those answered get one answer", () =>
    play(async () => {
      const seller = await newCharge()
      const key = fresh("same")
      const answers = await race(() => refund(seller.principal, seller.transactionId, 1_000, key))
      const bodies = answers.flatMap((answer) =>
        Result.isSuccess(answer) && "body" in answer.success ? [answer.success.body] : [],
      )
      expect(new Set(bodies).size).toBe(1)
      expect(answers.filter((answer) => statusOf(answer) === 201)).toHaveLength(1)
      const account = await accountOf(seller)
      expect(account.faults).toEqual([])
      expect(account.balance).toMatchObject({ available: 9_000, pendingRefund: 1_000 })
    }))

  it("requests at once for a fifth each give back no more than the charge", () =>
    play(async () => {
      const seller = await newCharge()
      const answers = await race(() => refund(seller.principal, seller.transactionId, 2_000, fresh("other")))
      const made = answers.filter((answer) => statusOf(answer) === 201).length
      expect(made).toBeGreaterThan(0)
      expect(made).toBeLessThanOrEqual(5)
      const account = await accountOf(seller)
      expect(account.faults).toEqual([])
      expect(account.refunds).toHaveLength(made)
      expect(account.balance).toMatchObject({ available: 10_000 - made * 2_000, pendingRefund: made * 2_000 })
    }))

  it("of refunds and withdrawals of the same money at once one is made", () =>
    play(async () => {
      const seller = await newCharge()
      const { principal, pixKeyId, transactionId } = seller
      const answers = await race((i) =>
        i % 4 < 2
          ? refund(principal, transactionId, undefined, fresh("refund"))
          : withdraw(principal, pixKeyId, 9_900, fresh("withdrawal")),
      )
      expect(answers.filter((answer) => statusOf(answer) === 201)).toHaveLength(1)
      const account = await accountOf(seller)
      expect(account.faults).toEqual([])
      const { available, pendingRefund, pendingWithdraw } = account.balance
      expect([available, pendingRefund + pendingWithdraw]).toEqual([0, 10_000])
    }))

  it("a chargeback takes the charge whole whatever refunds at once hold, which then fail with their money back", () =>
    play(async () => {
      const seller = await newCharge()
      const { principal, transactionId } = seller
      await race((i) =>
        i === 25
          ? Effect.flatMap(SellerActors, (actors) =>
              Effect.asVoid(actors.ask(simulateOutcome, { transactionId, to: "chargeback" })),
            )
          : Effect.asVoid(refund(principal, transactionId, 1_000, fresh("refund"))),
      )
      const held = (await accountOf(seller)).balance.pendingRefund
      // Every refund that is still to be sent is sent, done at the acquirer, and asked about.
      for (const { id } of shownRefunds(await accountOf(seller)).filter(
        ({ origin }) => origin === "seller",
      )) {
        books.refunds.set(acquirerRefundIdOf(id), "done")
        await run(fire(refundTimers.send, id))
        await runInOther(fire(refundTimers.poll, id))
      }
      const account = await accountOf(seller)
      expect(account.faults).toEqual([])
      expect(account.charges.map(({ status }) => status)).toEqual(["chargeback"])
      expect(account.balance).toMatchObject({ available: 0, pendingRefund: 0 })
      expect(held % 1_000).toBe(0)
      const ended = shownRefunds(account).filter(
        ({ status, origin }) => status === "succeeded" && origin === "seller",
      )
      expect(ended).toEqual([])
    }))

  it("notices and polls of one refund's result at once settle it once, and it is sent once", () =>
    play(async () => {
      const seller = await newCharge()
      const id = await madeRefund(seller, 4_000)
      await race(() => fire(refundTimers.send, id))
      expect(books.sendings.get(acquirerRefundIdOf(id))).toBe(1)
      books.refunds.set(acquirerRefundIdOf(id), "done")
      await race((i) =>
        i % 4 < 2
          ? Effect.flatMap(SellerActors, (actors) =>
              Effect.asVoid(actors.ask(reconcileRefund, { refundId: id })),
            )
          : fire(refundTimers.poll, id),
      )
      const account = await accountOf(seller)
      expect(account.faults).toEqual([])
      expect(account.eventsOf(id)).toEqual(["refund.created", "refund.succeeded"])
      expect(account.eventsOf(seller.transactionId).slice(2)).toEqual(["transaction.partially_refunded"])
      expect(account.balance).toMatchObject({ available: 6_000, pendingRefund: 0 })
    }))

  it("only one of many test controls that end a refund at once wins", () =>
    play(async () => {
      const seller = await newCharge()
      const id = await madeRefund(seller, 4_000)
      const outcomes = await race((i) =>
        Effect.flatMap(SellerActors, (actors) =>
          actors.ask(simulateRefund, { refundId: id, act: i % 4 < 2 ? "succeed" : "fail" }),
        ),
      )
      expect(outcomes.filter(Result.isSuccess)).toHaveLength(1)
      const account = await accountOf(seller)
      expect(account.faults).toEqual([])
      expect(account.eventsOf(id)).toHaveLength(2)
    }))
})

/** Fires a timer of a refund. */
const fire = (name: string, id: string) =>
  Effect.gen(function* () {
    const worker = yield* makeRefund
    const stored = yield* Effect.flatMap((yield* RefundStore).load(id), Effect.fromNullishOr)
    const timer = { name, resourceId: id, leaseEndMillis: 0 }
    const run = name === refundTimers.send ? worker.send : worker.poll
    yield* run(timer, stored, { nowMillis: Date.now(), offsetMillis: 0 })
  })

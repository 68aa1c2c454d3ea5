import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import { decideWithdrawal } from "../../actors/seller/operations/decideWithdrawal.ts"
import { reconcilePayout } from "../../actors/seller/operations/reconcilePayout.ts"
import { makeFireWithdrawalTimer } from "../../actors/seller/programs/withdrawalTimer.ts"
import { SellerActors } from "../../actors/seller/sellerActor.ts"
import { payoutIdOf } from "../../schema/ids.ts"
import { sizes } from "../support/sizes.ts"
import { readAccount } from "./account.ts"
import { fresh, fund, madeWithdrawal, withdraw } from "./fund.ts"
import { makeSeller } from "./process.ts"
import { play, racers, withTwoProcesses } from "./twoProcesses.ts"

const rounds = sizes.moneyRaceRounds
const { books, run, race } = withTwoProcesses()

const newSeller = (settings = {}) =>
  run(
    Effect.gen(function* () {
      const seller = yield* makeSeller(settings)
      yield* fund(seller.principal, 10_000)
      return seller
    }),
  )

const accountOf = (seller: Awaited<ReturnType<typeof newSeller>>) => run(readAccount(seller.principal))

describe(`50 at once over two processes, ${rounds} times`, () => {
  it("requests at once with one Idempotency-Key make one withdrawal, and those answered get one answer", () =>
    play(async () => {
      const seller = await newSeller()
      const key = fresh("same")
      const answers = await race(() => withdraw(seller.principal, seller.pixKeyId, 1_000, key))
      const bodies = new Set(answers.flatMap((answer) => ("body" in answer ? [answer.body] : [])))
      expect(bodies.size).toBe(1)
      expect(answers.filter(({ kind }) => kind === "answered")).toHaveLength(1)
      const account = await accountOf(seller)
      expect(account.faults).toEqual([])
      expect(account.withdrawals).toHaveLength(1)
      expect(account.balance).toEqual({
        available: 8_900,
        reserve: 0,
        pendingWithdraw: 1_100,
        pendingRefund: 0,
      })
    }))

  it("requests at once with different Idempotency-Keys make one withdrawal, and the others get 409", () =>
    play(async () => {
      const seller = await newSeller()
      const answers = await race(() => withdraw(seller.principal, seller.pixKeyId, 1_000, fresh("other")))
      const statuses = answers.map((answer) => ("status" in answer ? answer.status : answer.kind))
      expect(statuses.filter((status) => status === 201)).toHaveLength(1)
      expect(statuses.filter((status) => status === 409)).toHaveLength(racers - 1)
      const account = await accountOf(seller)
      expect(account.faults).toEqual([])
      expect(account.withdrawals).toHaveLength(1)
    }))

  it("only one of many cancels and approvals of a withdrawal at once wins", () =>
    play(async () => {
      const seller = await newSeller()
      const id = await run(madeWithdrawal(seller.principal, seller.pixKeyId, 1_000))
      const outcomes = await race((i) =>
        Effect.gen(function* () {
          const actors = yield* SellerActors
          const act = i % 4 < 2 ? "cancel" : "approve"
          return yield* Effect.result(
            actors.ask(decideWithdrawal, { withdrawalId: id, act, reason: undefined }),
          )
        }),
      )
      expect(outcomes.filter(Result.isSuccess)).toHaveLength(1)
      const account = await accountOf(seller)
      expect(account.faults).toEqual([])
      expect(account.eventsOf(id)).toHaveLength(2)
    }))

  it("notices and polls of one payout's result at once settle it once", () =>
    play(async () => {
      const seller = await newSeller({ withdrawalAutoApproval: true })
      const id = await run(madeWithdrawal(seller.principal, seller.pixKeyId, 1_000))
      const payoutId = payoutIdOf(id)
      const fire = (name: string) =>
        Effect.gen(function* () {
          const fireTimer = yield* makeFireWithdrawalTimer
          const stored = yield* Effect.flatMap((yield* WithdrawalStore).load(id), Effect.fromNullishOr)
          const timer = { name, resourceId: id, leaseEndMillis: 0 }
          yield* fireTimer(timer, stored, { nowMillis: Date.now(), offsetMillis: 0 })
        })
      await race(() => fire("pay"))
      expect(books.sendings.get(payoutId)).toBe(1)
      books.payouts.set(payoutId, { status: "paid", endToEndId: `E${payoutId}` })
      await race((i) =>
        i % 4 < 2
          ? Effect.asVoid(
              Effect.flatMap(SellerActors, (actors) => actors.ask(reconcilePayout, { withdrawalId: id })),
            )
          : fire("poll"),
      )
      const account = await accountOf(seller)
      expect(account.faults).toEqual([])
      expect(account.eventsOf(id)).toEqual([
        "withdrawal.approved",
        "withdrawal.processing",
        "withdrawal.successful",
      ])
      expect(account.balance).toEqual({ available: 8_900, reserve: 0, pendingWithdraw: 0, pendingRefund: 0 })
    }))
})

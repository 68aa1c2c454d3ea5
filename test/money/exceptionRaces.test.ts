import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { readException } from "../../actors/seller/decisions/exceptionDocument.ts"
import { readCharge } from "../../actors/seller/decisions/transactionTransitions.ts"
import { reconcileCharge } from "../../actors/seller/operations/reconcileCharge.ts"
import { resolveException } from "../../actors/seller/operations/resolveException.ts"
import { SellerActors } from "../../actors/seller/sellerActor.ts"
import { ApiError } from "../../schema/errors.ts"
import { txidOf } from "../../schema/ids.ts"
import { sizes } from "../support/sizes.ts"
import { readAccount } from "./account.ts"
import { fresh, fund } from "./fund.ts"
import { makeSeller } from "./process.ts"
import { play, withTwoProcesses } from "./twoProcesses.ts"

const amount = 10_000
const rounds = sizes.moneyRaceRounds
const { books, run, race } = withTwoProcesses()

/** A paid charge that the acquirer has received a second payment for. */
const paidTwice = () =>
  run(
    Effect.gen(function* () {
      const { principal } = yield* makeSeller()
      const charge = yield* fund(principal, amount)
      if (charge === undefined) throw new Error("the charge is not there")
      const second = fresh("E00000000202611221200second")
      const transfers = [readCharge(charge).end_to_end_id ?? "", second]
      books.payments.set(
        txidOf(charge.id),
        transfers.map((endToEndId) => ({ endToEndId, amount, refunds: [] })),
      )
      return { principal, transactionId: charge.id, second }
    }),
  )
type PaidTwice = Awaited<ReturnType<typeof paidTwice>>

const reconcile = ({ transactionId, second }: PaidTwice) =>
  Effect.flatMap(SellerActors, (actors) =>
    actors.ask(reconcileCharge, { transactionId, noticed: { endToEndId: second, refundId: undefined } }),
  )

const exceptionsOf = ({ transactionId }: PaidTwice) =>
  run(
    Effect.gen(function* () {
      const { list } = yield* ExceptionStore
      const all = yield* list({ state: undefined, kind: undefined, beforeId: undefined, limit: 5_000 })
      return all.filter((one) => readException(one).resource_id === transactionId)
    }),
  )

const listedOn = ({ transactionId }: PaidTwice) =>
  run(
    Effect.gen(function* () {
      const stored = yield* (yield* TransactionStore).load(transactionId)
      return stored === undefined ? [] : readCharge(stored).exceptions
    }),
  )

const acts = ["credit", "refund", "dismiss"] as const

describe(`an exception over two processes, ${rounds} times`, () => {
  it("a second payment that notices and sweeps tell of at once is one exception, and moves no money", () =>
    play(async () => {
      const charge = await paidTwice()
      await race(() => reconcile(charge))
      expect(await exceptionsOf(charge)).toMatchObject([{ kind: "double_payment", state: "open" }])
      expect(await listedOn(charge)).toHaveLength(1)
      const account = await run(readAccount(charge.principal))
      expect(account.faults).toEqual([])
      expect(account.balance).toMatchObject({ available: amount })
    }))

  it("of the acts of fifty operators at once one is done, and moves its money once", () =>
    play(async () => {
      const charge = await paidTwice()
      await run(reconcile(charge))
      const [opened] = await exceptionsOf(charge)
      const exceptionId = opened?.id ?? ""
      const answers = await race((i) =>
        Effect.result(
          Effect.flatMap(SellerActors, (actors) =>
            actors.ask(resolveException, {
              ...{ exceptionId, act: acts[i % acts.length] ?? "dismiss", reason: "a race" },
              ...{ sellerId: undefined, operatorId: `operator-${i}` },
            }),
          ),
        ),
      )
      expect(answers.filter(Result.isSuccess)).toHaveLength(1)
      const codes = answers.flatMap((answer) =>
        Result.isFailure(answer) && answer.failure instanceof ApiError ? [answer.failure.code] : ["done"],
      )
      // One that others kept overtaking may be told to try again.
      expect(["done", "invalid_state", "service_unavailable"]).toEqual(expect.arrayContaining(codes))

      const [exception] = await exceptionsOf(charge)
      if (exception === undefined) throw new Error("the exception is gone")
      const { act } = readException(exception)
      const isRefunding = exception.state === "open"
      expect(isRefunding ? JSON.parse(exception.pending).act : act).toBe(isRefunding ? "refund" : act)
      const account = await run(readAccount(charge.principal))
      expect(account.faults).toEqual([])
      expect(account.balance).toMatchObject({ available: act === "credit" ? 2 * amount : amount })
    }))
})

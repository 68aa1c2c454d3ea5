import { Effect, ManagedRuntime, References } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { readCharge } from "../../actors/seller/decisions/transactionTransitions.ts"
import { makeSweep } from "../../actors/sweeps/sweep.ts"
import { txidOf } from "../../schema/ids.ts"
import { answersOf, centavosIn, type JsonObject } from "../acquirers/bacen/draw.ts"
import { MemoryStoreLive } from "../model/memoryStore.ts"
import { runsOf } from "../support/sizes.ts"
import { type DescribedBank, openDescribedBank } from "./describedBank.ts"
import { createCharge } from "./fund.ts"
import { makeSeller, moneyProcess, storeOptions } from "./process.ts"

/** No request waits for the sweep. */
const idle = { currentMillis: () => 0, inProgress: () => 0, started: () => 0 }
const price = 1_000
const from = Date.parse("2026-01-01T00:00:00Z")
const window = { fromMillis: from, toMillis: from + 86_400_000 }

interface Drawn {
  /** Each with what the bank says of the charge, and whether it names what paid it there. */
  readonly charges: ReadonlyArray<{ readonly cob: JsonObject; readonly namesPix: boolean }>
  /** Each with the charge that it names, if any, and whether it pays its amount. */
  readonly pix: ReadonlyArray<{
    readonly one: JsonObject
    readonly nth: number | undefined
    readonly isExact: boolean
    readonly second: number
  }>
  readonly listed: number
  readonly pageItems: number
  readonly arrivalsPerPage: number
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  charges: fc.array(fc.record({ cob: answersOf("CobCompleta"), namesPix: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  }),
  pix: fc.array(
    fc.record({
      one: answersOf("Pix"),
      nth: fc.option(fc.nat(2), { nil: undefined }),
      isExact: fc.boolean(),
      second: fc.nat(86_399),
    }),
    { maxLength: 8 },
  ),
  listed: fc.nat(8),
  pageItems: fc.integer({ min: 1, max: 3 }),
  arrivalsPerPage: fc.nat(2),
})

/** The returns of a Pix, with ids of their own and together at most its amount, as a bank makes them. */
const soundReturns = (one: JsonObject, valor: string): JsonObject => {
  if (!Array.isArray(one.devolucoes)) return {}
  let left = centavosIn(valor)
  const devolucoes = (one.devolucoes as ReadonlyArray<JsonObject>).flatMap((back, nth) => {
    const amount = Math.min(left, centavosIn(String(back.valor)))
    left -= amount
    const decimal = `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, "0")}`
    return amount === 0 ? [] : [{ ...back, id: `R${nth}${String(back.id).slice(0, 30)}`, valor: decimal }]
  })
  return { devolucoes }
}

/** Fills the bank: what it says of each charge, and all Pix. */
const fill = (bank: DescribedBank, ids: ReadonlyArray<string>, { charges, pix, ...rest }: Drawn) => {
  Object.assign(bank, rest)
  bank.pix.push(
    ...pix.map(({ one, nth, isExact, second }) => {
      const id = nth === undefined ? undefined : ids[nth]
      const { txid: _, ...nameless } = one
      const named = id === undefined ? nameless : { ...nameless, txid: txidOf(id) }
      const valor = isExact ? "10.00" : String(one.valor)
      const horario = new Date(from + second * 1_000).toISOString()
      return { ...named, valor, horario, ...soundReturns(one, valor) }
    }),
  )
  for (const [nth, id] of ids.entries()) {
    const { cob, namesPix } = charges[nth] as Drawn["charges"][number]
    const txid = txidOf(id)
    const own = bank.pix.filter((one) => one.txid === txid)
    const { pix: _, ...bare } = cob
    const named = namesPix && own.length > 0 ? { pix: own } : {}
    bank.charges.set(txid, { ...bare, txid, valor: { original: "10.00" }, ...named })
  }
}

const isDone = ({ status }: JsonObject) => status === "DEVOLVIDO"
const returnedOf = ({ devolucoes }: JsonObject): number =>
  (Array.isArray(devolucoes) ? (devolucoes as ReadonlyArray<JsonObject>) : [])
    .filter(isDone)
    .reduce((sum, { valor }) => sum + centavosIn(String(valor)), 0)

/** Sweeps the bank until all of its Pix are listed, and once more; returns what every Pix became. */
const played = Effect.fnUntraced(function* (bank: DescribedBank, given: Drawn) {
  const { principal } = yield* makeSeller({}, "live")
  const ids = yield* Effect.forEach(given.charges, () => createCharge(principal, price))
  fill(bank, ids, given)
  const sweep = yield* makeSweep(bank.acquirer, bank.acquirer.books as never)
  yield* sweep({ window })
  bank.listed = bank.pix.length
  const { failures, unread } = yield* sweep({ window })
  const charges = (yield* (yield* TransactionStore).loadMany(ids)).map(readCharge)
  const exceptions = yield* (yield* ExceptionStore).list({
    ...{ state: undefined, kind: undefined, beforeId: undefined, limit: 100 },
  })
  const facts = exceptions.map(({ fact }) => fact).join("\n")
  const became = (one: JsonObject): string => {
    const id = String(one.endToEndId)
    const paid = charges.find(({ end_to_end_id }) => end_to_end_id === id)
    if (paid !== undefined)
      return paid.refunded_amount === returnedOf(one) ? "paid" : "paid, but not returned"
    return facts.includes(id) ? "exception" : "nothing"
  }
  return { failures, unread, became: bank.pix.map(became) }
})

describe("a bank that answers as the Central Bank describes", () => {
  it("a sweep reads every answer: each Pix pays its charge or is an exception, and nothing holds it up", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async (given) => {
        const bank = openDescribedBank()
        const runtime = ManagedRuntime.make(moneyProcess(MemoryStoreLive(storeOptions), bank))
        try {
          const { failures, unread, became } = await runtime.runPromise(
            played(bank, given).pipe(
              Effect.provideService(RequestDelay, idle),
              // Each exception is an error of the log.
              Effect.provideService(References.MinimumLogLevel, "None"),
            ),
          )
          expect({ failures, unread }).toEqual({ failures: 0, unread: { items: [], more: 0 } })
          expect(became.filter((one) => one !== "paid" && one !== "exception")).toEqual([])
        } finally {
          await runtime.dispose()
        }
      }),
      { numRuns: runsOf(200) },
    )
  })
})

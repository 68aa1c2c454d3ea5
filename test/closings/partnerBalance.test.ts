import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type AcquirerBooks, AcquirerUnavailable } from "../../actors/ports/acquirer.ts"
import { ClosingStore } from "../../actors/ports/closingStore.ts"
import { ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import { exceptionOfNobody } from "../../actors/seller/decisions/exceptionDocument.ts"
import { dayAfter, dayEndMillis, dayStartMillis } from "../../actors/values/saoPauloDays.ts"
import { closingLimits } from "../../schema/closingLimits.ts"
import { type ExceptionKind, exceptionKinds } from "../../schema/resources/exception.ts"
import { Closer, closingDueMillis } from "../../src/closings/closer.ts"
import { account, ClosingsLive, goTo, paid, partitions, write } from "./closingStage.ts"

const day = "2026-11-21"
const noon = dayStartMillis(day) + 12 * 3_600_000
const emptyPage = { items: [], next: undefined }
const books: AcquirerBooks = {
  listReceived: () => Effect.succeed(emptyPage),
  listSent: () => Effect.succeed(emptyPage),
}

const openException = Effect.fnUntraced(function* (
  kind: ExceptionKind,
  amount: number,
  details: Readonly<Record<string, unknown>> = {},
  at = account,
) {
  const about = `${kind}:${amount}`
  const exception = exceptionOfNobody(
    { kind, about, acquirer: "acquirer", amount, details },
    at,
    partitions,
    noon,
  )
  return yield* (yield* ExceptionStore).open(exception)
})

const partnerOf = (closedDay: string) =>
  Effect.gen(function* () {
    yield* (yield* Closer).closeDue("one")
    return (yield* (yield* ClosingStore).get("live", closedDay))?.partner
  })

const closes = <A, E>(
  balance: Effect.Effect<number, AcquirerUnavailable> | undefined,
  program: Effect.Effect<A, E, Effect.Services<ReturnType<typeof partnerOf>> | ExceptionStore>,
) =>
  Effect.gen(function* () {
    // Of two days; what moved since midnight is there too.
    yield* write([
      { seller: 0, mode: "live", atMillis: noon, movement: paid(1_000, 9) },
      { seller: 1, mode: "live", atMillis: noon, movement: paid(500) },
      { seller: 0, mode: "test", atMillis: noon, movement: paid(77) },
      { seller: 1, mode: "live", atMillis: dayEndMillis(day) + 5, movement: paid(40) },
    ])
    yield* goTo(closingDueMillis(day))
    return yield* program
  }).pipe(Effect.provide(ClosingsLive(books, balance)))

describe("the acquirer's balance beside ours", () => {
  it.effect("it exceeds what the ledgers have outside by money of our own", () =>
    closes(
      Effect.succeed(1_540 + 250_000),
      Effect.gen(function* () {
        expect(yield* partnerOf(day)).toMatchObject({ balance: 251_540, balanceDifference: 250_000 })
      }),
    ),
  )

  const there: Readonly<Partial<Record<ExceptionKind, number>>> = {
    ...{ payment_unknown: 30, double_payment: 30, amount_mismatch: 30, payment_unconfirmed: 30 },
    ...{ payout_returned: 30, payment_returned: -30, payout_unknown: -30, payout_contradicted: -30 },
  }
  for (const kind of exceptionKinds) {
    it.effect(`an open ${kind} of 30 centavos stands for ${there[kind] ?? 0} at the acquirer`, () =>
      closes(
        Effect.succeed(1_540 + (there[kind] ?? 0)),
        Effect.gen(function* () {
          yield* openException(kind, 30)
          expect((yield* partnerOf(day))?.balanceDifference).toBe(0)
        }),
      ),
    )
  }

  it.effect("a Pix that counts elsewhere, and exceptions of another account, stand for nothing", () =>
    closes(
      Effect.succeed(1_540),
      Effect.gen(function* () {
        yield* openException("double_payment", 30, { claimed_by: "txn_x" })
        yield* openException("payment_unknown", 30, {}, "acquirer:2")
        expect((yield* partnerOf(day))?.balanceDifference).toBe(0)
      }),
    ),
  )

  it.effect("all open exceptions count, however many pages they are", () =>
    closes(
      Effect.succeed(1_540),
      Effect.gen(function* () {
        const count = closingLimits.exceptionsPerPage + 1
        for (let amount = 1; amount <= count; amount++) yield* openException("payout_unknown", amount)
        expect((yield* partnerOf(day))?.balanceDifference).toBe((count * (count + 1)) / 2)
      }),
    ),
  )

  const away = Effect.fail(new AcquirerUnavailable({ operation: "queryBalance", reason: "answered 403" }))
  for (const [what, balance] of [
    ["has no query of it", undefined],
    ["does not answer it", away],
  ] as const) {
    it.effect(`where the acquirer ${what} the day is closed without`, () =>
      closes(
        balance,
        Effect.gen(function* () {
          expect(yield* partnerOf(day)).toMatchObject({ balance: null, balanceDifference: null })
        }),
      ),
    )
  }

  it.effect("days that are closed late have no balance, since it is no longer theirs", () =>
    closes(
      Effect.succeed(1_540),
      Effect.gen(function* () {
        yield* goTo(closingDueMillis(dayAfter(day)))
        expect(yield* partnerOf(day)).toMatchObject({ balance: null, balanceDifference: null })
        const { get } = yield* ClosingStore
        expect((yield* get("live", dayAfter(day)))?.partner).toMatchObject({ balance: 1_540 })
      }),
    ),
  )
})

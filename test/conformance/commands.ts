import fc from "fast-check"
import type { AttemptStatus } from "../../schema/resources/delivery.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"

/** A step of a sequence. Numbers that name something are taken modulo how many there are. */
export type Command =
  | { readonly kind: "create"; readonly key: number; readonly body: number; readonly isResent: boolean }
  | { readonly kind: "hold"; readonly key: number; readonly body: number; readonly isResent: boolean }
  | {
      readonly kind: "move"
      readonly charge: number
      readonly to: TransactionStatus
      /** How many versions behind the decision is. */
      readonly lag: number
      readonly hasPostback: boolean
      /** Appends no event. */
      readonly isSilent: boolean
      /** Centavos that the seller gains, or loses if negative; 0: no money moves. */
      readonly gained: number
      readonly timer: string | undefined
      readonly timerDone: string | undefined
    }
  | { readonly kind: "fire"; readonly timersMax: number; readonly isDropped: boolean }
  | { readonly kind: "claim"; readonly destination: number; readonly deliveriesMax: number }
  | {
      readonly kind: "record"
      readonly claim: number
      readonly status: AttemptStatus
      readonly hasNext: boolean
    }
  | { readonly kind: "retry"; readonly row: number }
  | { readonly kind: "lapse" }

const nat = fc.nat({ max: 1_000 })
const timerName = fc.option(fc.constantFrom("expire", "simulate"), { nil: undefined })
const underKey = { key: fc.nat({ max: 3 }), body: fc.nat({ max: 1 }), isResent: fc.boolean() }

const arbitraries = {
  create: fc.record({ kind: fc.constant("create"), ...underKey }),
  hold: fc.record({ kind: fc.constant("hold"), ...underKey }),
  move: fc.record({
    kind: fc.constant("move"),
    charge: nat,
    to: fc.constantFrom("paid", "expired", "failed", "refunded", "chargeback"),
    lag: fc.constantFrom(0, 0, 0, 1),
    hasPostback: fc.boolean(),
    isSilent: fc.nat({ max: 3 }).map((drawn) => drawn === 0),
    gained: fc.constantFrom(0, 0, 900, -500),
    timer: timerName,
    timerDone: timerName,
  }),
  fire: fc.record({
    kind: fc.constant("fire"),
    timersMax: fc.integer({ min: 1, max: 3 }),
    isDropped: fc.boolean(),
  }),
  claim: fc.record({
    kind: fc.constant("claim"),
    destination: nat,
    deliveriesMax: fc.integer({ min: 1, max: 3 }),
  }),
  record: fc.record({
    kind: fc.constant("record"),
    claim: nat,
    status: fc.constantFrom("success", "failed", "dead"),
    hasNext: fc.boolean(),
  }),
  retry: fc.record({ kind: fc.constant("retry"), row: nat }),
  lapse: fc.record({ kind: fc.constant("lapse") }),
} as const

/** Sequences of commands; leases lapse only in stores whose time can be moved. */
export const commandSequences = (isTimeControlled: boolean): fc.Arbitrary<ReadonlyArray<Command>> => {
  const { create, hold, move, fire, claim, record, retry, lapse } = arbitraries
  const timeless = fc.oneof(
    { weight: 3, arbitrary: create },
    { weight: 1, arbitrary: hold },
    { weight: 6, arbitrary: move },
    { weight: 2, arbitrary: fire },
    { weight: 5, arbitrary: claim },
    { weight: 5, arbitrary: record },
    { weight: 2, arbitrary: retry },
  )
  const one: fc.Arbitrary<Command> = isTimeControlled
    ? fc.oneof({ weight: 24, arbitrary: timeless }, { weight: 1, arbitrary: lapse })
    : timeless
  return fc.array(one, { minLength: 1, maxLength: 80, size: "max" })
}

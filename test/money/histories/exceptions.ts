import { Effect } from "effect"
import { ExceptionStore, type StoredException } from "../../../actors/ports/exceptionStore.ts"
import {
  exceptionOfNobody,
  factOf,
  readException,
} from "../../../actors/seller/decisions/exceptionDocument.ts"
import type { Exception, ExceptionKind } from "../../../schema/resources/exception.ts"
import { partitions } from "../process.ts"
import { chargesOf, type History, pixOf } from "./history.ts"
import type { Pix } from "./partnerAccount.ts"
import { StoreReads } from "./storeReads.ts"
import { type Side, sides } from "./twoAccounts.ts"

/** An exception of a history, at the account that it is about. */
export interface Found {
  readonly side: Side
  readonly about: string
  readonly stored: StoredException
  readonly exception: Exception
}

/** What may have become an exception: `place` is an id of its partition. */
interface Candidate {
  readonly side: Side
  readonly place: string
  readonly kind: ExceptionKind
  readonly about: string
}

/** An id of the partition in which a Pix or payout of nobody is recorded. */
const placeOfNobody = (kind: ExceptionKind, about: string): string =>
  exceptionOfNobody({ kind, about, acquirer: "", amount: 0, details: {} }, "", partitions, 0).id

const ofNobody = (kind: ExceptionKind, about: string, side: Side): Candidate => ({
  ...{ side, kind, about, place: placeOfNobody(kind, about) },
})

/** Every exception that a history may have of a Pix, and of what went back of it. */
const candidatesOfPix = (told: History, pix: Pix, side: Side): ReadonlyArray<Candidate> => {
  const { endToEndId, backs } = pix
  const unknown = ofNobody("payment_unknown", endToEndId, side)
  const charges = chargesOf(told, pix)
  return [
    unknown,
    ...charges.flatMap(({ id: place }) => {
      const kinds = ["double_payment", "amount_mismatch", "payment_unconfirmed"] as const
      return kinds.map((kind) => ({ side, kind, about: endToEndId, place }))
    }),
    ...[unknown.place, ...charges.map(({ id }) => id)].flatMap((place) =>
      backs.map(({ id }) => {
        const about = `${endToEndId}:${id}`
        return { side, kind: "payment_returned" as const, about, place }
      }),
    ),
  ]
}

/** Every exception that a history may have of what is not a withdrawal. */
const candidatesOf = (told: History): ReadonlyArray<Candidate> => [
  ...sides.flatMap((side) => pixOf(told, side).flatMap((pix) => candidatesOfPix(told, pix, side))),
  ...told.strangePayouts.map(({ side, payout: { payoutId, endToEndId } }) =>
    ofNobody("payout_unknown", payoutId ?? endToEndId, side),
  ),
  ...[...told.charges, ...told.refunds].map(({ id, side }) => ({
    ...{ side, kind: "partner_changed" as const, about: id, place: id },
  })),
  ...told.refunds.map(({ id, side }) => ({ side, kind: "refund_stuck" as const, about: id, place: id })),
]

/** The exceptions of withdrawals, by their facts: one has as many as the acquirer changed its mind. */
const recordedOf = Effect.fnUntraced(function* ({ withdrawals }: History) {
  const [any] = withdrawals
  if (any === undefined) return []
  // A seller's withdrawals are all in its partition.
  const facts = yield* (yield* StoreReads).facts(any.id)
  return facts
    .flatMap((fact): ReadonlyArray<Candidate> => {
      const [, kind = "", about = ""] = /^([^:]*):(.*)$/.exec(fact) ?? []
      const withdrawal = withdrawals.find(({ id }) => about === id || about.startsWith(`${id}:`))
      if (withdrawal === undefined) return []
      return [{ side: withdrawal.side, kind: kind as ExceptionKind, about, place: withdrawal.id }]
    })
    .toSorted((one, other) => (one.about + one.kind < other.about + other.kind ? -1 : 1))
})

/** The exceptions of a history. */
export const exceptionsOf = (told: History): Promise<ReadonlyArray<Found>> =>
  told.run(
    Effect.gen(function* () {
      const { findFact } = yield* ExceptionStore
      const found = yield* Effect.forEach(
        [...candidatesOf(told), ...(yield* recordedOf(told))],
        ({ place, kind, about, side }) =>
          Effect.map(findFact(place, factOf(kind, about)), (stored) =>
            stored === undefined ? [] : [{ side, about, stored, exception: readException(stored) }],
          ),
        { concurrency: "unbounded" },
      )
      // A Pix's charge and its payment_unknown may lie in one partition.
      const byId = new Map(found.flat().map((one) => [one.stored.id, one]))
      return [...byId.values()]
    }),
  )

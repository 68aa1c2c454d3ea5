import { createHash } from "node:crypto"
import { type IdPrefix, type Mode, makeId, partitionOfId } from "../../../schema/ids.ts"
import type { Exception, ExceptionAct, ExceptionKind } from "../../../schema/resources/exception.ts"
import type { ExceptionChange, NewException, StoredException } from "../../ports/exceptionStore.ts"
import { parseException } from "../../values/storedDocuments.ts"
import { type SellerTime, shownTime } from "./sellerTime.ts"

/** What an exception is about: one of our resources, or nothing of ours. */
export interface ExceptionResource {
  readonly type: "transaction" | "withdrawal" | "refund"
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  /** The acquirer account that it belongs to, in live. */
  readonly account?: string | undefined
}

/** An exception before it has an id. */
export interface FoundException {
  readonly kind: ExceptionKind
  /** What tells it from others of its kind: an end-to-end id, the id of a resource. */
  readonly about: string
  /** The acquirer's slug. */
  readonly acquirer: string
  /** Centavos that the acquirer moved, or is to move. */
  readonly amount: number
  readonly details: Readonly<Record<string, unknown>>
}

/** The fact that makes an exception one of a kind: it is recorded once in a partition, for ever. */
export const factOf = (kind: ExceptionKind, about: string): string => `${kind}:${about}`

/**
 * The id of an exception: when it was recorded, its partition, and 70 bits of the SHA-256 of its fact. So a decision needs no source
 * of randomness, and one made again names the same exception.
 */
const exceptionIdOf = (fact: string, partition: number, millis: number): string =>
  makeId("exc_" satisfies IdPrefix, millis, partition, createHash("sha256").update(fact).digest())

/** The partition of an exception that is about none of our resources. */
const partitionOfFact = (fact: string, partitions: number): number =>
  createHash("sha256").update(fact).digest().readUInt32BE(0) % partitions

interface Place {
  readonly partition: number
  readonly mode: Mode
  readonly resource: ExceptionResource | undefined
  /** Whose money it is; undefined where nobody knows. */
  readonly sellerId: string | undefined
  readonly account: string | undefined
}

const exceptionAt = (found: FoundException, place: Place, nowMillis: number): NewException => {
  const { kind, about, acquirer, amount, details } = found
  const { partition, mode, resource, sellerId, account } = place
  const fact = factOf(kind, about)
  const id = exceptionIdOf(fact, partition, nowMillis)
  const document: Exception = {
    id,
    object: "exception",
    kind,
    state: "open",
    mode,
    acquirer,
    resource_type: resource?.type ?? null,
    resource_id: resource?.id ?? null,
    seller_id: sellerId ?? null,
    amount,
    details,
    created_at: shownTime(nowMillis),
    resolved_at: null,
    resolved_by: null,
    act: null,
    reason: null,
  }
  return {
    id,
    fact,
    kind,
    mode,
    sellerId,
    account,
    document: JSON.stringify(document),
  }
}

/** An exception of a charge, withdrawal or refund of ours (docs/contract/exceptions.md#kinds). `nowMillis` is its seller's time. */
export const exceptionOfResource = (
  found: FoundException,
  resource: ExceptionResource,
  nowMillis: number,
): NewException => {
  const { mode, account } = resource
  const partition = partitionOfId(resource.id) ?? 0
  return exceptionAt(found, { partition, mode, resource, sellerId: resource.sellerId, account }, nowMillis)
}

/** An exception of live money that is about nothing of ours, at an acquirer account. */
export const exceptionOfNobody = (
  found: FoundException,
  account: string,
  partitions: number,
  nowMillis: number,
): NewException => {
  const partition = partitionOfFact(factOf(found.kind, found.about), partitions)
  const place = { partition, mode: "live", resource: undefined, sellerId: undefined, account } as const
  return exceptionAt(found, place, nowMillis)
}

/** The fact of the `payment_unknown` that a Pix may be, and an id of its partition. */
export const unknownPixPlace = (
  endToEndId: string,
  partitions: number,
): { readonly id: string; readonly fact: string } => {
  const found = { kind: "payment_unknown", about: endToEndId, acquirer: "", amount: 0, details: {} } as const
  return exceptionOfNobody(found, "", partitions, 0)
}

/** An exception that follows from another: about the same resource, in its partition, of the seller that it concerns. */
export const exceptionBeside = (
  found: FoundException,
  other: StoredException,
  nowMillis: number,
): NewException => {
  const { mode, account } = other
  const { resource_type: type, resource_id: id, seller_id: shownSellerId } = readException(other)
  const sellerId = other.sellerId ?? shownSellerId ?? undefined
  const resource =
    type === null || id === null || sellerId === undefined ? undefined : { type, id, sellerId, mode, account }
  const place = { partition: partitionOfId(other.id) ?? 0, mode, resource, sellerId, account }
  return exceptionAt(found, place, nowMillis)
}

/** The exception as operators see it. */
export const readException = (stored: Pick<StoredException, "document">): Exception =>
  parseException(stored.document)

/** The exception after a change, so that the next can be decided without reading it back. */
export const afterChange = ({ exception, to, document, pending }: ExceptionChange): StoredException => ({
  ...exception,
  state: to,
  document,
  pending,
  version: exception.version + 1,
})

/** How an exception ends. */
export interface Resolution {
  readonly act: ExceptionAct
  readonly reason: string
  /** Operators' user ids; none where the acquirer's report ended it. */
  readonly operatorIds: ReadonlyArray<string>
}

/** The change that resolves an exception. */
export const decideResolved = (
  stored: StoredException,
  { act, reason, operatorIds }: Resolution,
  time: SellerTime,
): ExceptionChange => {
  const resolved: Exception = {
    ...readException(stored),
    state: "resolved",
    resolved_at: shownTime(time.nowMillis),
    resolved_by: operatorIds.length === 0 ? null : operatorIds.join(","),
    act,
    reason,
  }
  return { exception: stored, to: "resolved", document: JSON.stringify(resolved), pending: "" }
}

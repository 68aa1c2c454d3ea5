import type { Delivery } from "../../schema/resources/delivery.ts"

/** What the plain headers of an attempt tell. */
export interface AttemptNames {
  readonly eventId: string
  readonly eventType: string
  readonly deliveryId: string
  /** Starts at 1. */
  readonly attempt: number
}

/** The first headers of every attempt: the same for all, or what its row has too (docs/contract/deliveries.md#request). */
export const plainHeaders = (names: AttemptNames): Record<string, string> => ({
  "Content-Type": "application/json",
  "User-Agent": "Service-Webhooks/1.0",
  "X-Event-Id": names.eventId,
  "X-Event-Type": names.eventType,
  "X-Delivery-Id": names.deliveryId,
  "X-Attempt": String(names.attempt),
  "Idempotency-Key": names.eventId,
  "webhook-id": names.eventId,
})

type Headers = Readonly<Record<string, string>>

const signedAtPattern = /^t=(\d+),/

/** The headers that follow from an attempt's row and, where the attempt was signed, from the time in its signature. */
const followingHeaders = (row: Delivery, signature: string | undefined): Headers => {
  const headers = plainHeaders({
    eventId: row.event_id,
    eventType: row.event_type,
    deliveryId: row.id,
    attempt: row.attempt,
  })
  const signedAt = signedAtPattern.exec(signature ?? "")?.[1]
  if (signedAt !== undefined) headers["webhook-timestamp"] = signedAt
  return headers
}

/** Whether stored headers lack those that follow. Attempts that were not made have none at all. */
const isAbridged = (stored: Headers): boolean =>
  !Object.hasOwn(stored, "Content-Type") &&
  (Object.hasOwn(stored, "X-Signature") || Object.hasOwn(stored, "webhook-timestamp"))

/**
 * The headers of an attempt as its detail stores them: without those that follow from its row (docs/decisions/0096-headers-that-follow.md).
 * {@link sentHeaders} puts them back.
 */
export const storedHeaders = (row: Delivery, sent: Headers): Headers => {
  const following = followingHeaders(row, sent["X-Signature"])
  for (const name in following) if (sent[name] !== following[name]) return sent
  const stored: Record<string, string> = {}
  for (const name in sent) {
    const value = sent[name]
    if (value !== undefined && !Object.hasOwn(following, name)) stored[name] = value
  }
  return isAbridged(stored) ? stored : sent
}

/** The headers of an attempt as it sent them, from those stored. */
export const sentHeaders = (row: Delivery, stored: Headers): Headers =>
  isAbridged(stored) ? { ...followingHeaders(row, stored["X-Signature"]), ...stored } : stored

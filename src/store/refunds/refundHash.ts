import type { StoredRefund } from "../../../actors/ports/refundStore.ts"
import type { Mode } from "../../../schema/ids.ts"
import type { RefundStatus } from "../../../schema/resources/refund.ts"
import type { Reply } from "../redis/redisClient.ts"

/** Fields of a refund's hash, in the order that {@link readRefund} expects. */
export const refundFields = [
  "seller",
  "mode",
  "transaction",
  "status",
  "version",
  "document",
  "account",
  "held_from_reserve",
  "idempotency_route",
  "idempotency_key",
] as const

/** Reads the values of a refund's {@link refundFields}; undefined if there is none. */
export const readRefund = (id: string, reply: Reply | undefined): StoredRefund | undefined => {
  const [sellerId, mode, transactionId, status, version, document, account, held, route, key] =
    reply as ReadonlyArray<string | null>
  if (!sellerId || !document) return undefined
  return {
    id,
    sellerId,
    mode: mode as Mode,
    transactionId: transactionId ?? "",
    status: status as RefundStatus,
    version: Number(version),
    document,
    ...(account ? { account } : {}),
    heldFromReserve: Number(held ?? 0),
    ...(key ? { idempotency: { route: route ?? "", key } } : {}),
  }
}

import type { StoredTransaction } from "../../../actors/ports/transactionStore.ts"
import type { Mode } from "../../../schema/ids.ts"
import type { TransactionStatus } from "../../../schema/resources/transaction.ts"
import type { Reply } from "../redis/redisClient.ts"

/** Fields of a charge's hash, in the order that {@link readTransaction} expects. */
export const chargeFields = ["seller", "mode", "status", "version", "document", "account"] as const

/** Reads the values of a charge's {@link chargeFields}; undefined if there is none. */
export const readTransaction = (id: string, reply: Reply | undefined): StoredTransaction | undefined => {
  const [sellerId, mode, status, version, document, account] = reply as ReadonlyArray<string | null>
  if (!sellerId || !document) return undefined
  return {
    id,
    sellerId,
    mode: mode as Mode,
    status: status as TransactionStatus,
    version: Number(version),
    document,
    ...(account ? { account } : {}),
  }
}

import { type AccessRefusal, type Principal, sessionKeyHash } from "../../actors/values/principal.ts"
import type { MemoryState } from "./state.ts"

/** Whether the key belongs to the principal's seller and is not revoked. */
export const isKeyValid = (state: MemoryState, nowMillis: number, principal: Principal): boolean => {
  if (principal.keyHash === sessionKeyHash) return true
  const found = state.apiKeys.get(principal.keyHash)
  if (found === undefined || found.sellerId !== principal.sellerId) return false
  return found.revokeAtMillis === undefined || found.revokeAtMillis > nowMillis
}

/** Why the principal may not write, or undefined: checks the key first, then the seller, who needs approved KYC in live. */
export const accessRefusal = (
  state: MemoryState,
  nowMillis: number,
  principal: Principal,
): AccessRefusal | undefined => {
  if (!isKeyValid(state, nowMillis, principal)) return { kind: "keyInvalid" }
  const seller = state.sellers.get(principal.sellerId)?.seller
  if (seller?.status !== "active") return { kind: "sellerNotAllowed" }
  if (principal.mode === "live" && seller.kycStatus !== "approved") return { kind: "kycRequired" }
  return undefined
}

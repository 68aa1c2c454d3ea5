import { ApiError } from "../../schema/errors.ts"
import type { KycStatus, SellerSettingsPatch, SellerStatus } from "../../schema/resources/seller.ts"
import { stripDocument } from "../../schema/resources/transaction.ts"
import type { StoredSeller } from "../ports/sellerStore.ts"
import { shownSettings, storedSettings } from "./newSeller.ts"
import { isTaxDocument } from "./taxDocument.ts"

/** What is to become of a seller: another one with the event that tells of it, nothing, or a refusal. */
export type SellerDecision =
  | { readonly seller: StoredSeller; readonly eventType: string }
  | undefined
  | ApiError

/** Decides a change on the seller as it is stored, at a time in ms. */
export type DecideSeller = (seller: StoredSeller, nowMillis: number) => SellerDecision

const updated = (seller: StoredSeller): SellerDecision => ({ seller, eventType: "seller.updated" })

/** Another name. */
export const rename =
  (name: string): DecideSeller =>
  (seller) =>
    name === seller.name ? undefined : updated({ ...seller, name })

/** What a seller hands in to be identified by. */
export interface Identification {
  /** CPF or CNPJ, punctuation allowed. */
  readonly document: string
  readonly legalName: string
}

/** Hands in a document; its check digits count, as in live (decisions 2), and an operator decides. */
export const submitKyc =
  (
    { document, legalName }: Identification,
    cipher: {
      readonly seal: (text: string) => string
      readonly open: (sealed: string) => string | undefined
    },
  ): DecideSeller =>
  (seller) => {
    const bare = stripDocument(document)
    if (!isTaxDocument(bare)) {
      return new ApiError({
        code: "validation_failed",
        param: "document",
        message:
          "The check digits of this CPF or CNPJ are wrong. Send the document as it stands on its card.",
      })
    }
    if (seller.kycStatus === "approved") {
      return new ApiError({
        code: "invalid_state",
        message:
          "This seller is identified already. Ask support to change the document of an approved seller.",
      })
    }
    const isSame =
      seller.kycStatus === "pending" &&
      seller.legalName === legalName &&
      seller.document !== undefined &&
      cipher.open(seller.document) === bare
    if (isSame) return undefined
    return updated({ ...seller, kycStatus: "pending", document: cipher.seal(bare), legalName })
  }

/** An operator's decision of a seller's identification. */
export const decideKyc =
  (status: Extract<KycStatus, "approved" | "rejected">): DecideSeller =>
  (seller) =>
    status === seller.kycStatus
      ? undefined
      : { seller: { ...seller, kycStatus: status }, eventType: `seller.kyc_${status}` }

/** Whether the seller may operate (decisions 3). */
export const setStatus =
  (status: SellerStatus): DecideSeller =>
  (seller) =>
    status === seller.status ? undefined : updated({ ...seller, status })

/** Locks withdrawals until a time to come, or ends the operators' lock; a lock after a recovery stays its 24 h. */
export const lockPayouts =
  (untilMillis: number | undefined): DecideSeller =>
  (seller, nowMillis) => {
    if (untilMillis !== undefined && untilMillis <= nowMillis) {
      return new ApiError({
        code: "validation_failed",
        param: "until",
        message: "until must lie in the future. Send null to unlock withdrawals.",
      })
    }
    const { payoutLockedUntilMillis: before = 0 } = seller
    const isSame = untilMillis === undefined ? before <= nowMillis : before === untilMillis
    if (isSame) return undefined
    const locked = { ...seller, payoutLockedUntilMillis: untilMillis }
    return untilMillis === undefined ? updated(locked) : { seller: locked, eventType: "seller.payout_locked" }
  }

/**
 * Locks withdrawals until a time in ms, because the second factor was turned off: whoever did it may not be the owner.
 * No operator's unlocking ends it, and a later lock of that kind stays.
 */
export const lockWithoutSecondFactor =
  (untilMillis: number): DecideSeller =>
  (seller) =>
    (seller.recoveryLockedUntilMillis ?? 0) >= untilMillis
      ? undefined
      : { seller: { ...seller, recoveryLockedUntilMillis: untilMillis }, eventType: "seller.payout_locked" }

/** Some settings changed. */
export const patchSettings =
  (patch: SellerSettingsPatch): DecideSeller =>
  (seller) => {
    const settings = storedSettings({ ...shownSettings(seller.settings), ...patch })
    const isSame = JSON.stringify(settings) === JSON.stringify(seller.settings)
    return isSame ? undefined : updated({ ...seller, settings })
  }

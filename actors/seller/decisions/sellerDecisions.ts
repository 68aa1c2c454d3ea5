import { ApiError } from "../../../schema/errors.ts"
import type { EventType } from "../../../schema/events.ts"
import type { BrandInput } from "../../../schema/resources/brand.ts"
import type { KycStatus, SellerSettingsPatch, SellerStatus } from "../../../schema/resources/seller.ts"
import { stripDocument } from "../../../schema/resources/transaction.ts"
import type { StoredSeller } from "../../ports/sellerStore.ts"
import { type SealedPlace, sealedPlaces } from "../../values/sealedPlaces.ts"
import { shownSettings, storedSettings } from "./newSeller.ts"
import { isTaxDocument } from "./taxDocument.ts"

/** A decision about a seller: the changed seller and its event, no change, or a refusal. */
export type SellerDecision<Refusal extends ApiError> =
  | { readonly seller: StoredSeller; readonly eventType: EventType }
  | undefined
  | Refusal

/** Decides a change on the stored seller, at a time in ms. */
export type DecideSeller<Refusal extends ApiError = never> = (
  seller: StoredSeller,
  nowMillis: number,
) => SellerDecision<Refusal>

const updated = (seller: StoredSeller): SellerDecision<never> => ({ seller, eventType: "seller.updated" })

/** What a seller submits for identification. */
export interface Identification {
  /** CPF or CNPJ, punctuation allowed. */
  readonly document: string
  readonly legalName: string
}

/** Seals documents, and opens sealed ones. */
export interface DocumentKeeper {
  readonly seal: (text: string, place: SealedPlace) => string
  readonly open: (sealed: string, place: SealedPlace) => string | undefined
}

/** Reads a CPF or CNPJ, with or without punctuation; 400 at `document` where its check digits are wrong. */
export const readDocument = (document: string): string | ApiError<"validation_failed"> => {
  const bare = stripDocument(document)
  if (isTaxDocument(bare)) return bare
  return new ApiError({
    code: "validation_failed",
    param: "document",
    message: "The check digits of this CPF or CNPJ are wrong. Send the document as it stands on its card.",
  })
}

const documentIsSet = (): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    param: "document",
    message:
      "This seller has a document, which only an identification changes: POST /v1/me/kyc before it is approved, support after.",
  })

/** A seller approved without a legal name (`ops seller create --kyc approved`) keeps the name that was approved, which payers go on seeing. */
const withApprovedName = (seller: StoredSeller): StoredSeller =>
  seller.kycStatus === "approved" ? { ...seller, legalName: seller.legalName ?? seller.name } : seller

/** Changes the name, and sets the document where there is none yet. */
export const patchProfile =
  (
    { name, document }: { readonly name?: string; readonly document?: string },
    { seal, open }: DocumentKeeper,
  ): DecideSeller<ApiError<"invalid_state" | "validation_failed">> =>
  (seller) => {
    const bare = document === undefined ? undefined : readDocument(document)
    if (bare instanceof ApiError) return bare
    const isSame =
      bare !== undefined &&
      seller.document !== undefined &&
      open(seller.document, sealedPlaces.sellerDocument(seller.id)) === bare
    if (bare !== undefined && seller.document !== undefined && !isSame) return documentIsSet()
    const sets = bare !== undefined && !isSame
    if (!sets && (name === undefined || name === seller.name)) return undefined
    const renames = name !== undefined && name !== seller.name
    return updated({
      ...(renames ? withApprovedName(seller) : seller),
      name: name ?? seller.name,
      document: sets ? seal(bare, sealedPlaces.sellerDocument(seller.id)) : seller.document,
    })
  }

/** Changes what payers see: all but the approved name, which stands beside the one that the seller chooses. */
export const setBrand =
  ({ logo, color, payer_name }: BrandInput): DecideSeller =>
  (seller) => {
    const brandLogo = logo ?? undefined
    const brandColor = color ?? undefined
    const payerName = payer_name === undefined ? seller.payerName : (payer_name ?? undefined)
    const isSame =
      brandLogo === seller.brandLogo && brandColor === seller.brandColor && payerName === seller.payerName
    if (isSame) return undefined
    return updated({
      ...(payerName === seller.payerName ? seller : withApprovedName(seller)),
      brandLogo,
      brandColor,
      payerName,
    })
  }

/** Submits a document, in test with valid check digits too; an operator decides (docs/contract/sellers.md#kyc). */
export const submitKyc =
  (
    { document, legalName }: Identification,
    cipher: DocumentKeeper,
  ): DecideSeller<ApiError<"invalid_state" | "validation_failed">> =>
  (seller) => {
    const bare = readDocument(document)
    if (bare instanceof ApiError) return bare
    if (seller.kycStatus === "approved") {
      return new ApiError({
        code: "invalid_state",
        message:
          "This seller is identified already. Where it has no document, PATCH /v1/me/seller sets one; else ask support to change it.",
      })
    }
    const place = sealedPlaces.sellerDocument(seller.id)
    const isSame =
      seller.kycStatus === "pending" &&
      seller.legalName === legalName &&
      seller.document !== undefined &&
      cipher.open(seller.document, sealedPlaces.sellerDocument(seller.id)) === bare
    if (isSame) return undefined
    return updated({ ...seller, kycStatus: "pending", document: cipher.seal(bare, place), legalName })
  }

/**
 * An operator's decision about an identification; 409 `invalid_state` where there is no document to approve, and at `legal_name`
 * where the seller has submitted another name than the one that the operator saw, if that is told.
 */
export const decideKyc =
  (
    status: Extract<KycStatus, "approved" | "rejected">,
    seenLegalName?: string,
  ): DecideSeller<ApiError<"invalid_state">> =>
  (seller) => {
    if (status === seller.kycStatus) return undefined
    if (status === "approved" && seenLegalName !== undefined && seenLegalName !== seller.legalName) {
      return new ApiError({
        code: "invalid_state",
        param: "legal_name",
        message: "The seller has submitted another legal name since. Read it again, and decide on that one.",
      })
    }
    if (status === "approved" && seller.document === undefined) {
      return new ApiError({
        code: "invalid_state",
        message:
          "This seller has handed in no document, so there is nothing to approve. It sends POST /v1/me/kyc first.",
      })
    }
    return { seller: { ...seller, kycStatus: status }, eventType: `seller.kyc_${status}` }
  }

/** Allows the seller to operate, or suspends it (docs/contract/sellers.md#status). */
export const setStatus =
  (status: SellerStatus): DecideSeller =>
  (seller) =>
    status === seller.status ? undefined : updated({ ...seller, status })

/** Locks withdrawals until a future time, or ends the operators' lock; a lock after a recovery stays for its 24 h. */
export const lockPayouts =
  (untilMillis: number | undefined): DecideSeller<ApiError<"validation_failed">> =>
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
 * Locks withdrawals until a time in ms because the second factor is turned off, or on late: whoever does that may not be the owner. An
 * operator cannot end this lock, and a later one stays (docs/accounts.md#recovery).
 */
export const lockWithoutSecondFactor =
  (untilMillis: number): DecideSeller =>
  (seller) =>
    (seller.recoveryLockedUntilMillis ?? 0) >= untilMillis
      ? undefined
      : { seller: { ...seller, recoveryLockedUntilMillis: untilMillis }, eventType: "seller.payout_locked" }

/** Changes some settings. */
export const patchSettings =
  (patch: SellerSettingsPatch): DecideSeller =>
  (seller) => {
    const settings = storedSettings({ ...shownSettings(seller.settings), ...patch })
    const isSame = JSON.stringify(settings) === JSON.stringify(seller.settings)
    return isSame ? undefined : updated({ ...seller, settings })
  }

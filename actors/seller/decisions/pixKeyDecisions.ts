import { ApiError, validationFailed } from "../../../schema/errors.ts"
import type { Mode } from "../../../schema/ids.ts"
import type { CreatePixKey, PixKey, PixKeyStatus } from "../../../schema/resources/pixKey.ts"
import type { PixKeyTransition, StoredPixKey } from "../../ports/pixKeyStore.ts"
import type { StoredSeller } from "../../ports/sellerStore.ts"
import { type SealedPlace, sealedPlaces } from "../../values/sealedPlaces.ts"
import { maskedPixKeyValue, pixKeyValue } from "./pixKeyValues.ts"

/** A key as registered. */
export type RegisteredPixKey = Pick<StoredPixKey, "type" | "maskedValue" | "status"> & {
  /** Seal it before it is stored. */
  readonly plainValue: string
}

/** In live a CPF or CNPJ must be the seller's own (docs/contract/pix-keys.md#values). */
const documentRefusal = (
  seller: StoredSeller,
  value: string,
  open: (sealed: string, place: SealedPlace) => string | undefined,
): ApiError<"validation_failed"> | undefined => {
  const own =
    seller.document === undefined ? undefined : open(seller.document, sealedPlaces.sellerDocument(seller.id))
  return own === value
    ? undefined
    : validationFailed("value", "A CPF or CNPJ key must be the document that this account is identified by.")
}

/** A new key: verified at once in test, decided by an operator in live (docs/contract/pix-keys.md#approval). */
export const decideRegistration = (
  { type, value: text }: CreatePixKey,
  mode: Mode,
  seller: StoredSeller,
  open: (sealed: string, place: SealedPlace) => string | undefined,
): RegisteredPixKey | ApiError<"kyc_required" | "seller_not_allowed" | "validation_failed"> => {
  const value = pixKeyValue(type, text)
  if (value instanceof ApiError) return value
  if (seller.status !== "active") {
    return new ApiError({
      code: "seller_not_allowed",
      message: "This seller is suspended: it can remove Pix keys, but register none. Contact support.",
    })
  }
  const registered = { type, maskedValue: maskedPixKeyValue(type, value), plainValue: value }
  if (mode === "test") return { ...registered, status: "verified" }
  if (seller.kycStatus !== "approved") {
    return new ApiError({
      code: "kyc_required",
      message: "Live Pix keys need an approved identification. Send it by POST /v1/me/kyc.",
    })
  }
  const refused = type === "cpf" || type === "cnpj" ? documentRefusal(seller, value, open) : undefined
  return refused ?? { ...registered, status: "pending_approval" }
}

const reachable: Readonly<Record<PixKeyStatus, ReadonlyArray<PixKeyStatus>>> = {
  pending_approval: ["verified", "refused", "removed"],
  verified: ["removed"],
  refused: ["removed"],
  removed: [],
}

/** The transition of a key; 409 `invalid_state` where its state does not allow it. */
export const decidePixKey = (
  pixKey: StoredPixKey,
  to: PixKeyStatus,
  nowMillis: number,
): PixKeyTransition | ApiError<"invalid_state"> => {
  if (!reachable[pixKey.status].includes(to)) {
    return new ApiError({
      code: "invalid_state",
      message: `Pix key '${pixKey.id}' is ${pixKey.status} and cannot become ${to}.`,
      details: { status: pixKey.status },
    })
  }
  return { pixKey, to, verifiedAt: to === "verified" ? new Date(nowMillis).toISOString() : undefined }
}

/** A key as shown. */
export const shownPixKey = (pixKey: StoredPixKey): PixKey => ({
  id: pixKey.id,
  object: "pix_key",
  mode: pixKey.mode,
  type: pixKey.type,
  value: pixKey.maskedValue,
  status: pixKey.status,
  created_at: pixKey.createdAt,
  verified_at: pixKey.verifiedAt ?? null,
})

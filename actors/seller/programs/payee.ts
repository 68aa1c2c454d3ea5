import { Effect } from "effect"
import { Acquirers } from "../../ports/acquirer.ts"
import { SecretOpener } from "../../ports/secretOpener.ts"
import { SellerStore } from "../../ports/sellerStore.ts"
import type { StoredWithdrawal } from "../../ports/withdrawalStore.ts"
import { keyIdOfSealed, sealedPlaces } from "../../values/sealedPlaces.ts"

/** Whom a payout goes to, in plain text. */
export interface Payee {
  readonly keyValue: string
  /** The CPF or CNPJ that the PIX key must belong to; undefined where the seller has none, and for the simulator. */
  readonly holderDocument: string | undefined
}

/**
 * Makes the program that decrypts a withdrawal's PIX key and its seller's document, which the acquirer compares with the key's
 * holder: sellers are paid to keys of their own (docs/contract/pix-keys.md). Undefined, and logged, for one that does not open.
 */
export const makeOpenPayee = Effect.gen(function* () {
  const acquirers = yield* Acquirers
  const sellers = yield* SellerStore
  const opener = yield* SecretOpener

  return Effect.fnUntraced(function* (stored: StoredWithdrawal) {
    const isLocal = acquirers[stored.mode].isLocal
    const sealed = isLocal ? undefined : (yield* sellers.get(stored.sellerId))?.document
    const keyValue = opener.open(stored.pixValue, sealedPlaces.withdrawalPixValue(stored.id))
    const holderDocument =
      sealed === undefined ? undefined : opener.open(sealed, sealedPlaces.sellerDocument(stored.sellerId))
    if (keyValue !== undefined && (sealed === undefined || holderDocument !== undefined)) {
      return { keyValue, holderDocument } satisfies Payee
    }
    const [what, text] =
      keyValue === undefined ? ["the PIX key", stored.pixValue] : ["the seller's document", sealed ?? ""]
    const keyId = keyIdOfSealed(text)
    const under = keyId === undefined ? "it is no ciphertext" : `it is sealed with the key '${keyId}'`
    yield* Effect.logError(
      `${what} of ${stored.id} cannot be opened: ${under}. Is that key in ENCRYPTION_KEY (ops keys show)? If it is, the text was altered.`,
    )
    return undefined
  })
})

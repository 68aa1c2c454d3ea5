import type { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { documentTermOf } from "../../../actors/values/sellerLookups.ts"
import type { AccountSecrets } from "../accountSecrets.ts"

/** The term by which a seller's document, without punctuation, is found. */
export const termOfDocument = (secrets: Pick<AccountSecrets["Service"], "fingerprint">, document: string) =>
  documentTermOf(secrets.fingerprint(`document:${document}`))

/** The same of a stored document (ciphertext); undefined where it does not open under this `ENCRYPTION_KEY`. */
export const documentTerm =
  ({
    open,
    fingerprint,
  }: Pick<SecretOpener["Service"], "open"> & Pick<AccountSecrets["Service"], "fingerprint">) =>
  (sealed: string): string | undefined => {
    const document = open(sealed)
    return document === undefined ? undefined : termOfDocument({ fingerprint }, document)
  }

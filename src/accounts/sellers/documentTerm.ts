import type { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { documentTermOf } from "../../../actors/values/sellerLookups.ts"
import type { DocumentTerm } from "../../store/sellerLookup.ts"
import type { AccountSecrets } from "../accountSecrets.ts"

type Fingerprints = Pick<AccountSecrets["Service"], "fingerprints">

/** The terms by which a seller's document, without punctuation, may be found: one for each key, newest first. */
export const termsOfDocument = ({ fingerprints }: Fingerprints, document: string) => {
  const [newest, ...older] = fingerprints(`document:${document}`)
  return [documentTermOf(newest), ...older.map(documentTermOf)] as const
}

/** The term by which a seller's document is found from now on. */
export const termOfDocument = (secrets: Fingerprints, document: string) =>
  termsOfDocument(secrets, document)[0]

/** The same of a seller's stored document (ciphertext); undefined where it does not open under this `ENCRYPTION_KEY`. */
export const documentTerm =
  ({ open, fingerprints }: Pick<SecretOpener["Service"], "open"> & Fingerprints): DocumentTerm =>
  (sealed, sellerId) => {
    const document = open(sealed, sealedPlaces.sellerDocument(sellerId))
    return document === undefined ? undefined : termOfDocument({ fingerprints }, document)
  }

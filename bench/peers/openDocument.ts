import { sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { chargeIdIn } from "../../actors/values/storedDocuments.ts"
import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"

/** Makes a function that opens the document in a charge's stored JSON: the bare service stores picture and link. */
export const makeOpenDocument = (encryptionKey: Uint8Array) => {
  const { open } = makeCipher(plainKey(encryptionKey))
  return (stored: string): string =>
    stored.replace(/"document":"(enc:[^"]*)"/, (whole, sealed: string) => {
      const document = open(sealed, sealedPlaces.customerDocument(chargeIdIn(stored) ?? ""))
      return document === undefined ? whole : `"document":"${document}"`
    })
}

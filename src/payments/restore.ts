import { Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { DocumentCipher } from "../../actors/ports/documentCipher.ts"
import { SecretOpener } from "../../actors/ports/secretOpener.ts"
import { makeFiller } from "../../actors/values/gaps.ts"
import type { SealedPlace } from "../../actors/values/sealedPlaces.ts"
import { chargeIdIn } from "../../actors/values/storedCharge.ts"
import { makeFindDocument } from "../crypto/cipher.ts"
import { makeFindPicture } from "../pixCode/pictureGap.ts"
import { encodeQrPngBase64 } from "../pixCode/qrPng.ts"
import { makeFindLink, PaymentUrls } from "./paymentUrls.ts"

/**
 * Of how many charges a process remembers what it has shown: 5 kB each, 20 MB in all. A charge is shown several times soon after its
 * creation, in the same state (answer, stream, deliveries, polling). Drawing its picture takes 11 us in a loop, opening its document 5 to 9
 * (docs/decisions/0099-shown-charges-are-remembered.md).
 */
export const rememberedMax = 4_096

/** What is shown of a charge; undefined or empty until it is. */
interface Shown {
  token: string | undefined
  picture: string | undefined
  /** The customer's document, and its ciphertext, which stays the same through all states of the charge. */
  sealed: string
  document: string | undefined
  /** The text that was restored last, and what it is shown as. */
  stored: string
  text: string
}

const notShown = (): Shown => ({
  token: undefined,
  picture: undefined,
  sealed: "",
  document: undefined,
  stored: "",
  text: "",
})

/** A copy of a part of a charge's text, which would keep the whole text in memory. */
const copyOf = (part: string): string => Buffer.from(part).toString()

/** What {@link makeRestore} restores with. */
export interface RestoreParts {
  /** Opens a sealed text in its place; undefined if it does not open. */
  readonly open: (sealed: string, place: SealedPlace) => string | undefined
  readonly urls: Pick<PaymentUrls["Service"], "tokenOf" | "urlOf" | "prefix">
}

/** Makes a function that shows stored JSON with its documents, links and pictures, as {@link DocumentCipher} says. */
export const makeRestore = ({ open, urls }: RestoreParts): ((stored: string) => string) => {
  const remembered = new LRUCache<string, Shown>({ max: rememberedMax })
  let prefix = ""
  /** Of the charge that is being restored. */
  let shown = notShown()
  const linkOf = (chargeId: string): string => {
    shown.token ??= urls.tokenOf(chargeId)
    return urls.urlOf(shown.token)
  }
  const documentOf = (sealed: string, place: SealedPlace): string | undefined => {
    if (shown.sealed !== sealed) {
      shown.sealed = copyOf(sealed)
      shown.document = open(sealed, place)
    }
    return shown.document
  }
  const pictureOf = (payload: string): string => {
    shown.picture ??= encodeQrPngBase64(payload)
    return shown.picture
  }
  // In the order of a charge's members.
  const fill = makeFiller([makeFindLink(linkOf), makeFindDocument(documentOf), makeFindPicture(pictureOf)])
  return (stored) => {
    const chargeId = chargeIdIn(stored)
    // Nothing else has a customer's document, a link or a picture.
    if (chargeId === undefined) return stored
    const now = urls.prefix()
    if (now !== prefix) {
      // The address has moved: the links of all that was shown are old.
      remembered.clear()
      prefix = now
    }
    // Not `get`, which costs as much again to keep an order of use: what is read often was made not long ago.
    const known = remembered.peek(chargeId)
    if (known?.stored === stored) return known.text
    shown = known ?? notShown()
    if (known === undefined) remembered.set(copyOf(chargeId), shown)
    const text = fill(stored)
    // From the second time on: many charges are shown once, in the answer to their creation.
    if (known !== undefined) {
      known.stored = stored
      known.text = text
    }
    return text
  }
}

/** A `DocumentCipher` that fills in links and pictures as well. */
export const RestoreLive = Layer.effect(
  DocumentCipher,
  Effect.gen(function* () {
    const { open } = yield* SecretOpener
    return { restore: makeRestore({ open, urls: yield* PaymentUrls }) }
  }),
)

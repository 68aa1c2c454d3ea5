import { Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { DocumentCipher } from "../../actors/ports/documentCipher.ts"
import { SecretOpener } from "../../actors/ports/secretOpener.ts"
import { makeFiller } from "../../actors/values/gaps.ts"
import { makeFindDocument } from "../crypto/cipher.ts"
import { makeFindPicture } from "../pixCode/pictureGap.ts"
import { encodeQrPngBase64 } from "../pixCode/qrPng.ts"
import { makeFindLink, PaymentUrls } from "./paymentUrls.ts"

/**
 * Of how many charges a process remembers link and picture: 1.4 kB each, 12 MB in all. A charge is shown several times soon
 * after its creation (answer, stream, deliveries, lists), and its picture takes 27 us to draw.
 */
export const rememberedMax = 8_192

/** What is shown of a charge and not stored. */
interface Shown {
  readonly token: string
  /** Undefined until it is drawn. */
  picture: string | undefined
}

/** What {@link makeRestore} restores with. */
export interface RestoreParts {
  /** Opens a sealed text; undefined if it does not open. */
  readonly open: (sealed: string) => string | undefined
  readonly urls: Pick<PaymentUrls["Service"], "tokenOf" | "urlOf">
}

/** Makes a function that shows stored JSON with its documents, links and pictures, as {@link DocumentCipher} says. */
export const makeRestore = ({ open, urls }: RestoreParts): ((stored: string) => string) => {
  const remembered = new LRUCache<string, Shown>({ max: rememberedMax })
  const shownOf = (chargeId: string): Shown => {
    // Not `get`, which costs as much again to keep an order of use: what is read often was made not long ago.
    const known = remembered.peek(chargeId)
    if (known !== undefined) return known
    const shown = { token: urls.tokenOf(chargeId), picture: undefined }
    // A copy: a part of a charge's text would keep the whole text in memory.
    remembered.set(Buffer.from(chargeId).toString(), shown)
    return shown
  }
  const linkOf = (chargeId: string): string => urls.urlOf(shownOf(chargeId).token)
  const pictureOf = (chargeId: string, payload: string): string => {
    const shown = shownOf(chargeId)
    shown.picture ??= encodeQrPngBase64(payload)
    return shown.picture
  }
  // In the order of a charge's members.
  return makeFiller([makeFindLink(linkOf), makeFindDocument(open), makeFindPicture(pictureOf)])
}

/** A `DocumentCipher` that fills in links and pictures as well. */
export const RestoreLive = Layer.effect(
  DocumentCipher,
  Effect.gen(function* () {
    const { open } = yield* SecretOpener
    return { restore: makeRestore({ open, urls: yield* PaymentUrls }) }
  }),
)

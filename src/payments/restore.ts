import { Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { DocumentCipher } from "../../actors/ports/documentCipher.ts"
import { SecretOpener } from "../../actors/ports/secretOpener.ts"
import { makeFiller } from "../../actors/values/gaps.ts"
import { chargeIdIn } from "../../actors/values/storedCharge.ts"
import { makeFindDocument } from "../crypto/cipher.ts"
import { makeFindPicture } from "../pixCode/pictureGap.ts"
import { encodeQrPngBase64 } from "../pixCode/qrPng.ts"
import { makeFindLink, PaymentUrls } from "./paymentUrls.ts"

/**
 * Of how many charges a process remembers what it has shown: 5 kB each, 20 MB in all. A charge is shown several times soon after its
 * creation, in the same state (answer, stream, deliveries, polling). Drawing its picture takes 27 us, opening its document 5 to 9
 * (docs/decisions/0099-shown-charges-are-remembered.md).
 */
export const rememberedMax = 4_096

/** What is shown of a charge. */
interface Shown {
  readonly token: string
  /** Undefined until it is drawn. */
  picture: string | undefined
  /** The text that was restored last, and what it is shown as. */
  stored: string
  text: string
}

/** What {@link makeRestore} restores with. */
export interface RestoreParts {
  /** Opens a sealed text; undefined if it does not open. */
  readonly open: (sealed: string) => string | undefined
  readonly urls: Pick<PaymentUrls["Service"], "tokenOf" | "urlOf" | "prefix">
}

/** Makes a function that shows stored JSON with its documents, links and pictures, as {@link DocumentCipher} says. */
export const makeRestore = ({ open, urls }: RestoreParts): ((stored: string) => string) => {
  const remembered = new LRUCache<string, Shown>({ max: rememberedMax })
  let prefix = ""
  const shownOf = (chargeId: string): Shown => {
    // Not `get`, which costs as much again to keep an order of use: what is read often was made not long ago.
    const known = remembered.peek(chargeId)
    if (known !== undefined) return known
    const shown = { token: urls.tokenOf(chargeId), picture: undefined, stored: "", text: "" }
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
  const fill = makeFiller([makeFindLink(linkOf), makeFindDocument(open), makeFindPicture(pictureOf)])
  return (stored) => {
    const chargeId = chargeIdIn(stored)
    if (chargeId === undefined) return fill(stored)
    const now = urls.prefix()
    if (now !== prefix) {
      // The address has moved: the links of all that was shown are old.
      remembered.clear()
      prefix = now
    }
    const known = remembered.peek(chargeId)
    if (known?.stored === stored) return known.text
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

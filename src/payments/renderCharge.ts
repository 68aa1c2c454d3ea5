import { Effect, Layer, Schema } from "effect"
import { LRUCache } from "lru-cache"
import { ChargeRenderer } from "../../actors/ports/chargeRenderer.ts"
import { SecretOpener } from "../../actors/ports/secretOpener.ts"
import { paymentLinkIdIn, withUrl } from "../../actors/values/paymentLinkText.ts"
import { type SealedPlace, sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { chargeIdIn } from "../../actors/values/storedDocuments.ts"
import { encodeQrPngBase64 } from "../pixCode/qrPng.ts"
import { PaymentUrls } from "./paymentUrls.ts"

/**
 * How many charges a process remembers as it rendered them: 5 kB each, 20 MB in all. A charge is rendered several times in the same
 * state (answer, stream, deliveries, polling), and opening its document and drawing its picture cost as much as the rest of a GET
 * (docs/decisions/0072-pictures-are-not-stored.md).
 */
export const renderedMax = 4_096

/** The members that rendering reads or replaces. All others are written by our own store and stay as they are. */
const isCharge = Schema.is(
  Schema.Struct({
    id: Schema.String,
    payment_url: Schema.mutableKey(Schema.String),
    customer: Schema.Struct({ document: Schema.mutableKey(Schema.String) }),
    pix: Schema.Struct({ payload: Schema.String, qr_base64: Schema.mutableKey(Schema.String) }),
  }),
)

const chargeOf = (stored: string) => {
  try {
    const parsed: unknown = JSON.parse(stored)
    return isCharge(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/** A charge's newest version that was rendered. The next version usually has the same document and payload. */
interface RenderedCharge {
  /** Names the version: unlike a version's number, it changes when the customer is erased. */
  readonly stored: string
  readonly text: string
  readonly sealed: string
  readonly document: string
  readonly payload: string
  readonly picture: string
  readonly token: string
}

/** What charges are rendered with. */
export interface RenderParts {
  /** Opens a sealed text in its place; undefined if it does not open. */
  readonly open: (sealed: string, place: SealedPlace) => string | undefined
  readonly urls: Pick<PaymentUrls["Service"], "tokenOf" | "urlOf" | "prefix" | "linkUrlOf">
}

/** Makes {@link ChargeRenderer}'s functions. They parse, and decode, each version of a charge once. */
export const makeChargeRenderer = ({ open, urls }: RenderParts): ChargeRenderer["Service"] => {
  const rendered = new LRUCache<string, RenderedCharge>({ max: renderedMax })
  let prefix = ""
  /** The charge with its link and its customer's document, and what was known of it before; undefined if it is no whole charge. */
  const opened = (stored: string) => {
    const id = chargeIdIn(stored)
    if (id === undefined) return undefined
    if (urls.prefix() !== prefix) {
      // The service's address has moved, and with it all links.
      rendered.clear()
      prefix = urls.prefix()
    }
    const last = rendered.get(id)
    if (last?.stored === stored) return { last, charge: undefined }
    const charge = chargeOf(stored)
    if (charge === undefined) return undefined
    const sealed = charge.customer.document
    const document =
      last?.sealed === sealed ? last.document : (open(sealed, sealedPlaces.customerDocument(id)) ?? sealed)
    const token = last?.token ?? urls.tokenOf(id)
    charge.payment_url = urls.urlOf(token)
    charge.customer.document = document
    return { last, charge, sealed, document, token }
  }
  const render = (stored: string): string => {
    const linkId = paymentLinkIdIn(stored)
    if (linkId !== undefined) return withUrl(stored, urls.linkUrlOf(linkId))
    const found = opened(stored)
    if (found === undefined) return stored
    if (found.charge === undefined) return found.last.text
    const { last, charge, sealed, document, token } = found
    const { payload } = charge.pix
    const picture = last?.payload === payload ? last.picture : encodeQrPngBase64(payload)
    charge.pix.qr_base64 = picture
    const text = JSON.stringify(charge)
    rendered.set(charge.id, { stored, text, sealed, document, payload, picture, token })
    return text
  }
  const renderSummary = (stored: string): string => {
    const found = opened(stored)
    if (found === undefined) return stored
    const charge = found.charge ?? chargeOf(found.last.text)
    if (charge === undefined) return stored
    return JSON.stringify({
      ...charge,
      items: undefined,
      pix: { ...charge.pix, payload: undefined, qr_base64: undefined },
    })
  }
  return { render, renderSummary }
}

/** Renders charges for callers of this service. */
export const ChargeRendererLive = Layer.effect(
  ChargeRenderer,
  Effect.gen(function* () {
    const { open } = yield* SecretOpener
    return makeChargeRenderer({ open, urls: yield* PaymentUrls })
  }),
)

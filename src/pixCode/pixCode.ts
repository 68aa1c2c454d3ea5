import { Layer } from "effect"
import { PixCode } from "../../actors/ports/pixCode.ts"
import { makeBrCodeBuilder } from "./brCode.ts"

/** BR Codes of charges, for the merchant of `PIX_MERCHANT_NAME` and `PIX_MERCHANT_CITY`. */
export const PixCodeLive = (merchant: { readonly merchantName: string; readonly merchantCity: string }) => {
  return Layer.succeed(PixCode, { encode: makeBrCodeBuilder(merchant) })
}

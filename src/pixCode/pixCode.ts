import { Layer } from "effect"
import { PixCode } from "../../actors/ports/pixCode.ts"
import { makeBrCodeBuilder } from "./brCode.ts"
import { encodeQrPngBase64 } from "./qrPng.ts"

/** BR Codes and QR codes of charges, for the merchant of `PIX_MERCHANT_NAME` and `PIX_MERCHANT_CITY`. */
export const PixCodeLive = (merchant: { readonly merchantName: string; readonly merchantCity: string }) => {
  const build = makeBrCodeBuilder(merchant)
  return Layer.succeed(PixCode, {
    encode: (location) => {
      const payload = build(location)
      return { payload, qrBase64: encodeQrPngBase64(payload) }
    },
  })
}

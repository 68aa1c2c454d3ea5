import { Layer } from "effect"
import { PixCode } from "../../actors/ports/pixCode.ts"
import { makeBrCodeBuilder } from "./brCode.ts"
import { encodeQrPngBase64 } from "./qrPng.ts"

/** BR Code and QR of charges, in the merchant's name (settings `PIX_MERCHANT_NAME`, `PIX_MERCHANT_CITY`). */
export const PixCodeLive = (merchant: { readonly merchantName: string; readonly merchantCity: string }) => {
  const build = makeBrCodeBuilder(merchant)
  return Layer.succeed(PixCode, {
    encode: (location) => {
      const payload = build(location)
      return { payload, qrBase64: encodeQrPngBase64(payload) }
    },
  })
}

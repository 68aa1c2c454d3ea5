import { Layer } from "effect"
import { PixCode } from "../../actors/ports/pixCode.ts"
import { type BrCodeMerchant, canName, makeBrCodeBuilder } from "./brCode.ts"

/**
 * BR Codes of charges, for the seller's approved legal name, or for the merchant of `PIX_MERCHANT_NAME` where there is none or no
 * letter or digit of it is ASCII; the city is always `PIX_MERCHANT_CITY`.
 */
export const PixCodeLive = (merchant: BrCodeMerchant) => {
  const ours = makeBrCodeBuilder(merchant)
  return Layer.succeed(PixCode, {
    encode: (location, approvedName) =>
      approvedName === undefined || !canName(approvedName)
        ? ours(location)
        : makeBrCodeBuilder({ ...merchant, merchantName: approvedName })(location),
  })
}

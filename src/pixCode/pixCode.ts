import { Layer } from "effect"
import { PixCode } from "../../actors/ports/pixCode.ts"
import { type BrCodeMerchant, canName, makeBrCodeBuilder } from "./brCode.ts"

/** Names whose builders are kept: a name is folded once, not with every charge. */
const buildersMax = 4_096

/**
 * BR Codes of charges, for the seller's approved legal name, or for the merchant of `PIX_MERCHANT_NAME` where there is none or no
 * letter or digit of it is ASCII; the city is always `PIX_MERCHANT_CITY`.
 */
export const PixCodeLive = (merchant: BrCodeMerchant) => {
  const ours = makeBrCodeBuilder(merchant)
  const builders = new Map<string, (location: string) => string>()
  const builderOf = (name: string) => {
    const known = builders.get(name)
    if (known !== undefined) return known
    const made = canName(name) ? makeBrCodeBuilder({ ...merchant, merchantName: name }) : ours
    if (builders.size >= buildersMax) builders.clear()
    builders.set(name, made)
    return made
  }
  return Layer.succeed(PixCode, {
    encode: (location, approvedName) =>
      (approvedName === undefined ? ours : builderOf(approvedName))(location),
  })
}

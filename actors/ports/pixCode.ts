import { Context } from "effect"

/** Encodes a location as BR Code, and that as the base64 of a PNG with its QR code (docs/contract/transactions.md#pix-code). */
export class PixCode extends Context.Service<
  PixCode,
  {
    readonly encode: (location: string) => { readonly payload: string; readonly qrBase64: string }
  }
>()("corrente/actors/PixCode") {}

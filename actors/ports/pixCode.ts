import { Context } from "effect"

/** Writes what a payer scans or pastes (decisions 2): the BR Code of a location, and its QR as base64 of a PNG. */
export class PixCode extends Context.Service<
  PixCode,
  {
    readonly encode: (location: string) => { readonly payload: string; readonly qrBase64: string }
  }
>()("corrente/actors/PixCode") {}

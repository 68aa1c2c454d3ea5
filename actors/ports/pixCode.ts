import { Context } from "effect"

/** Encodes a location as BR Code, the `pix.payload` (docs/contract/transactions.md#pix-code). */
export class PixCode extends Context.Service<
  PixCode,
  {
    readonly encode: (location: string) => string
  }
>()("corrente/actors/PixCode") {}

import { Context } from "effect"

/** Encodes a location as BR Code, the `pix.payload` (docs/contract/transactions.md#pix-code). */
export class PixCode extends Context.Service<
  PixCode,
  {
    /** Without `approvedName`, the seller's approved legal name, the code names the service's own merchant. */
    readonly encode: (location: string, approvedName: string | undefined) => string
  }
>()("corrente/actors/PixCode") {}

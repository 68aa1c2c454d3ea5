import { Context } from "effect"
import type { Feed } from "../../schema/ids.ts"

/**
 * Names customers without their documents: 14 characters of a keyed hash of seller, mode and document, always the same for the same
 * three (docs/contract/customers.md#ids). `document` has no punctuation.
 */
export class CustomerDigests extends Context.Service<
  CustomerDigests,
  {
    readonly of: (feed: Feed, document: string) => string
  }
>()("corrente/actors/CustomerDigests") {}

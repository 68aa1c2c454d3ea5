import { Context } from "effect"
import type { IdPrefix } from "../../schema/ids.ts"

/** Makes identifiers. It is the actors' only source of randomness, so that tests can name what they make. */
export class Identifiers extends Context.Service<
  Identifiers,
  {
    /** A new id with a prefix, a partition and the time in ms. */
    readonly id: (prefix: IdPrefix, partition: number, millis: number) => string
    /** `length` random characters of `[0-9A-Z]`. */
    readonly alphanumeric: (length: number) => string
  }
>()("corrente/actors/Identifiers") {}

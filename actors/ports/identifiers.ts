import { Context } from "effect"
import type { IdPrefix } from "../../schema/ids.ts"

/** Fresh identifiers; the one source of randomness of the actors, so that tests can name what they make. */
export class Identifiers extends Context.Service<
  Identifiers,
  {
    /** An id of the kind, of the partition, made at `millis`. */
    readonly id: (prefix: IdPrefix, partition: number, millis: number) => string
    /** `length` random characters of `[0-9A-Z]`. */
    readonly alphanumeric: (length: number) => string
  }
>()("corrente/actors/Identifiers") {}

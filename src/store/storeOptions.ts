import { Context } from "effect"

/** What the Redis store needs to know besides its connection. */
export class StoreOptions extends Context.Service<
  StoreOptions,
  {
    /** How long events, deliveries and attempts are kept (decisions 5). */
    readonly retentionMillis: number
    /** How many partitions sellers are spread over. */
    readonly partitions: number
    /** What the notices of a partition's inbox may take; undefined: `limits.inboxBytesMaxDefault`. */
    readonly inboxBytesMax?: number | undefined
    /** Names this process among all that share the Redis. */
    readonly processId: string
  }
>()("corrente/store/StoreOptions") {}

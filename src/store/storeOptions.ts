import { Context } from "effect"

/** Options of the Redis store. */
export class StoreOptions extends Context.Service<
  StoreOptions,
  {
    /** How long events, deliveries and attempts are kept (docs/contract/events.md#retention). */
    readonly retentionMillis: number
    /** How long test mode keeps what has ended, in ms; undefined: for ever. */
    readonly testRetentionMillis?: number | undefined
    /** How many partitions sellers are spread over. */
    readonly partitions: number
    /** The bytes that a partition's inbox may hold; `limits.inboxBytesMaxDefault` if undefined. */
    readonly inboxBytesMax?: number | undefined
    /** Identifies this process among all that share the Redis. */
    readonly processId: string
    /** The id of the key that this process encrypts with, which others must know; undefined where it is no service. */
    readonly encryptionKeyId?: string | undefined
  }
>()("corrente/store/StoreOptions") {}

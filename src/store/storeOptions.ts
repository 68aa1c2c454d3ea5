import { Context } from "effect"
import type { Replication } from "../config/redisUrl.ts"

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
    /** The ids of this process' keys of `ENCRYPTION_KEY`, newest first, which others are told; undefined where it is no service. */
    readonly encryptionKeyIds?: ReadonlyArray<string> | undefined
    /** How many replicas must have a write before anybody is told; undefined: nobody waits for replicas. */
    readonly replication?: Replication | undefined
  }
>()("corrente/store/StoreOptions") {}

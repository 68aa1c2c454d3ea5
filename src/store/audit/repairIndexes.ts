import { Effect } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { Feed } from "../../../schema/ids.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["resource", "index", "...status_indexes"],
  args: ["id", "seller_id", "mode", "...statuses"],
})

/** A resource, the index of all, and the indexes by status with their statuses. */
export interface IndexedResource {
  readonly id: string
  readonly hashKey: string
  readonly indexKey: string
  readonly statusIndexes: ReadonlyArray<readonly [key: string, status: string]>
}

/**
 * What a repair did: of each index that it changed `+` or `-` and its key. `lost`: the indexes agree that there is a
 * resource, but it has no hash. `unknown`: its status has no index.
 */
export type IndexRepair =
  | { readonly kind: "mended"; readonly changes: ReadonlyArray<string> }
  | { readonly kind: "lost" | "unknown" }

/** Makes the indexes of a resource of a seller and mode agree with its hash, in one step. */
export const repairIndexes = (
  client: RedisClient["Service"],
  { sellerId, mode }: Feed,
  { id, hashKey, indexKey, statusIndexes }: IndexedResource,
): Effect.Effect<IndexRepair, StoreUnavailable> =>
  Effect.flatMap(
    callFunction(
      client,
      declaration,
      { resource: hashKey, index: indexKey, status_indexes: statusIndexes.map(([key]) => key) },
      { id, seller_id: sellerId, mode, statuses: statusIndexes.map(([, status]) => status) },
    ),
    (reply): Effect.Effect<IndexRepair, StoreUnavailable> => {
      const [kind, ...changes] = words(reply)
      if (kind === "mended") return Effect.succeed({ kind, changes })
      if (kind === "lost" || kind === "unknown") return Effect.succeed({ kind })
      return Effect.fail(unexpectedReply(declaration, reply))
    },
  )

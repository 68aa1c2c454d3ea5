import { Effect } from "effect"
import { readException } from "../../../actors/seller/decisions/exceptionDocument.ts"
import { limits } from "../../../schema/limits.ts"
import { exceptionKinds } from "../../../schema/resources/exception.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redis/redisClient.ts"

/**
 * The ids of a partition's charges, withdrawals and refunds that open exceptions of test mode are about. Undefined where there are
 * more exceptions of a kind than one look reads.
 */
export const resourcesWithExceptions = Effect.fnUntraced(function* (
  client: RedisClient["Service"],
  partition: number,
) {
  const tag = keys.partitionTag(partition)
  const max = limits.trimmedTestExceptionsMax
  const pages = yield* client.callAll(
    exceptionKinds.map(
      (kind) => ["ZRANGE", [keys.exceptionsOfKindKey(tag, "open", kind, "test"), 0, max]] as const,
    ),
  )
  const ids = pages.map((page) => (page ?? []) as ReadonlyArray<string>)
  if (ids.some(({ length }) => length > max)) return undefined
  const documents = yield* client.callAll(
    ids.flat().map((id) => ["HGET", [keys.exceptionKey(id), "document"]] as const),
  )
  return new Set(
    documents.flatMap((document) => {
      if (document === null) return []
      const { resource_id: id } = readException({ document: String(document) })
      return id === null ? [] : [id]
    }),
  )
})

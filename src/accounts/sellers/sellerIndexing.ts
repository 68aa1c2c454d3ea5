import { Clock, Effect, Layer } from "effect"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { makeId } from "../../../schema/ids.ts"
import * as keys from "../../store/keys.ts"
import { forEachSellers } from "../../store/partitions/sellersOf.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { indexSellers } from "../../store/sellers/sellerIndex.ts"
import { StoreOptions } from "../../store/storeOptions.ts"
import { AccountSecrets } from "../accountSecrets.ts"
import { documentTerm } from "./documentTerm.ts"

const hourMillis = 3_600_000

/** How long a pass rests after each page of sellers, so that requests go first. */
const restMillis = 20

/**
 * One pass that makes sellers be found by what they have: all at first, later those that are newer than the last pass began, since
 * a process of an earlier build may have created them during a deploy. Passes of two processes do no harm.
 */
export const indexOnce = Effect.gen(function* () {
  const client = yield* RedisClient
  const { partitions } = yield* StoreOptions
  const { open } = yield* SecretOpener
  const { fingerprints } = yield* AccountSecrets
  const beganMillis = yield* Clock.currentTimeMillis
  const last = yield* client.call("GET", [keys.sellersIndexedKey])
  const sinceMillis = last === null ? 0 : Math.max(0, Number(last) - hourMillis)
  const indexed: Array<string> = []
  const step = (ids: ReadonlyArray<string>) =>
    Effect.flatMap(indexSellers(client, ids, documentTerm({ open, fingerprints })), (some) => {
      indexed.push(...some)
      return Effect.sleep(restMillis)
    })
  yield* forEachSellers(client, partitions, step, makeId("sel_", sinceMillis, 0, new Uint8Array(14)))
  yield* client.call("SET", [keys.sellersIndexedKey, beganMillis])
  return indexed
})

/** Runs a pass at the start and once an hour; one that fails is made up for by the next. */
export const SellerIndexingLive = Layer.effectDiscard(
  indexOnce.pipe(
    Effect.tap((indexed) =>
      indexed.length === 0
        ? Effect.void
        : Effect.logInfo(`${indexed.length} sellers can be searched for now: they are from before search`),
    ),
    Effect.catch((error) => Effect.logWarning(`sellers could not be indexed: ${error.reason}`)),
    Effect.andThen(Effect.sleep(hourMillis)),
    Effect.forever,
    Effect.forkScoped,
  ),
)

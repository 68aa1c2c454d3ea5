import { Effect } from "effect"
import { Identifiers } from "../../actors/ports/identifiers.ts"
import { sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { type Feed, partitionOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { Ordering } from "../../schema/resources/endpoint.ts"
import { secretPrefixLength } from "../../src/accounts/webhookSettings/endpoints.ts"
import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { IdentifiersLive } from "../../src/crypto/identifiers.ts"
import { createEndpoint } from "../../src/store/endpoints/createEndpoint.ts"
import { makeRedisClient } from "../../src/store/redis/redisClient.ts"
import type { EndpointGroups, ReceiverEndpoint } from "../load/deliveryProtocol.ts"
import { fillSellers } from "../support/filler.ts"
import { encryptionKey } from "../support/sides.ts"

/** The event type that endpoints subscribe to. */
export const deliveredType = "transaction.paid"

/**
 * Sellers and their endpoints. An event of group n belongs to the seller of group n and is owed to all its endpoints.
 */
export interface EndpointSet {
  readonly groups: EndpointGroups
  readonly feeds: ReadonlyArray<Feed>
  /** The service's endpoint ids, by group. */
  readonly endpointIds: ReadonlyArray<ReadonlyArray<string>>
}

/** Endpoints 0 to `count`, `perSeller` to a group. */
export const groupsOf = (count: number, perGroup: number): EndpointGroups => {
  const size = Math.min(count, perGroup)
  return Array.from({ length: Math.floor(count / size) }, (_, group) =>
    Array.from({ length: size }, (__, position) => group * size + position),
  )
}

/** The service's limit per seller (docs/contract/endpoints.md#limits), or all. */
export const perSellerMax = limits.endpointsPerModeMax

/**
 * Creates a set in the service's Redis with the service's own functions, one seller per group. Peers, who know
 * endpoints only by number, get the same events.
 */
export const makeEndpointSet = async (
  redisUrl: string,
  receivers: ReadonlyArray<ReceiverEndpoint>,
  groups: EndpointGroups,
  ordering: Ordering = "none",
): Promise<EndpointSet> => {
  const { seal } = makeCipher(plainKey(Buffer.from(encryptionKey, "base64")))
  const sellers = await fillSellers(redisUrl, groups.length)
  const feeds = sellers.map(({ sellerId }): Feed => ({ sellerId, mode: "test" }))
  const endpointIds = await Effect.gen(function* () {
    const create = createEndpoint(yield* makeRedisClient(redisUrl, "bench"))
    const identifiers = yield* Identifiers
    const createOne = Effect.fnUntraced(function* (feed: Feed, receiver: ReceiverEndpoint | undefined) {
      if (receiver === undefined) return yield* Effect.die("there are not as many receivers")
      const id = identifiers.id("we_", partitionOfId(feed.sellerId) ?? 0, Date.now())
      const { kind } = yield* create({
        ...feed,
        id,
        url: receiver.url,
        events: [deliveredType],
        description: undefined,
        ordering,
        secret: seal(receiver.secret, sealedPlaces.endpointSecret(id)),
        secretPrefix: receiver.secret.slice(0, secretPrefixLength),
        createdAt: new Date().toISOString(),
      })
      return kind === "created" ? id : yield* Effect.die(`an endpoint was not made: ${kind}`)
    })
    return yield* Effect.forEach(feeds, (feed, group) =>
      Effect.forEach(groups[group] ?? [], (endpoint) => createOne(feed, receivers[endpoint])),
    )
  }).pipe(Effect.scoped, Effect.provide(IdentifiersLive), Effect.runPromise)
  return { groups, feeds, endpointIds }
}

import { Effect } from "effect"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { secretPrefixLength } from "../../../src/accounts/webhookSettings/endpoints.ts"
import { makeCipher } from "../../../src/crypto/cipher.ts"
import { plainKey } from "../../../src/crypto/encryptionKeys.ts"
import { IdentifiersLive } from "../../../src/crypto/identifiers.ts"
import { createEndpoint } from "../../../src/store/endpoints.ts"
import { makeRedisClient } from "../../../src/store/redis/redisClient.ts"
import { groupsOf } from "../../load/deliveryRounds.ts"
import type { DeliverySourceAnswer, DeliverySourceRequest } from "../../load/deliverySource.ts"
import type { ReceiverEndpoint } from "../../load/receiver.ts"
import { loadBenchFunctions } from "../../support/benchFunctions.ts"
import { startWorker } from "../../support/child.ts"
import { fillSellers } from "../../support/filler.ts"
import { startReceiver } from "../../support/receiver.ts"
import { startBenchRedis } from "../../support/redisServer.ts"
import { encryptionKey, startSideBackend } from "../../support/sides.ts"
import { makeTemplate } from "../../support/template.ts"
import {
  type EndpointSet,
  retryScheduleSeconds,
  startBareSide,
  startBullmqSide,
  startServiceSide,
} from "./sides.ts"

/**
 * Creates `count` endpoints, `perGroup` to a seller, in the service's Redis with the service's own functions. Peers, who know
 * endpoints only by number, get the same events.
 */
export const makeEndpointSet = async (
  redisUrl: string,
  receivers: ReadonlyArray<ReceiverEndpoint>,
  count: number,
  perGroup: number,
): Promise<EndpointSet> => {
  const { seal } = makeCipher(plainKey(Buffer.from(encryptionKey, "base64")))
  const groups = groupsOf(count, perGroup)
  const sellers = await fillSellers(redisUrl, groups.length)
  const feeds = sellers.map(({ feed }) => feed)
  const owners = feeds.flatMap((feed, group) => (groups[group] ?? []).map((endpoint) => ({ feed, endpoint })))
  const endpointIds = await Effect.gen(function* () {
    const create = createEndpoint(yield* makeRedisClient(redisUrl, "bench"))
    const identifiers = yield* Identifiers
    return yield* Effect.forEach(owners, ({ feed, endpoint }) =>
      Effect.gen(function* () {
        const { url = "", secret = "" } = receivers[endpoint] ?? {}
        const id = identifiers.id("we_", partitionOfId(feed.sellerId) ?? 0, Date.now())
        const { kind } = yield* create({
          ...feed,
          id,
          url,
          events: ["transaction.paid"],
          description: undefined,
          ordering: "none",
          secret: seal(secret, sealedPlaces.endpointSecret(id)),
          secretPrefix: secret.slice(0, secretPrefixLength),
          createdAt: new Date().toISOString(),
        })
        return kind === "created" ? id : yield* Effect.die(`an endpoint was not made: ${kind}`)
      }),
    )
  }).pipe(Effect.scoped, Effect.provide(IdentifiersLive), Effect.runPromise)
  return { groups, feeds, endpointIds, apiKeys: sellers.map(({ apiKey }) => apiKey) }
}

type Keep = <Part extends { readonly stop: () => Promise<unknown> }>(part: Part) => Part

/** Starts everything; each part that is started is kept, to be stopped. */
const start = async (size: { readonly endpoints: number; readonly stormEndpoints: number }, keep: Keep) => {
  const receiver = keep(await startReceiver(Math.max(size.endpoints, size.stormEndpoints)))
  const backend = keep(
    await startSideBackend("corrente", {
      ...receiver.settings,
      RETRY_SCHEDULE_SECONDS: retryScheduleSeconds,
      // Only the template's charge is ever paid.
      SIMULATOR_DELAY_MS: "0",
    }),
  )
  await loadBenchFunctions(backend.redis.client)
  const redis = { bare: keep(await startBenchRedis()), bullmq: keep(await startBenchRedis()) }
  // Stopped before the Redis servers it is connected to.
  const source = keep(
    startWorker<DeliverySourceRequest, DeliverySourceAnswer>(
      new URL("../../load/deliverySource.ts", import.meta.url),
    ),
  )
  const make = (count: number, perSeller: number) =>
    makeEndpointSet(backend.redis.url, receiver.endpoints, count, perSeller)
  // The service's limit per seller (docs/contract/endpoints.md#limits), or all.
  const perSellerMax = limits.endpointsPerModeMax
  const sets = {
    /** Five endpoints per seller. */
    fanOut: await make(size.endpoints, perSellerMax),
    /** One endpoint per seller. */
    single: await make(size.endpoints, 1),
    storm: await make(size.stormEndpoints, perSellerMax),
  }
  const service = keep(await startServiceSide(backend))
  const sides = [
    service,
    keep(await startBareSide(redis.bare, receiver)),
    keep(await startBullmqSide(redis.bullmq, receiver)),
  ]
  const template = await makeTemplate(backend, service.port, "transaction.paid")
  for (const side of sides) {
    const { name } = side
    await source.ask({ kind: "connect", name, url: side.redis.url, template, encryptionKey })
  }
  return { receiver, source, sets, sides }
}

/** What all contenders share: receivers, the source of events, and the endpoints these are owed to. */
export type DeliveryEnvironment = Awaited<ReturnType<typeof start>>

/** Runs `body` in an environment, and tears it down afterwards, in reverse order. */
export const withDeliveryEnvironment = async <A>(
  size: { readonly endpoints: number; readonly stormEndpoints: number },
  run: (environment: DeliveryEnvironment) => Promise<A>,
): Promise<A> => {
  const started: Array<{ readonly stop: () => Promise<unknown> }> = []
  const keep: Keep = (part) => {
    started.push(part)
    return part
  }
  try {
    return await run(await start(size, keep))
  } finally {
    for (const part of started.toReversed()) await part.stop()
  }
}

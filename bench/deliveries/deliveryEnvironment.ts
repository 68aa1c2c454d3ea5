import type {
  DeliverySourceAnswer,
  DeliverySourceRequest,
  DeliveryTemplate,
  ReceiverAnswer,
  ReceiverEndpoint,
  ReceiverRequest,
} from "../load/deliveryProtocol.ts"
import { startWorker, type Worker } from "../support/child.ts"
import { type BenchRedis, startBenchRedis } from "../support/redisServer.ts"
import type { SideBackend } from "../support/sides.ts"
import { type EndpointSet, groupsOf, makeEndpointSet, perSellerMax } from "./endpoints.ts"
import { type PeerOptions, startBareSide, startBullmqSide } from "./peerSides.ts"
import { startServiceBackend, startServiceSide } from "./serviceSide.ts"
import type { DeliverySide, PeerSide } from "./side.ts"
import type { DeliverySize } from "./sizes.ts"
import { makeTemplate } from "./template.ts"

/** What all contenders share: receivers, the source of events, and the endpoints these are owed to. */
export interface DeliveryEnvironment {
  readonly receiver: Worker<ReceiverRequest, ReceiverAnswer>
  readonly source: Worker<DeliverySourceRequest, DeliverySourceAnswer>
  readonly sets: {
    /** Five endpoints per seller. */
    readonly fanOut: EndpointSet
    /** One endpoint per seller. */
    readonly single: EndpointSet
    readonly storm: EndpointSet
  }
  readonly sides: ReadonlyArray<DeliverySide>
  /** Starts a peer whose attempts make no request, on the Redis of the peer that makes them. */
  readonly startAlone: (name: "bare" | "bullmq") => Promise<PeerSide>
}

const moduleOf = (name: string): URL => new URL(`../load/${name}.ts`, import.meta.url)

/** Names of the peers' queues. */
const queue = "deliveries"
const aloneQueue = "alone"

interface Parts extends Pick<DeliveryEnvironment, "receiver" | "source"> {
  readonly endpoints: ReadonlyArray<ReceiverEndpoint>
  readonly caFile: string
  readonly template: DeliveryTemplate
  readonly backend: SideBackend
  readonly redis: Readonly<Record<"bare" | "bullmq", BenchRedis>>
}

const makeSets = async (
  { backend, endpoints }: Parts,
  size: DeliverySize,
): Promise<DeliveryEnvironment["sets"]> => {
  const make = (count: number, perSeller: number) =>
    makeEndpointSet(backend.redis.url, endpoints, groupsOf(count, perSeller))
  return {
    fanOut: await make(size.endpoints, perSellerMax),
    single: await make(size.endpoints, 1),
    storm: await make(size.stormEndpoints, perSellerMax),
  }
}

/** Connects the source to a contender. The source takes one request at a time. */
const connect = ({ source, template }: Parts, { name, queue: queueName, redis }: DeliverySide) =>
  source.ask({
    kind: "connect",
    name,
    url: redis.url,
    queue: queueName,
    isKeeping: queueName === aloneQueue,
    template,
  })

const startPeer = (parts: Parts, name: "bare" | "bullmq", queueName: string): Promise<PeerSide> => {
  const options: PeerOptions = {
    redis: parts.redis[name],
    endpoints: parts.endpoints,
    caFile: parts.caFile,
    queue: queueName,
    isSending: queueName !== aloneQueue,
  }
  return name === "bare" ? startBareSide(options) : startBullmqSide(options)
}

/** Starts that many receivers. */
export const listen = async (receiver: DeliveryEnvironment["receiver"], count: number) => {
  const { listening } = await receiver.ask({ kind: "listen", endpoints: count })
  if (listening === undefined) throw new Error("the receivers did not start")
  return listening
}

interface Stoppable {
  readonly stop: () => Promise<unknown>
}

/** Started parts, stopped in reverse order. */
export class StartedParts {
  readonly #started: Array<Stoppable> = []

  keep<Part extends Stoppable>(part: Part): Part {
    this.#started.push(part)
    return part
  }

  /** Keeps parts that start concurrently. Waits for all of them, then fails with the first failure. */
  async keepAll<Parts extends ReadonlyArray<Stoppable>>(
    starting: {
      readonly [Index in keyof Parts]: Promise<Parts[Index]>
    },
  ): Promise<Parts> {
    const settled = await Promise.allSettled(starting)
    for (const part of settled) if (part.status === "fulfilled") this.keep(part.value)
    return Promise.all(starting) as Promise<Parts>
  }

  async stop(): Promise<void> {
    for (const part of this.#started.toReversed()) await part.stop()
  }
}

/** Runs `body` in an environment, and tears it down afterwards. `nodeArguments` are for the service. */
export const withDeliveryEnvironment = async <A>(
  size: DeliverySize,
  body: (environment: DeliveryEnvironment) => Promise<A>,
  nodeArguments: ReadonlyArray<string> = [],
): Promise<A> => {
  const started = new StartedParts()
  try {
    const receiver = started.keep(startWorker<ReceiverRequest, ReceiverAnswer>(moduleOf("deliveryReceiver")))
    const { endpoints, caFile } = await listen(receiver, Math.max(size.endpoints, size.stormEndpoints))
    const origins = endpoints.map(({ url }) => new URL(url).origin)
    const [backend, bareRedis, bullmqRedis] = await started.keepAll<[SideBackend, BenchRedis, BenchRedis]>([
      startServiceBackend(origins, caFile),
      startBenchRedis(),
      startBenchRedis(),
    ])
    const redis = { bare: bareRedis, bullmq: bullmqRedis }
    // Stopped before the Redis servers it is connected to.
    const source = started.keep(
      startWorker<DeliverySourceRequest, DeliverySourceAnswer>(moduleOf("deliverySource")),
    )
    const parts: Parts = { receiver, source, endpoints, caFile, template: makeTemplate(), backend, redis }
    const sets = await makeSets(parts, size)
    const sides = await started.keepAll<[DeliverySide, PeerSide, PeerSide]>([
      startServiceSide(backend, nodeArguments),
      startPeer(parts, "bare", queue),
      startPeer(parts, "bullmq", queue),
    ])
    for (const side of sides) await connect(parts, side)
    const startAlone: DeliveryEnvironment["startAlone"] = async (name) => {
      const side = await startPeer(parts, name, aloneQueue)
      await connect(parts, side)
      return side
    }
    return await body({ receiver, source, sets, sides, startAlone })
  } finally {
    await started.stop()
  }
}

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
import type { SideGround } from "../support/sides.ts"
import { type EndpointSet, groupsOf, makeEndpointSet, perSellerMax } from "./endpoints.ts"
import { type PeerOptions, startBareSide, startBullmqSide } from "./peerSides.ts"
import { startServiceGround, startServiceSide } from "./serviceSide.ts"
import type { DeliverySide, PeerSide } from "./side.ts"
import type { DeliverySize } from "./sizes.ts"
import { makeTemplate } from "./template.ts"

/** What all contenders share: receivers, the source of events, and whom these are owed to. */
export interface DeliveryStand {
  readonly receiver: Worker<ReceiverRequest, ReceiverAnswer>
  readonly source: Worker<DeliverySourceRequest, DeliverySourceAnswer>
  readonly sets: {
    /** Five endpoints a seller. */
    readonly fanOut: EndpointSet
    /** One endpoint a seller. */
    readonly single: EndpointSet
    readonly storm: EndpointSet
  }
  readonly sides: ReadonlyArray<DeliverySide>
  /** Starts a peer whose attempts make no request, on the Redis of the one that does. */
  readonly startAlone: (name: "bare" | "bullmq") => Promise<PeerSide>
}

const moduleOf = (name: string): URL => new URL(`../load/${name}.ts`, import.meta.url)

/** Peers' queues. */
const queue = "deliveries"
const aloneQueue = "alone"

interface Parts extends Pick<DeliveryStand, "receiver" | "source"> {
  readonly endpoints: ReadonlyArray<ReceiverEndpoint>
  readonly caFile: string
  readonly template: DeliveryTemplate
  readonly ground: SideGround
  readonly redis: Readonly<Record<"bare" | "bullmq", BenchRedis>>
}

const makeSets = async ({ ground, endpoints }: Parts, size: DeliverySize): Promise<DeliveryStand["sets"]> => {
  const make = (count: number, perSeller: number) =>
    makeEndpointSet(ground.redis.url, endpoints, groupsOf(count, perSeller))
  return {
    fanOut: await make(size.endpoints, perSellerMax),
    single: await make(size.endpoints, 1),
    storm: await make(size.stormEndpoints, perSellerMax),
  }
}

/** Tells the source of a contender; one question at a time. */
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

const listen = async (receiver: DeliveryStand["receiver"], count: number) => {
  const { listening } = await receiver.ask({ kind: "listen", endpoints: count })
  if (listening === undefined) throw new Error("the receivers do not listen")
  return listening
}

interface Stoppable {
  readonly stop: () => Promise<unknown>
}

/** What was started, to be stopped in the opposite order. */
class Kept {
  private readonly started: Array<Stoppable> = []

  keep<Part extends Stoppable>(part: Part): Part {
    this.started.push(part)
    return part
  }

  /** Keeps parts that start at the same time; fails with the first that failed, once all have started or failed. */
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
    for (const part of this.started.toReversed()) await part.stop()
  }
}

/** Runs `body` on a stand that is gone at its end. `nodeArguments` are for the service. */
export const withDeliveryStand = async <A>(
  size: DeliverySize,
  body: (stand: DeliveryStand) => Promise<A>,
  nodeArguments: ReadonlyArray<string> = [],
): Promise<A> => {
  const kept = new Kept()
  try {
    const receiver = kept.keep(startWorker<ReceiverRequest, ReceiverAnswer>(moduleOf("deliveryReceiver")))
    const { endpoints, caFile } = await listen(receiver, Math.max(size.endpoints, size.stormEndpoints))
    const origins = endpoints.map(({ url }) => new URL(url).origin)
    const [ground, bareRedis, bullmqRedis] = await kept.keepAll<[SideGround, BenchRedis, BenchRedis]>([
      startServiceGround(origins, caFile),
      startBenchRedis(),
      startBenchRedis(),
    ])
    const redis = { bare: bareRedis, bullmq: bullmqRedis }
    // Ended before the Redis servers that it is connected to.
    const source = kept.keep(
      startWorker<DeliverySourceRequest, DeliverySourceAnswer>(moduleOf("deliverySource")),
    )
    const parts: Parts = { receiver, source, endpoints, caFile, template: makeTemplate(), ground, redis }
    const sets = await makeSets(parts, size)
    const sides = await kept.keepAll<[DeliverySide, PeerSide, PeerSide]>([
      startServiceSide(ground, nodeArguments),
      startPeer(parts, "bare", queue),
      startPeer(parts, "bullmq", queue),
    ])
    for (const side of sides) await connect(parts, side)
    const startAlone: DeliveryStand["startAlone"] = async (name) => {
      const side = await startPeer(parts, name, aloneQueue)
      await connect(parts, side)
      return side
    }
    return await body({ receiver, source, sets, sides, startAlone })
  } finally {
    await kept.stop()
  }
}

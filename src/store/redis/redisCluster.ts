import { Effect } from "effect"
import type { Command, Redis } from "ioredis"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { ClusterTarget, HostAndPort } from "../../config/redisUrl.ts"
import { barrierKey } from "../keys.ts"
import { discoverCluster, redisOfNode, viewOf } from "./clusterDiscovery.ts"
import { addressOf, type ClusterView, readRedirect, slotCount, slotOf } from "./clusterView.ts"
import {
  type Argument,
  connectionOn,
  firstFailure,
  firstReadyTimeoutMillis,
  handshakeCheck,
  ignored,
  livenessCheckMillis,
  newCommand,
  type Outcome,
  type RedisConnection,
  reasonOf,
  repeatCheck,
} from "./redisConnection.ts"
import { type BarrierConnection, type Barriers, ReplicationBarrier } from "./replicationBarrier.ts"

/** How often the view of the cluster is refreshed if nothing hints at a change. */
const refreshMillis = 5_000
/** A node without slots is disconnected after being unused for this long. */
const idleMillis = 10_000
/** How many redirections a command follows: while slots move, our view and the nodes' may both be outdated. */
const redirectsMax = 5
/**
 * How long commands wait for the first connection to a server, and redirected commands for any: a replica that takes over
 * answers at once, and commands sent while it is being connected need not fail.
 */
const connectionWaitMillis = 1_000

interface Node {
  readonly place: HostAndPort
  readonly address: string
  readonly redis: Redis
  readonly connection: RedisConnection
  readonly checkHandshake: () => void
  /** Holds replies back until replicas have what they tell, by a connection of its own; undefined where nobody waits. */
  readonly barrier: ReplicationBarrier | undefined
  /** Runs once the first connection is ready or has timed out; undefined from then on. */
  opening: Array<() => void> | undefined
  lastUsedMillis: number
}

/** A command on its way. */
interface Sending {
  readonly name: string
  readonly args: ReadonlyArray<Argument>
  readonly outcome: Outcome
  redirects: number
}

/** Runs once the connection is ready, or has not become so in time: then sending fails. */
const whenReady = (redis: Redis, run: () => void) => {
  if (redis.status === "ready") {
    run()
    return
  }
  const go = () => {
    clearTimeout(timer)
    redis.off("ready", go)
    run()
  }
  const timer = setTimeout(go, connectionWaitMillis)
  redis.once("ready", go)
}

/** The view of the cluster, with a connection to each primary. */
class ClusterConnections {
  readonly #target: ClusterTarget
  readonly #name: string
  readonly #nodes = new Map<string, Node>()
  readonly #slots: Array<Node | undefined> = new Array(slotCount).fill(undefined)
  #primaries: ReadonlyArray<Node> = []
  #hintsAtChange = false
  #refreshedMillis = performance.now()
  #asked = 0
  #breaks = 0
  readonly #barriers: Barriers | undefined
  /** The addresses of a primary's replicas in our view, by its own. */
  #replicas: ReadonlyMap<string, ReadonlyArray<string>> = new Map()
  readonly #barrierKeys = new Map<string, string>()

  constructor(target: ClusterTarget, name: string, barriers: Barriers | undefined) {
    this.#target = target
    this.#name = name
    this.#barriers = barriers
  }

  /** Sends a command to the primary of its first key. The outcome may come before this returns. */
  send(name: string, args: ReadonlyArray<Argument>, outcome: Outcome): void {
    const command = newCommand(name, args)
    // A message published at one node reaches all. Publishing at the primary of the channel's tag keeps their order.
    const slot: number | null = (name === "PUBLISH" ? newCommand("GET", args.slice(0, 1)) : command).getSlot()
    const node = slot === null ? undefined : this.#slots[slot]
    if (node !== undefined)
      this.whenOpen(node, () => this.#sendTo(node, command, { name, args, outcome, redirects: 0 }))
    else if (slot === null) outcome.failed(`${name} has no key: send it to each server`)
    else outcome.failed(`no primary has slot ${slot}`)
  }

  /** Runs now, or in order of the calls as soon as a new node is connected. */
  whenOpen(node: Node, run: () => void): void {
    if (node.opening === undefined) run()
    else node.opening.push(run)
  }

  #sendTo(node: Node, command: Command, sending: Sending, isAsking = false): void {
    node.lastUsedMillis = performance.now()
    // It precedes the command on the same connection; its answer does not matter.
    if (isAsking) node.connection.send(newCommand("ASKING", []), ignored)
    const outcome = node.barrier === undefined ? sending.outcome : node.barrier.hold(sending.outcome)
    node.connection.send(command, {
      answered: (reply, atMillis) => outcome.answered(reply, atMillis),
      failed: (cause) => this.#failed(node, cause, sending),
    })
  }

  /** Follows a redirection, since the command was not executed; hands any other failure to the caller. */
  #failed(node: Node, cause: unknown, sending: Sending): void {
    const redirect = readRedirect(cause, node.place)
    // The next server of a slot that moves may lack keys that a function reads or writes besides those it declares.
    const isHalfThere = redirect?.kind === "ASK" && sending.name === "FCALL"
    if (redirect === undefined || isHalfThere || sending.redirects >= redirectsMax) {
      if (/^(CLUSTERDOWN|MASTERDOWN|READONLY)/.test(reasonOf(cause))) this.#hintsAtChange = true
      sending.outcome.failed(cause)
      return
    }
    sending.redirects += 1
    const next = this.#nodeAt(redirect.to)
    if (redirect.kind === "MOVED") {
      if (this.#slots[redirect.slot] !== next) this.#breaks += 1
      this.#slots[redirect.slot] = next
      this.#hintsAtChange = true
    }
    const isAsking = redirect.kind === "ASK"
    const sendOn = () => this.#sendTo(next, newCommand(sending.name, sending.args), sending, isAsking)
    if (next.opening === undefined) whenReady(next.redis, sendOn)
    else next.opening.push(sendOn)
  }

  /** The connection to a node; opens one if there is none. */
  #nodeAt(place: HostAndPort): Node {
    const address = addressOf(place)
    const known = this.#nodes.get(address)
    if (known !== undefined) return known
    const redis = redisOfNode(this.#target, place, this.#name)
    // Commands carry errors to callers; without a listener ioredis would print each.
    redis.on("error", () => {})
    redis.on("close", () => {
      this.#breaks += 1
    })
    redis.connect().catch(() => {})
    const connection = connectionOn(redis)
    const node: Node = {
      place,
      address,
      redis,
      connection,
      checkHandshake: handshakeCheck(redis),
      barrier: this.#barriers && this.#barrierOf(place, this.#barriers, { redis, connection }),
      opening: [],
      lastUsedMillis: performance.now(),
    }
    this.#nodes.set(address, node)
    whenReady(redis, () => {
      const waiting = node.opening ?? []
      node.opening = undefined
      for (const send of waiting) send()
    })
    return node
  }

  /** The barrier of a node, on a connection of its own. */
  #barrierOf(place: HostAndPort, { replication, counts }: Barriers, commands: BarrierConnection) {
    const redis = redisOfNode(this.#target, place, `${this.#name}-wait`)
    redis.on("error", () => {})
    redis.connect().catch(() => {})
    return new ReplicationBarrier(
      replication,
      counts,
      commands,
      { redis, connection: connectionOn(redis) },
      () => this.#barrierKeyAt(addressOf(place)),
      {
        known: () => this.#replicas.get(addressOf(place)) ?? [],
        connect: (replica) => redisOfNode(this.#target, replica, `${this.#name}-role`),
      },
    )
  }

  /** A key of {@link barrierKey} in a slot that the node has in our view; undefined if it has none. */
  #barrierKeyAt(address: string): string | undefined {
    const node = this.#nodes.get(address)
    const isHere = (key: string) => this.#slots[slotOf(key)] === node
    const known = this.#barrierKeys.get(address)
    if (known !== undefined && isHere(known)) return known
    if (node === undefined || !this.#slots.includes(node)) return undefined
    for (let number = 0; ; number += 1) {
      const key = barrierKey(String(number))
      if (!isHere(key)) continue
      this.#barrierKeys.set(address, key)
      return key
    }
  }

  /** Replaces the view of the cluster. */
  adopt(view: ClusterView): void {
    const before = [...this.#slots]
    this.#slots.fill(undefined)
    // Known before their primaries are connected to.
    this.#replicas = new Map(
      view.ranges.map(({ primary, replicas }) => [addressOf(primary), replicas.map(addressOf)]),
    )
    const primaries = new Set<Node>()
    for (const { first, last, primary } of view.ranges) {
      const node = this.#nodeAt(primary)
      primaries.add(node)
      this.#slots.fill(node, first, last + 1)
    }
    this.#primaries = [...primaries]
    if (before.some((node, slot) => node !== undefined && node !== this.#slots[slot])) this.#breaks += 1
    this.#hintsAtChange = false
    this.#refreshedMillis = performance.now()
  }

  /** How often a connection to a node broke, or a slot's primary was seen to be another. */
  breaks(): number {
    return this.#breaks
  }

  /** The current primaries. */
  current(): ReadonlyArray<Node> {
    return this.#primaries
  }

  isReady(): boolean {
    return this.#primaries.every(({ connection }) => connection.isReady())
  }

  /** Cuts connections that do not answer and closes unused ones; to be called every `livenessCheckMillis`. */
  checkLiveness(): void {
    const nowMillis = performance.now()
    for (const node of this.#nodes.values()) {
      node.checkHandshake()
      node.connection.checkLiveness()
      node.barrier?.check()
      const isIdle = node.connection.pending() === 0 && nowMillis - node.lastUsedMillis > idleMillis
      if (!isIdle || this.#primaries.includes(node) || this.#slots.includes(node)) continue
      this.#nodes.delete(node.address)
      this.#disconnect(node)
    }
  }

  /**
   * Refreshes the view of the cluster if it is time to, or if a primary is away or has redirected commands. Ignores the view
   * of a node that considers the cluster broken: the next check asks again.
   */
  readonly refresh = Effect.suspend(() => {
    const isDue = performance.now() - this.#refreshedMillis > refreshMillis
    if (!isDue && !this.#hintsAtChange && this.isReady()) return Effect.void
    const ready = [...this.#nodes.values()].filter(({ connection }) => connection.isReady())
    // All known nodes may be gone for good; start over with those of the URL.
    if (ready.length === 0) for (const place of this.#target.nodes) this.#nodeAt(place)
    this.#asked += 1
    const node = ready[this.#asked % Math.max(1, ready.length)]
    if (node === undefined) return Effect.void
    return viewOf(node.connection, node.place).pipe(
      Effect.flatMap((view) => Effect.sync(() => (view === undefined ? undefined : this.adopt(view)))),
      // The next check asks another node.
      Effect.ignore,
    )
  })

  #disconnect(node: Node): void {
    node.redis.disconnect()
    node.barrier?.close()
  }

  close(): void {
    for (const node of this.#nodes.values()) this.#disconnect(node)
  }
}

/**
 * Connects to the primaries of a cluster and follows its changes. `send` is that of a connection, and also follows
 * redirections: MOVED, and ASK except for functions (docs/decisions/0014-cluster-routing-of-our-own.md).
 */
export const openCluster = Effect.fnUntraced(function* (
  target: ClusterTarget,
  url: string,
  name: string,
  barriers: Barriers | undefined,
) {
  const view = yield* discoverCluster(target, url, name)
  const cluster = yield* Effect.acquireRelease(
    Effect.sync(() => new ClusterConnections(target, name, barriers)),
    (connections) => Effect.sync(() => connections.close()),
  )
  cluster.adopt(view)
  yield* Effect.sleep(readyCheckMillis).pipe(
    Effect.repeat({ until: () => cluster.isReady() }),
    Effect.timeoutOrElse({
      duration: firstReadyTimeoutMillis,
      orElse: () => Effect.fail(notReached(url, cluster)),
    }),
  )
  yield* repeatCheck(() => cluster.checkLiveness())
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(livenessCheckMillis), cluster.refresh)))
  return {
    send: (command: string, args: ReadonlyArray<Argument>, outcome: Outcome) =>
      cluster.send(command, args, outcome),
    breaks: () => cluster.breaks(),
    primaries: () =>
      cluster.current().map((node) => ({
        address: node.address,
        send: (command: string, args: ReadonlyArray<Argument>, outcome: Outcome) =>
          cluster.whenOpen(node, () => node.connection.send(newCommand(command, args), outcome)),
        hold: (outcome: Outcome) => (node.barrier === undefined ? outcome : node.barrier.hold(outcome)),
      })),
  }
})

const readyCheckMillis = 10

const notReached = (url: string, cluster: ClusterConnections): StoreUnavailable => {
  const away = cluster.current().filter(({ connection }) => !connection.isReady())
  const addresses = away.map(({ address }) => address).join(", ")
  return firstFailure(
    url,
    `its primaries at ${addresses} do not answer; can they be reached from here by these names?`,
  )
}

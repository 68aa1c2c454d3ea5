import { Effect } from "effect"
import type { Command, Redis } from "ioredis"
import type { StoreUnavailable } from "../../../actors/ports/store.ts"
import type { ClusterTarget, HostAndPort } from "../../config/redisUrl.ts"
import { discoverCluster, redisOfNode, viewOf } from "./clusterDiscovery.ts"
import { addressOf, type ClusterView, readRedirect, slotCount } from "./clusterView.ts"
import {
  type Argument,
  connectionOn,
  firstFailure,
  firstReadyTimeoutMillis,
  handshakeLook,
  lookAgainAndAgain,
  lookMillis,
  newCommand,
  type Outcome,
  type RedisConnection,
  reasonOf,
} from "./redisConnection.ts"

/** How often a node is asked how the cluster is, when nothing hints at a change. */
const refreshMillis = 5_000
/** A node that has no slot and was sent nothing for so long is let go. */
const idleMillis = 10_000
/** How often a command is sent on: while slots move, what we and the nodes know can be behind twice. */
const redirectsMax = 5
/**
 * How long commands wait for the connection of a server that is new to us, and those that are sent on for any: a replica
 * that takes over answers at once, and what came while it is connected to need not fail.
 */
const connectionWaitMillis = 1_000

interface Node {
  readonly place: HostAndPort
  readonly address: string
  readonly redis: Redis
  readonly connection: RedisConnection
  readonly handshakeLook: () => void
  /** What is to be sent when its first connection is ready, or was not in time; undefined from then on. */
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

/** Runs when the connection is ready, or is not in time: then what is sent fails. */
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

/** What is known of the cluster, with a connection to each primary. */
class ClusterConnections {
  private readonly target: ClusterTarget
  private readonly name: string
  private readonly nodes = new Map<string, Node>()
  private readonly slots: Array<Node | undefined> = new Array(slotCount).fill(undefined)
  private primaries: ReadonlyArray<Node> = []
  private hintsAtChange = false
  private refreshedMillis = performance.now()
  private asked = 0

  constructor(target: ClusterTarget, name: string) {
    this.target = target
    this.name = name
  }

  /** Sends a command to the primary of its first key; what follows of it, with its answer or failure, later or now. */
  send(name: string, args: ReadonlyArray<Argument>, outcome: Outcome): void {
    const command = newCommand(name, args)
    // What is published at one node is heard at all; from where the channel's keys are, it keeps its order.
    const slot: number | null = (name === "PUBLISH" ? newCommand("GET", args.slice(0, 1)) : command).getSlot()
    const node = slot === null ? undefined : this.slots[slot]
    if (node !== undefined)
      this.whenOpen(node, () => this.sendTo(node, command, { name, args, outcome, redirects: 0 }))
    else if (slot === null) outcome.failed(`${name} has no key: servers are asked one by one`)
    else outcome.failed(`no primary has slot ${slot}`)
  }

  /** Runs now, or where the node is new as soon as it is connected to, in the order of the calls. */
  whenOpen(node: Node, run: () => void): void {
    if (node.opening === undefined) run()
    else node.opening.push(run)
  }

  private sendTo(node: Node, command: Command, sending: Sending, isAsking = false): void {
    node.lastUsedMillis = performance.now()
    // It goes first on the same connection, and its answer says nothing.
    if (isAsking) node.connection.send(newCommand("ASKING", []), { answered: () => {}, failed: () => {} })
    node.connection.send(command, {
      answered: sending.outcome.answered,
      failed: (cause) => this.failed(node, cause, sending),
    })
  }

  /** A redirected command was not executed, so it may be sent on; any other failure is the caller's. */
  private failed(node: Node, cause: unknown, sending: Sending): void {
    const redirect = readRedirect(cause, node.place)
    if (redirect === undefined || sending.redirects >= redirectsMax) {
      if (/^(CLUSTERDOWN|MASTERDOWN|READONLY)/.test(reasonOf(cause))) this.hintsAtChange = true
      sending.outcome.failed(cause)
      return
    }
    sending.redirects += 1
    const next = this.nodeAt(redirect.to)
    if (redirect.kind === "MOVED") {
      this.slots[redirect.slot] = next
      this.hintsAtChange = true
    }
    const isAsking = redirect.kind === "ASK"
    const sendOn = () => this.sendTo(next, newCommand(sending.name, sending.args), sending, isAsking)
    if (next.opening === undefined) whenReady(next.redis, sendOn)
    else next.opening.push(sendOn)
  }

  /** The connection to a node, which is being opened where there was none. */
  private nodeAt(place: HostAndPort): Node {
    const address = addressOf(place)
    const known = this.nodes.get(address)
    if (known !== undefined) return known
    const redis = redisOfNode(this.target, place, this.name)
    // Errors reach callers through their commands; without a listener ioredis would print each.
    redis.on("error", () => {})
    redis.connect().catch(() => {})
    const node: Node = {
      place,
      address,
      redis,
      connection: connectionOn(redis),
      handshakeLook: handshakeLook(redis),
      opening: [],
      lastUsedMillis: performance.now(),
    }
    this.nodes.set(address, node)
    whenReady(redis, () => {
      const waiting = node.opening ?? []
      node.opening = undefined
      for (const send of waiting) send()
    })
    return node
  }

  /** Goes by what a node says from now on. */
  adopt(view: ClusterView): void {
    this.slots.fill(undefined)
    const primaries = new Set<Node>()
    for (const { first, last, primary } of view.ranges) {
      const node = this.nodeAt(primary)
      primaries.add(node)
      this.slots.fill(node, first, last + 1)
    }
    this.primaries = [...primaries]
    this.hintsAtChange = false
    this.refreshedMillis = performance.now()
  }

  /** Primaries as they are now. */
  current(): ReadonlyArray<Node> {
    return this.primaries
  }

  isReady(): boolean {
    return this.primaries.every(({ connection }) => connection.isReady())
  }

  /** Cuts connections that do not answer and lets those go that nothing needs; to be called every `lookMillis`. */
  look(): void {
    const nowMillis = performance.now()
    for (const node of this.nodes.values()) {
      node.handshakeLook()
      node.connection.look()
      const isIdle = node.connection.pending() === 0 && nowMillis - node.lastUsedMillis > idleMillis
      if (!isIdle || this.primaries.includes(node) || this.slots.includes(node)) continue
      this.nodes.delete(node.address)
      node.redis.disconnect()
    }
  }

  /**
   * Asks how the cluster is, where it is time to, or a primary is away or has sent commands on. A view in which nothing
   * is whole is not believed: what was known stays, and the next look asks again.
   */
  readonly refresh = Effect.suspend(() => {
    const isDue = performance.now() - this.refreshedMillis > refreshMillis
    if (!isDue && !this.hintsAtChange && this.isReady()) return Effect.void
    const ready = [...this.nodes.values()].filter(({ connection }) => connection.isReady())
    // All known may be gone for good; those of the URL are where we began.
    if (ready.length === 0) for (const place of this.target.nodes) this.nodeAt(place)
    this.asked += 1
    const node = ready[this.asked % Math.max(1, ready.length)]
    if (node === undefined) return Effect.void
    return viewOf(node.connection, node.place).pipe(
      Effect.flatMap((view) => Effect.sync(() => (view === undefined ? undefined : this.adopt(view)))),
      // Another node is asked at the next look.
      Effect.ignore,
    )
  })

  close(): void {
    for (const { redis } of this.nodes.values()) redis.disconnect()
  }
}

/**
 * Connects to the primaries of a cluster and follows its changes. `send` is as a connection's, but that a command which
 * its server has sent on (MOVED, ASK) goes where it was sent.
 */
export const openCluster = Effect.fnUntraced(function* (target: ClusterTarget, url: string, name: string) {
  const view = yield* discoverCluster(target, url, name)
  const cluster = yield* Effect.acquireRelease(
    Effect.sync(() => new ClusterConnections(target, name)),
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
  yield* lookAgainAndAgain(() => cluster.look())
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(lookMillis), cluster.refresh)))
  return {
    send: (command: string, args: ReadonlyArray<Argument>, outcome: Outcome) =>
      cluster.send(command, args, outcome),
    primaries: () =>
      cluster.current().map((node) => ({
        address: node.address,
        send: (command: string, args: ReadonlyArray<Argument>, outcome: Outcome) =>
          cluster.whenOpen(node, () => node.connection.send(newCommand(command, args), outcome)),
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

/**
 * Holds back what Redis answers until enough replicas have everything that it answered from (docs/promises.md#replicas). Why in the
 * client: docs/decisions/0106-replies-wait-for-replicas.md.
 *
 * 1. A reply arrives. Whoever waits for it joins, reader and writer alike: a reader may have seen another's newest write.
 * 2. A round takes everybody who has joined by then. On a connection of its own, which WAIT would block for others, it writes a value
 *    and waits until N replicas, and all that follow without a delay, have acknowledged that value, and with it whatever the server
 *    executed before: any of them may be the next primary.
 * 3. The round asks whether the server is still the primary that gave those replies. Then it hands them out.
 * 4. Where too few replicas acknowledge in time, the primary changed, or another server is or may be the new one
 *    (replicaWatch.ts), all of the round fail. What they wrote may be there or may be lost, as with any command without a reply
 *    (docs/architecture.md#rule-7).
 *
 * Step 3 keeps a new primary from acknowledging what only the old one had. Every primary writes a history with an id of its own
 * (`master_replid` of INFO), and takes a new one when it becomes the primary again. So the server at the end of a round executed
 * those replies if it is a primary and its history is the one that the connection of commands saw.
 */
import type { Redis } from "ioredis"
import { fastBounds, Histogram } from "../../../actors/metrics/histogram.ts"
import type { Registrar } from "../../../actors/metrics/registrar.ts"
import type { HostAndPort, Replication } from "../../config/redisUrl.ts"
import {
  handshakeCheck,
  ignored,
  newCommand,
  type Outcome,
  type RedisConnection,
  type Reply,
  reasonOf,
} from "./redisConnection.ts"
import { historyOf, ReplicaWatch } from "./replicaWatch.ts"
import { RoleInquiry } from "./roleInquiry.ts"

/** How long rounds took, and how many replies were held back for good: one for all primaries. */
export class BarrierCounts {
  readonly rounds = new Histogram(fastBounds)
  refusals = 0

  constructor(registrar: Registrar) {
    registrar.histogram(
      {
        name: "corrente_replication_wait_duration_seconds",
        description: "Time that replicas took to acknowledge, for all replies that waited together",
      },
      this.rounds,
    )
    registrar.counter(
      {
        name: "corrente_replication_wait_failures_total",
        description: "Replies of Redis that nobody was given, since too few replicas acknowledged in time",
      },
      () => this.refusals,
    )
  }
}

/** What the barriers of all primaries share. */
export interface Barriers {
  readonly replication: Replication
  readonly counts: BarrierCounts
}

/** A connection of ioredis, and ours that sends over it. */
export interface BarrierConnection {
  readonly redis: Redis
  readonly connection: RedisConnection
}

/** The servers that may take a primary's place. */
export interface Successors {
  /** The addresses of those that replicate it, as Sentinels or the cluster say, whether or not they follow; empty where nobody says. */
  readonly known: () => ReadonlyArray<string>
  /** Makes a connection to one of them, not opened yet. */
  readonly connect: (place: HostAndPort) => Redis
}

/** A reply that is held back. */
interface Held {
  readonly outcome: Outcome
  readonly reply: Reply
  readonly atMillis: number
}

export class ReplicationBarrier {
  readonly #replication: Replication
  readonly #counts: BarrierCounts
  readonly #commands: BarrierConnection
  readonly #waiting: BarrierConnection
  readonly #keyHere: () => string | undefined
  /** The history of the commands' server when it was last asked; undefined: never asked, or a replica. */
  #history: string | undefined
  #hasWaitAof = false
  readonly #watch = new ReplicaWatch()
  readonly #successors: Successors
  readonly #inquiry: RoleInquiry
  #held: Array<Held> = []
  #heldSinceMillis = 0
  #isInRound = false
  readonly #checkHandshake: () => void

  /**
   * `commands` is the connection whose replies are held, `waiting` another to the same server, which only waits. `keyHere` names a key
   * in a slot of that server; undefined if it has none.
   */
  constructor(
    replication: Replication,
    counts: BarrierCounts,
    commands: BarrierConnection,
    waiting: BarrierConnection,
    keyHere: () => string | undefined,
    successors: Successors,
  ) {
    this.#replication = replication
    this.#counts = counts
    this.#commands = commands
    this.#waiting = waiting
    this.#keyHere = keyHere
    this.#successors = successors
    this.#inquiry = new RoleInquiry(successors.connect, (address, info) => {
      this.#watch.hear(address, info)
      this.#beginRound()
    })
    this.#checkHandshake = handshakeCheck(waiting.redis)
    // Sent before any other command of the connection, so later replies have this history or a newer one.
    commands.redis.on("ready", () => this.#askHistory())
    waiting.redis.on("ready", () => this.#askWaitAof())
    if (commands.redis.status === "ready") this.#askHistory()
    if (waiting.redis.status === "ready") this.#askWaitAof()
  }

  /** Ends like `outcome`, but is answered only once enough replicas have what the reply tells. */
  hold(outcome: Outcome): Outcome {
    return {
      answered: (reply, atMillis) => this.#join({ outcome, reply, atMillis }),
      failed: (cause) => outcome.failed(cause),
    }
  }

  /** Fails held replies if the waiting connection stays away, and asks servers that do not follow. Call it every `livenessCheckMillis`. */
  check(): void {
    this.#waiting.connection.checkLiveness()
    this.#checkHandshake()
    this.#inquiry.ask(this.#watch.toAsk(performance.now()))
    if (this.#isInRound || this.#held.length === 0) return
    if (performance.now() - this.#heldSinceMillis < this.#replication.timeoutMillis) this.#beginRound()
    else this.#refuse(this.#takeHeld(), "the connection that waits for replicas is broken")
  }

  close(): void {
    this.#waiting.redis.disconnect()
    this.#inquiry.close()
  }

  #askHistory(): void {
    this.#commands.connection.send(newCommand("INFO", ["replication"]), {
      ...ignored,
      answered: (info) => {
        const history = historyOf(info)
        const nowMillis = performance.now()
        if (history === this.#history) {
          if (history !== undefined) this.#watch.see(String(info), nowMillis)
          return
        }
        // The former primary gave these replies.
        this.#refuse(this.#takeHeld(), "the primary has changed")
        this.#history = history
        this.#watch.begin(history, String(info), this.#successors.known(), nowMillis)
        this.#inquiry.ask(this.#watch.toAsk(nowMillis))
      },
    })
  }

  #askWaitAof(): void {
    this.#waiting.connection.send(newCommand("WAITAOF", [0, 0, 0]), {
      answered: () => {
        this.#hasWaitAof = true
      },
      // Redis has it since 7.2.
      failed: () => {
        this.#hasWaitAof = false
      },
    })
    this.#beginRound()
  }

  #join(held: Held): void {
    if (this.#held.length === 0) {
      this.#heldSinceMillis = performance.now()
      // Replies that arrived in one read of the socket share the round.
      if (!this.#isInRound) setImmediate(() => this.#beginRound())
    }
    this.#held.push(held)
  }

  #takeHeld(): ReadonlyArray<Held> {
    const held = this.#held
    this.#held = []
    return held
  }

  #refuse(held: ReadonlyArray<Held>, reason: string): void {
    this.#counts.refusals += held.length
    for (const { outcome } of held)
      outcome.failed(new Error(`Waiting for replicas (REDIS_WAIT_REPLICAS) failed: ${reason}`))
  }

  #beginRound(): void {
    if (this.#isInRound || this.#held.length === 0 || !this.#waiting.connection.isReady()) return
    if (this.#watch.isAsking(performance.now(), this.#replication.timeoutMillis / 2)) return
    const held = this.#takeHeld()
    const key = this.#keyHere()
    if (key === undefined) {
      this.#refuse(held, "its slots have moved to another primary")
      return
    }
    this.#isInRound = true
    const history = this.#history
    const beganMillis = performance.now()
    const doubt = this.#watch.doubt(beganMillis)
    this.#waitForReplicas(key, (problem, info) => {
      this.#isInRound = false
      const nowMillis = performance.now()
      this.#counts.rounds.record((nowMillis - beganMillis) / 1_000)
      const isSame = history !== undefined && historyOf(info) === history
      if (isSame) this.#watch.see(String(info), nowMillis)
      if (problem === undefined && isSame && doubt === undefined) {
        for (const { outcome, reply, atMillis } of held) outcome.answered(reply, atMillis)
      } else {
        if (problem === undefined && !isSame) this.#askHistory()
        this.#refuse(held, problem ?? (isSame ? doubt : undefined) ?? "the primary has changed")
      }
      this.#beginRound()
    })
  }

  /** Calls `done` once, with what went wrong, and what INFO says of replication afterwards; null: nothing. */
  #waitForReplicas(key: string, done: (problem: string | undefined, info: Reply) => void): void {
    const { timeoutMillis } = this.#replication
    const replicas = Math.max(this.#replication.replicas, this.#watch.count)
    let problem: string | undefined
    const failed = (cause: unknown) => {
      problem ??= reasonOf(cause)
    }
    const { connection } = this.#waiting
    connection.send(newCommand("SET", [key, 1]), { ...ignored, failed })
    const wait = this.#hasWaitAof
      ? newCommand("WAITAOF", [0, replicas, timeoutMillis])
      : newCommand("WAIT", [replicas, timeoutMillis])
    connection.send(wait, {
      answered: (reply) => {
        const acknowledged = Number(Array.isArray(reply) ? reply[1] : reply)
        if (acknowledged < replicas)
          failed(`${acknowledged} of ${replicas} acknowledged within ${timeoutMillis} ms`)
      },
      failed,
    })
    connection.send(newCommand("INFO", ["replication"]), {
      answered: (info) => done(problem, info),
      failed: (cause) => {
        failed(cause)
        done(problem, null)
      },
    })
  }
}

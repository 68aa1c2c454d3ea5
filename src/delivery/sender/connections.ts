import type { SecureContext, TLSSocket } from "node:tls"
import { LRUCache } from "lru-cache"
import { type buildConnector, Client } from "undici"
import { limits } from "../../../schema/limits.ts"
import { answerHeadBytesMax, readingAnswers } from "../../httpClient/answers.ts"
import type { ParsedDestination } from "../destination/parseDestination.ts"
import { checkedKey, connectChecked } from "./checkedSocket.ts"

/**
 * Idle connections kept in all: what ten destinations have in flight at most. With 256, ten busy ones made four times as many TLS
 * handshakes. A burst may open more; the longest idle close first.
 */
export const IDLE_CONNECTIONS_MAX = 10 * limits.attemptsInFlightPerDestination
/** A surplus connection closes after this idle time; closing sooner would make the same burst reopen it. */
const SURPLUS_IDLE_MILLIS = 1_000
/** TLS sessions kept for resumption. */
const TLS_SESSIONS_MAX = 1_024
/** Idle connections close after this, or sooner if the receiver says so. */
const IDLE_MILLIS = 15_000
/** Limit on the keep-alive time that a receiver offers. */
const IDLE_MILLIS_MAX = 60_000

/** One socket to one receiver. It only ever connects to addresses that were checked for every attempt on it. */
export interface Connection {
  readonly client: Client
  /** Origin and checked addresses. */
  readonly key: string
  /** Whether an attempt has succeeded on it, so that a failure may only mean that it went stale. */
  isReused: boolean
  isIdle: boolean
  /** When it was last used (`performance.now()`). */
  usedAtMillis: number
  /** Set while connecting and after; undici knows a socket only once it is connected. */
  socket: TLSSocket | undefined
}

/**
 * The connections of a sender. A kept socket skips name resolution, so it is reused only for the same origin when
 * that resolved to the very same addresses (docs/contract/deliveries.md#connections). Each connection carries one
 * request at a time, idle ones close after a while, and their number is bounded.
 */
export class Connections {
  readonly #trust: SecureContext
  /** By key; the end of each list was used last. */
  readonly #idleByKey = new Map<string, Array<Connection>>()
  /** Longest idle first. */
  readonly #idle = new Set<Connection>()
  readonly #all = new Set<Connection>()
  /** By origin. */
  readonly #sessions = new LRUCache<string, Buffer>({ max: TLS_SESSIONS_MAX })
  #trimming: NodeJS.Timeout | undefined

  constructor(trust: SecureContext) {
    this.#trust = trust
  }

  /** Connections in use, idle ones, and destinations of the idle ones. */
  get counts(): { readonly active: number; readonly idle: number; readonly idleDestinations: number } {
    return {
      active: this.#all.size - this.#idle.size,
      idle: this.#idle.size,
      idleDestinations: this.#idleByKey.size,
    }
  }

  /** An idle connection to the same origin and addresses, else a new one, which connects on first use. */
  acquire(destination: ParsedDestination, addresses: ReadonlyArray<string>): Connection {
    const key = checkedKey(destination.origin, addresses)
    const kept = this.#idleByKey.get(key)?.at(-1)
    if (kept === undefined) return this.open(destination, addresses)
    this.#forgetIdle(kept)
    return kept
  }

  /** A new connection, even if there are idle ones. */
  open(destination: ParsedDestination, addresses: ReadonlyArray<string>): Connection {
    const client = new Client(destination.origin, {
      connect: (_options, callback) => this.#connect(connection, destination, addresses, callback),
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: answerHeadBytesMax,
      // The deadline of the attempt covers everything.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MILLIS,
      keepAliveMaxTimeout: IDLE_MILLIS_MAX,
    })
    const connection: Connection = {
      client,
      key: checkedKey(destination.origin, addresses),
      isReused: false,
      isIdle: false,
      usedAtMillis: 0,
      socket: undefined,
    }
    this.#all.add(connection)
    client.on("disconnect", () => {
      // A connection acquired while closing reconnects by itself, to the same addresses.
      if (connection.isIdle) this.discard(connection)
    })
    return connection
  }

  /** Keeps a connection for the next attempt after its response was read to the end. */
  release(connection: Connection): void {
    connection.isReused = true
    connection.isIdle = true
    connection.usedAtMillis = performance.now()
    this.#idle.add(connection)
    const siblings = this.#idleByKey.get(connection.key)
    if (siblings === undefined) this.#idleByKey.set(connection.key, [connection])
    else siblings.push(connection)
    if (this.#idle.size > IDLE_CONNECTIONS_MAX) this.#trimLater()
  }

  /** Closes a connection at once, in any state. */
  discard(connection: Connection): void {
    if (connection.isIdle) this.#forgetIdle(connection)
    this.#all.delete(connection)
    // Otherwise undici would reconnect for a request that the closing socket left over.
    connection.client.destroy().catch(ignore)
    connection.socket?.destroy()
  }

  /** Closes them all. */
  close(): void {
    clearTimeout(this.#trimming)
    for (const connection of this.#all) this.discard(connection)
  }

  #trimLater(): void {
    this.#trimming ??= setTimeout(() => this.#trim(), SURPLUS_IDLE_MILLIS).unref()
  }

  /** Closes surplus connections that nobody has used since. */
  #trim(): void {
    this.#trimming = undefined
    const usedBefore = performance.now() - SURPLUS_IDLE_MILLIS
    for (const connection of this.#idle) {
      if (this.#idle.size <= IDLE_CONNECTIONS_MAX || connection.usedAtMillis > usedBefore) break
      this.discard(connection)
    }
    if (this.#idle.size > IDLE_CONNECTIONS_MAX) this.#trimLater()
  }

  #forgetIdle(connection: Connection): void {
    connection.isIdle = false
    this.#idle.delete(connection)
    const siblings = this.#idleByKey.get(connection.key)
    if (siblings === undefined) return
    const index = siblings.lastIndexOf(connection)
    if (index !== -1) siblings.splice(index, 1)
    if (siblings.length === 0) this.#idleByKey.delete(connection.key)
  }

  #connect(
    connection: Connection,
    destination: ParsedDestination,
    addresses: ReadonlyArray<string>,
    callback: buildConnector.Callback,
  ): void {
    const session = this.#sessions.get(destination.origin)
    const socket = connectChecked(destination, addresses, this.#trust, {
      ALPNProtocols: ["http/1.1"],
      ...(session === undefined ? {} : { session }),
    })
    connection.socket = socket
    let isSettled = false
    socket.on("session", (fresh) => this.#sessions.set(destination.origin, fresh))
    socket.once("secureConnect", () => {
      isSettled = true
      callback(null, readingAnswers(socket))
    })
    socket.on("error", (error) => {
      if (isSettled) return
      isSettled = true
      // A refused ticket must not block the next handshake.
      this.#sessions.delete(destination.origin)
      callback(error, null)
    })
  }
}

const ignore = (): void => {}

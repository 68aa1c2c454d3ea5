import { isIP, type LookupFunction, type TcpNetConnectOpts } from "node:net"
import { type ConnectionOptions, connect as connectTls, type SecureContext, type TLSSocket } from "node:tls"
import { LRUCache } from "lru-cache"
import { type buildConnector, Client } from "undici"
import type { ParsedDestination } from "../destination/parseDestination.ts"

/** Idle connections kept in all. A burst may open more; the longest idle are closed first. */
export const IDLE_CONNECTIONS_MAX = 256
/** Idle for so long, one more than that is closed; sooner, the same burst would have to open it anew. */
const SURPLUS_IDLE_MILLIS = 1_000
/** TLS sessions kept in all, to resume with. */
const TLS_SESSIONS_MAX = 1_024
/** An idle connection is closed after this, or sooner if the receiver says so. */
const IDLE_MILLIS = 15_000
/** However long a receiver offers to keep a connection open. */
const IDLE_MILLIS_MAX = 60_000
/** Ample for the head of an answer that is only looked at for its status. */
const RESPONSE_HEAD_BYTES_MAX = 16 * 1024
/** Addresses of one answer that are tried, in turn. */
export const ADDRESSES_TRIED_MAX = 4
/** After this the next address is tried; the last one has all the rest of the attempt's time. */
const ADDRESS_TIMEOUT_MILLIS = 1_000

/** One socket to one receiver: as long as it lives it goes to addresses that were checked for every attempt on it. */
export interface Connection {
  readonly client: Client
  /** Origin and checked addresses. */
  readonly key: string
  /** Whether an attempt has ended well on it, so that a failure may only mean that it went stale. */
  isReused: boolean
  isIdle: boolean
  /** When it was last used (`performance.now()`). */
  usedAtMillis: number
  /** While connecting and after; undici knows a socket only once it is connected. */
  socket: TLSSocket | undefined
}

/**
 * The connections of one sender. A socket that is kept skips name resolution, so what it may be reused for is an
 * attempt on the same origin whose own resolution gave the very same addresses (decisions 5). Each connection bears
 * one request at a time, an idle one is closed after a while, and the number of idle ones is bounded.
 */
export class Connections {
  readonly #trust: SecureContext
  /** By key, each list's end used last. */
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

  /** How many are in use, how many idle, and to how many destinations the idle ones go. */
  get counts(): { readonly active: number; readonly idle: number; readonly idleDestinations: number } {
    return {
      active: this.#all.size - this.#idle.size,
      idle: this.#idle.size,
      idleDestinations: this.#idleByKey.size,
    }
  }

  /** An idle connection to the same origin and addresses, or else a new one, which connects when first used. */
  acquire(destination: ParsedDestination, addresses: ReadonlyArray<string>): Connection {
    const key = connectionKey(destination.origin, addresses)
    const kept = this.#idleByKey.get(key)?.at(-1)
    if (kept === undefined) return this.open(destination, addresses)
    this.#forgetIdle(kept)
    return kept
  }

  /** A new connection, whatever idle ones there are. */
  open(destination: ParsedDestination, addresses: ReadonlyArray<string>): Connection {
    const client = new Client(destination.origin, {
      connect: (_options, callback) => this.#connect(connection, destination, addresses, callback),
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: RESPONSE_HEAD_BYTES_MAX,
      // The attempt's own deadline is over all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MILLIS,
      keepAliveMaxTimeout: IDLE_MILLIS_MAX,
    })
    const connection: Connection = {
      client,
      key: connectionKey(destination.origin, addresses),
      isReused: false,
      isIdle: false,
      usedAtMillis: 0,
      socket: undefined,
    }
    this.#all.add(connection)
    client.on("disconnect", () => {
      // One that was acquired as it was closing reconnects by itself, to the same addresses.
      if (connection.isIdle) this.discard(connection)
    })
    return connection
  }

  /** Keeps a connection whose answer was read to the end for the next attempt. */
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

  /** Closes a connection at once, in whatever state it is. */
  discard(connection: Connection): void {
    if (connection.isIdle) this.#forgetIdle(connection)
    this.#all.delete(connection)
    // Else undici would connect anew for a request that the closing socket left over.
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

  /** Closes those that nobody has used since, down to the limit. */
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
    const options: ConnectionOptions & TcpNetConnectOpts = {
      host: destination.hostname,
      port: destination.port,
      lookup: checkedLookup(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MILLIS,
      secureContext: this.#trust,
      // Said outright, as NODE_TLS_REJECT_UNAUTHORIZED=0 would else switch verification off.
      rejectUnauthorized: true,
      ALPNProtocols: ["http/1.1"],
      ...(isIP(destination.hostname) !== 0 ? {} : { servername: destination.hostname }),
      ...(session === undefined ? {} : { session }),
    }
    const socket = connectTls(options)
    socket.setNoDelay(true)
    connection.socket = socket
    let isSettled = false
    socket.on("session", (fresh) => this.#sessions.set(destination.origin, fresh))
    socket.once("secureConnect", () => {
      isSettled = true
      callback(null, socket)
    })
    socket.on("error", (error) => {
      if (isSettled) return
      isSettled = true
      // A refused ticket must not stand in the way of the next handshake.
      this.#sessions.delete(destination.origin)
      callback(error, null)
    })
  }
}

const ignore = (): void => {}

const connectionKey = (origin: string, addresses: ReadonlyArray<string>): string =>
  // Servers rotate the order of their answers.
  `${origin} ${addresses.length === 1 ? addresses[0] : [...addresses].sort().join(" ")}`

/** Answers the socket's question for its host with the checked addresses, so that nothing is resolved a second time. */
const checkedLookup = (addresses: ReadonlyArray<string>): LookupFunction => {
  const entries = addresses
    .slice(0, ADDRESSES_TRIED_MAX)
    .map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
  return (_hostname, options, callback) => {
    const [first] = entries
    if (first === undefined) callback(new Error("no checked address"), [])
    else if (options.all === true) callback(null, entries)
    else callback(null, first.address, first.family)
  }
}

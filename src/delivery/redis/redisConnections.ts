import type { SecureContext, TLSSocket } from "node:tls"
import type { ParsedDestination } from "../destination/parseDestination.ts"
import { checkedKey, connectChecked } from "../sender/checkedSocket.ts"
import { encodeCommand, type RedisReply, readReply } from "./resp.ts"

/** Idle connections kept in all; the longest idle closes for one more. */
export const IDLE_REDIS_CONNECTIONS_MAX = 64
/** An idle connection closes after this. */
const IDLE_MILLIS = 15_000

/** Hears what becomes of a command, or of the connection before its first: once each. */
export interface RedisListener {
  readonly onConnected: () => void
  readonly onReply: (reply: RedisReply) => void
  /** The connection is gone; nobody knows whether a command that was sent has been applied. */
  readonly onLost: () => void
}

/** One socket to one Redis, for one command at a time. It only ever connects to addresses that were checked for every attempt on it. */
export class RedisConnection {
  readonly key: string
  /** Whether an attempt has succeeded on it: it is signed in, and a failure may only mean that it went stale. */
  isReused = false
  listener: RedisListener | undefined
  readonly #socket: TLSSocket
  #received: Buffer = Buffer.alloc(0)

  constructor(key: string, socket: TLSSocket, onIdleEnd: (connection: RedisConnection) => void) {
    this.key = key
    this.#socket = socket
    const lose = () => {
      socket.destroy()
      if (this.listener === undefined) onIdleEnd(this)
      else this.listener.onLost()
    }
    socket.once("secureConnect", () => this.listener?.onConnected())
    socket.on("data", (chunk) => this.#read(chunk, lose))
    socket.on("timeout", lose)
    socket.on("end", lose)
    socket.on("error", lose)
    socket.on("close", lose)
  }

  /** Sends a command, whose reply goes to the listener. */
  command(parts: ReadonlyArray<string>): void {
    this.#received = Buffer.alloc(0)
    this.#socket.write(encodeCommand(parts))
  }

  /** Closes it after a while without use; 0 while it is in use: the attempt has its own deadline. */
  closeAfter(millis: number): void {
    this.#socket.setTimeout(millis)
  }

  destroy(): void {
    this.listener = undefined
    this.#socket.destroy()
  }

  #read(chunk: Buffer, lose: () => void): void {
    // Nobody has asked for anything.
    if (this.listener === undefined) {
      lose()
      return
    }
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const reply = readReply(this.#received)
    if (reply !== undefined) this.listener.onReply(reply)
  }
}

/** The connections of a sender to Redis streams: kept for the same server, user, password and addresses. */
export class RedisConnections {
  readonly #trust: SecureContext
  /** Longest idle first. */
  readonly #idle = new Set<RedisConnection>()
  readonly #all = new Set<RedisConnection>()

  constructor(trust: SecureContext) {
    this.#trust = trust
  }

  /** Connections in use, and idle ones. */
  get counts(): { readonly active: number; readonly idle: number } {
    return { active: this.#all.size - this.#idle.size, idle: this.#idle.size }
  }

  /** An idle connection to the same server and addresses, signed in with the same credentials; undefined where there is none. */
  take(destination: ParsedDestination, addresses: ReadonlyArray<string>, password: string) {
    const key = keyOf(destination, addresses, password)
    // Few are idle, and the newest is the least stale.
    const kept = [...this.#idle].findLast((connection) => connection.key === key)
    if (kept === undefined) return undefined
    this.#idle.delete(kept)
    kept.closeAfter(0)
    return kept
  }

  /** A new connection, which connects at once. */
  open(destination: ParsedDestination, addresses: ReadonlyArray<string>, password: string): RedisConnection {
    const socket = connectChecked(destination, addresses, this.#trust)
    const key = keyOf(destination, addresses, password)
    const connection = new RedisConnection(key, socket, (idle) => this.discard(idle))
    this.#all.add(connection)
    return connection
  }

  /** Keeps a connection for the next attempt after its command was answered. */
  release(connection: RedisConnection): void {
    connection.isReused = true
    connection.listener = undefined
    connection.closeAfter(IDLE_MILLIS)
    this.#idle.add(connection)
    const [longestIdle] = this.#idle
    if (this.#idle.size > IDLE_REDIS_CONNECTIONS_MAX && longestIdle !== undefined) this.discard(longestIdle)
  }

  /** Closes a connection at once, in any state. */
  discard(connection: RedisConnection): void {
    this.#idle.delete(connection)
    this.#all.delete(connection)
    connection.destroy()
  }

  /** Closes them all. */
  close(): void {
    for (const connection of this.#all) this.discard(connection)
  }
}

const keyOf = (
  { origin, stream }: ParsedDestination,
  addresses: ReadonlyArray<string>,
  password: string,
): string => `${stream?.user ?? ""}\0${password}\0${checkedKey(origin, addresses)}`

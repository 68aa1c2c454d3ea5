/**
 * How an attempt is appended to a Redis Stream:
 * 1. A kept connection is taken, or a new one signs in (AUTH). A reply that refuses it ends the attempt.
 * 2. XADD, with the headers and the body as fields.
 * 3. The reply is the entry's id, or an error. Either way the connection can be kept, unless what came was no reply.
 * If the connection is lost between 2 and 3, nobody knows whether the entry is there: the attempt has failed, and the next one
 * appends it again under the same `webhook-id`. On a kept connection, which may have been stale, the next one is made at once.
 */

import type { Clock } from "effect/Clock"
import type { RedisFault } from "../../../schema/names.ts"
import type { ParsedDestination } from "../destination/parseDestination.ts"
import type { RedisConnection, RedisConnections } from "./redisConnections.ts"
import type { RedisReply } from "./resp.ts"

/** What Redis answered, or why there is no answer. */
export type StreamAnswer =
  | { readonly kind: "appended"; readonly millis: number; readonly excerpt: string }
  | {
      readonly kind: "refused"
      readonly error: RedisFault
      readonly millis: number
      readonly excerpt: string
    }
  | { readonly kind: "timeout" | "connection_error" | "redis_not_resp" }

export interface RedisAppendOptions {
  readonly connections: RedisConnections
  readonly destination: ParsedDestination
  /** Checked addresses; the command goes only to these. */
  readonly addresses: ReadonlyArray<string>
  readonly password: string
  readonly headers: Readonly<Record<string, string>>
  readonly eventType: string
  readonly body: string
  readonly clock: Clock
}

/** What an error's first word means (docs/contract/redis-streams.md#outcomes). */
const faults: Readonly<Record<string, RedisFault>> = {
  WRONGPASS: "redis_denied",
  NOAUTH: "redis_denied",
  NOPERM: "redis_denied",
  WRONGTYPE: "redis_wrong_type",
  OOM: "redis_out_of_memory",
  READONLY: "redis_read_only",
  MOVED: "redis_moved",
  ASK: "redis_moved",
  LOADING: "redis_error",
}

/** The entry: headers by their names in lower case, then `type` and `body`. */
const commandOf = ({ destination, headers, eventType, body }: RedisAppendOptions): ReadonlyArray<string> => {
  const { name = "", maxLength } = destination.stream ?? {}
  const limit = maxLength === undefined ? [] : ["MAXLEN", "~", String(maxLength)]
  const fields = Object.entries(headers).flatMap(([header, value]) => [header.toLowerCase(), value])
  return ["XADD", name, ...limit, "*", ...fields, "type", eventType, "body", body]
}

/** One entry and its reply. Settles once, by reply, failure or `expire`, and leaves no connection in use. */
export class RedisAppend {
  readonly #input: RedisAppendOptions
  readonly #settle: (answer: StreamAnswer) => void
  readonly #startedNanos: bigint
  #connection: RedisConnection
  #isSettled = false
  #isSigningIn = false

  /** Begins at once. */
  constructor(input: RedisAppendOptions, settle: (answer: StreamAnswer) => void) {
    this.#input = input
    this.#settle = settle
    this.#startedNanos = input.clock.monotonicTimeNanosUnsafe()
    const { connections, destination, addresses, password } = input
    const kept = connections.take(destination, addresses, password)
    this.#connection = kept ?? connections.open(destination, addresses, password)
    this.#listen()
    if (kept !== undefined) this.#append()
  }

  /** Time is up. */
  expire(): StreamAnswer {
    this.cancel()
    return { kind: "timeout" }
  }

  /** Cancels without a result and closes the connection. Does nothing once settled. */
  cancel(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#input.connections.discard(this.#connection)
  }

  #listen(): void {
    this.#connection.listener = {
      onConnected: () => this.#signIn(),
      onReply: (reply) => this.#read(reply),
      onLost: () => this.#lose(),
    }
  }

  #signIn(): void {
    this.#isSigningIn = true
    const { destination, password } = this.#input
    const user = destination.stream?.user ?? ""
    this.#connection.command(user === "" ? ["AUTH", password] : ["AUTH", user, password])
  }

  #append(): void {
    this.#isSigningIn = false
    this.#connection.command(commandOf(this.#input))
  }

  #read(reply: RedisReply): void {
    if (this.#isSettled) return
    if (reply.kind === "foreign") this.#fail("redis_not_resp")
    else if (this.#isSigningIn && reply.kind === "value") this.#append()
    else this.#finish(reply.kind, reply.text)
  }

  #finish(kind: "value" | "error", text: string): void {
    this.#isSettled = true
    const { connections } = this.#input
    const answered = { millis: this.#millis(), excerpt: text.replaceAll("\0", "\uFFFD") }
    if (kind === "value") {
      connections.release(this.#connection)
      this.#settle({ kind: "appended", ...answered })
      return
    }
    // After NOAUTH or NOPERM the next attempt signs in anew.
    connections.discard(this.#connection)
    const word = text.split(" ", 1)[0] ?? ""
    const error = faults[word] ?? (this.#isSigningIn ? "redis_denied" : "redis_error")
    // Some servers repeat the arguments of a command that they do not know, here the password.
    const excerpt = this.#isSigningIn ? word : answered.excerpt
    this.#settle({ kind: "refused", error, millis: answered.millis, excerpt })
  }

  #lose(): void {
    if (this.#isSettled) return
    if (!this.#connection.isReused) {
      this.#fail("connection_error")
      return
    }
    const { connections, destination, addresses, password } = this.#input
    connections.discard(this.#connection)
    this.#connection = connections.open(destination, addresses, password)
    this.#listen()
  }

  #fail(kind: "connection_error" | "redis_not_resp"): void {
    this.cancel()
    this.#settle({ kind })
  }

  #millis(): number {
    const nanos = this.#input.clock.monotonicTimeNanosUnsafe() - this.#startedNanos
    return Math.round(Number(nanos) / 1_000_000)
  }
}

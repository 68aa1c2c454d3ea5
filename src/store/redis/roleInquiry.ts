import type { Redis } from "ioredis"
import type { HostAndPort } from "../../config/redisUrl.ts"
import { connectionOn, ignored, newCommand, type RedisConnection, type Reply } from "./redisConnection.ts"

/** `host:port`, where an IPv6 address has no brackets. */
const placeOf = (address: string): HostAndPort => {
  const at = address.lastIndexOf(":")
  return { host: address.slice(0, at), port: Number(address.slice(at + 1)) }
}

interface Asked {
  readonly redis: Redis
  readonly connection: RedisConnection
}

/** Asks servers, on a connection to each, for their part in replication. */
export class RoleInquiry {
  readonly #connect: (place: HostAndPort) => Redis
  readonly #heard: (address: string, info: Reply | undefined) => void
  readonly #asked = new Map<string, Asked>()

  /** `heard` is called with the INFO of each answer, and with undefined where a server cannot be reached. */
  constructor(
    connect: (place: HostAndPort) => Redis,
    heard: (address: string, info: Reply | undefined) => void,
  ) {
    this.#connect = connect
    this.#heard = heard
  }

  /** Asks these servers and no others, each once it has answered before. Call it every `livenessCheckMillis`. */
  ask(addresses: ReadonlySet<string>): void {
    for (const [address, { redis }] of this.#asked) {
      if (addresses.has(address)) continue
      this.#asked.delete(address)
      redis.disconnect()
    }
    for (const address of addresses) {
      const asked = this.#asked.get(address)
      if (asked === undefined) this.#open(address)
      else this.#send(address, asked.connection)
    }
  }

  close(): void {
    this.ask(new Set())
  }

  #send(address: string, connection: RedisConnection): void {
    connection.checkLiveness()
    if (!connection.isReady() || connection.pending() > 0) return
    connection.send(newCommand("INFO", ["replication"]), {
      ...ignored,
      answered: (info) => this.#heard(address, info),
    })
  }

  #open(address: string): void {
    const redis = this.#connect(placeOf(address))
    const connection = connectionOn(redis)
    this.#asked.set(address, { redis, connection })
    // Without a listener ioredis would print each.
    redis.on("error", () => {})
    redis.on("ready", () => this.#send(address, connection))
    redis.on("close", () => this.#heard(address, undefined))
    redis.connect().catch(() => {})
  }
}

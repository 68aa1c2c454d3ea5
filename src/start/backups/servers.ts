import { Effect, type Scope } from "effect"
import type { Redis } from "ioredis"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import {
  type ClusterTarget,
  type HostAndPort,
  parseRedisUrl,
  type SentinelTarget,
  type ServerTarget,
} from "../../config/redisUrl.ts"
import { discoverCluster, loginOf, type NodeLogin, redisOfNode } from "../../store/redis/clusterDiscovery.ts"
import { addressOf } from "../../store/redis/clusterView.ts"
import {
  firstFailure,
  openConnection,
  type Reply,
  reasonOf,
  redisOf,
} from "../../store/redis/redisConnection.ts"
import { infoField } from "../ownRedis/redisProbe.ts"
import { RedisServerError } from "../ownRedis/redisServerError.ts"

/** How our connections are named in CLIENT LIST. */
const connectionName = "backup"

/** Slots from the first to the last, both included. */
export type Slots = readonly [first: number, last: number]

/** A server that keeps keys, and those that replicate it. */
export interface Primary {
  readonly place: HostAndPort
  readonly replicas: ReadonlyArray<HostAndPort>
  /** Undefined: it is no node of a cluster and has all keys. */
  readonly slots: ReadonlyArray<Slots> | undefined
}

/** The servers behind a REDIS_URL. */
export interface Servers {
  readonly login: NodeLogin
  /** The database that has our keys. */
  readonly db: number
  readonly primaries: ReadonlyArray<Primary>
}

/** Connects to one server until the scope closes. */
export const connect = (login: NodeLogin, place: HostAndPort) =>
  openConnection(() => redisOfNode(login, place, connectionName), addressOf(place))

/** Runs a command; what fails it is in the error. */
export const ask = (
  redis: Redis,
  command: string,
  ...args: ReadonlyArray<string | number>
): Effect.Effect<Reply, StoreUnavailable> =>
  Effect.tryPromise({
    try: () => redis.call(command, ...args) as Promise<Reply>,
    catch: (cause) => new StoreUnavailable({ operation: command, reason: reasonOf(cause) }),
  })

/** Connects, runs one command and disconnects. */
export const askOnce = (
  login: NodeLogin,
  place: HostAndPort,
  command: string,
  ...args: ReadonlyArray<string>
) => Effect.scoped(Effect.flatMap(connect(login, place), (redis) => ask(redis, command, ...args)))

/** The replicas that a primary's INFO names and that follow it now. */
const followersIn = (info: string): ReadonlyArray<HostAndPort> =>
  [...info.matchAll(/^slave\d+:ip=([^,]+),port=(\d+),state=online,/gm)].flatMap(([, host, port]) =>
    host === undefined ? [] : [{ host, port: Number(port) }],
  )

const serverOf = Effect.fnUntraced(function* (target: ServerTarget) {
  // Read as the service reads it. It does not connect before it is told to.
  const { host = "", port = 6_379, db = 0 } = redisOf(target, connectionName).options
  const login = loginOf(target)
  const place = { host, port }
  const info = String(yield* askOnce(login, place, "INFO"))
  if (infoField(info, "redis_mode") === "cluster") {
    return yield* new RedisServerError({
      message: `The Redis at ${addressOf(place)} is a node of a cluster. Set REDIS_URL to redis+cluster://host:port,host:port.`,
    })
  }
  const primary: Primary = { place, replicas: followersIn(info), slots: undefined }
  return { login, db, primaries: [primary] }
})

/** A list of names and values, as Sentinels answer. */
const fieldsOf = (reply: Reply): ReadonlyMap<string, string> => {
  const words = (Array.isArray(reply) ? reply : []).map(String)
  return new Map(words.flatMap((word, i) => (i % 2 === 0 ? [[word, words[i + 1] ?? ""]] : [])))
}

const placeIn = (fields: ReadonlyMap<string, string>): HostAndPort => ({
  host: fields.get("ip") ?? "",
  port: Number(fields.get("port")),
})

/** Sentinels name replicas that are long gone. */
const isAway = (flags = ""): boolean => /s_down|o_down/.test(flags)

/** What one Sentinel says of the primary and its replicas. */
const toldBySentinel = Effect.fnUntraced(function* (target: SentinelTarget, sentinel: HostAndPort) {
  const login = {
    username: target.sentinelUsername,
    password: target.sentinelPassword,
    isTls: target.isTls,
  }
  const redis = yield* connect(login, sentinel)
  const place = placeIn(fieldsOf(yield* ask(redis, "SENTINEL", "MASTER", target.masterName)))
  const found = yield* ask(redis, "SENTINEL", "REPLICAS", target.masterName)
  const replicas = (Array.isArray(found) ? found : []).map(fieldsOf)
  const present = replicas.filter((fields) => !isAway(fields.get("flags")))
  return { place, replicas: present.map(placeIn), slots: undefined }
}, Effect.scoped)

const serversOfSentinels = (target: SentinelTarget) =>
  Effect.map(
    Effect.firstSuccessOf(target.sentinels.map((sentinel) => toldBySentinel(target, sentinel))),
    (primary): Servers => ({ login: target, db: target.db, primaries: [primary] }),
  )

const serversOfCluster = (target: ClusterTarget, url: string) =>
  Effect.map(discoverCluster(target, url, connectionName), ({ ranges }): Servers => {
    const primaries = new Map<string, Primary>()
    for (const { first, last, primary, replicas } of ranges) {
      const known = primaries.get(addressOf(primary))?.slots ?? []
      primaries.set(addressOf(primary), { place: primary, replicas, slots: [...known, [first, last]] })
    }
    return { login: target, db: 0, primaries: [...primaries.values()] }
  })

/** Finds the primaries of a REDIS_URL and who replicates each. */
export const findServers = (
  url: string,
): Effect.Effect<Servers, StoreUnavailable | RedisServerError, Scope.Scope> => {
  const target = parseRedisUrl(url)
  if (target === undefined) return Effect.fail(firstFailure(url, "unsupported URL"))
  if (target.kind === "server") return serverOf(target)
  return target.kind === "sentinel" ? serversOfSentinels(target) : serversOfCluster(target, url)
}

/** Which primary has which slots, as text to compare: `127.0.0.1:7001 0-5460`. */
const layoutOf = ({ primaries }: Servers): string =>
  primaries
    .map(({ place, slots = [] }) => `${addressOf(place)} ${slots.map((range) => range.join("-")).join(" ")}`)
    .toSorted()
    .join(", ")

/** The slots that a node is giving away or taking in, by its CLUSTER NODES. */
const movingSlots = (nodes: Reply): ReadonlyArray<string> =>
  (/^.* myself,.*$/m.exec(String(nodes))?.[0] ?? "").match(/\[\d+-[<>]-\w+\]/g) ?? []

/** Fails while slots of a cluster are under way: a key would be in two snapshots or in none. */
export const refuseMovingSlots = Effect.fnUntraced(function* ({ login, primaries }: Servers) {
  for (const { place, slots } of primaries) {
    if (slots === undefined) continue
    const moving = movingSlots(yield* askOnce(login, place, "CLUSTER", "NODES"))
    if (moving.length > 0) {
      return yield* new RedisServerError({
        message: `Slots are being moved at ${addressOf(place)} (${moving.join(" ")}). Wait until they have arrived, then try again.`,
      })
    }
  }
})

/** Fails where another primary has taken over, or slots have moved, since `before` was read. */
export const refuseOtherLayout = (before: Servers, now: Servers): Effect.Effect<void, RedisServerError> =>
  layoutOf(before) === layoutOf(now)
    ? Effect.void
    : Effect.fail(
        new RedisServerError({
          message: `Servers changed meanwhile: a failover, or slots that moved (${layoutOf(before)}; now ${layoutOf(now)}). Try again.`,
        }),
      )

import { type SettingKind, textThat } from "../env/settingKinds.ts"

/** How many replicas must have a write before anybody is told of it, and how long they may take. */
export interface Replication {
  readonly replicas: number
  readonly timeoutMillis: number
}

/** A server's address; `host` is a name or an IP address, IPv6 without brackets. */
export interface HostAndPort {
  readonly host: string
  readonly port: number
}

/** Credentials; absent parts are not sent. */
interface Credentials {
  readonly username: string | undefined
  readonly password: string | undefined
}

/** One server, as ioredis reads its URL. */
export interface ServerTarget {
  readonly kind: "server"
  readonly url: string
}

/**
 * A Redis Cluster: any of `nodes` knows all the others. Credentials and TLS are the same for every node. Failovers may
 * happen at any time, and slots may move (docs/promises.md#slots-that-move).
 */
export interface ClusterTarget extends Credentials {
  readonly kind: "cluster"
  readonly nodes: ReadonlyArray<HostAndPort>
  readonly isTls: boolean
}

/** The primary that Sentinels watch under a name. TLS covers servers and Sentinels, credentials do not. */
export interface SentinelTarget extends Credentials {
  readonly kind: "sentinel"
  readonly sentinels: ReadonlyArray<HostAndPort>
  readonly masterName: string
  readonly db: number
  readonly isTls: boolean
  readonly sentinelUsername: string | undefined
  readonly sentinelPassword: string | undefined
}

/** What a REDIS_URL names. */
export type RedisTarget = ServerTarget | ClusterTarget | SentinelTarget

const redisPort = 6_379
const sentinelPort = 26_379

/** The forms with several hosts. They are not standard URLs, because each host has its own port. */
const severalHosts =
  /^(rediss?)\+(cluster|sentinel):\/\/(?:(?<user>[^/?#]*)@)?(?<hosts>[^@/?#]+)(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?$/i

const decoded = (text: string): string | undefined => {
  try {
    return text === "" ? undefined : decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const readHost = (text: string, defaultPort: number): HostAndPort | undefined => {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(text.trim())
  const host = match?.[1] ?? match?.[2]
  const port = match?.[3] === undefined ? defaultPort : Number(match[3])
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port }
}

/** All hosts of a comma-separated list; undefined if one is malformed. */
const readHosts = (text: string, defaultPort: number): ReadonlyArray<HostAndPort> | undefined => {
  const hosts = text.split(",").map((part) => readHost(part, defaultPort))
  return hosts.every((host) => host !== undefined) ? hosts : undefined
}

const readCredentials = (userInfo: string): Credentials => {
  const [username = "", ...password] = userInfo.split(":")
  return { username: decoded(username), password: decoded(password.join(":")) }
}

const readSentinel = (
  parts: { readonly hosts: string; readonly path: string; readonly query: string },
  common: Credentials & { readonly isTls: boolean },
): SentinelTarget | undefined => {
  const sentinels = readHosts(parts.hosts, sentinelPort)
  const [, name = "", db = "0", ...rest] = parts.path.split("/")
  const masterName = decoded(name)
  const query = new URLSearchParams(parts.query)
  const known = ["sentinel_username", "sentinel_password"]
  if ([...query.keys()].some((key) => !known.includes(key))) return undefined
  if (sentinels === undefined || masterName === undefined || !/^\d{1,5}$/.test(db) || rest.length > 0) {
    return undefined
  }
  return {
    kind: "sentinel",
    ...common,
    sentinels,
    masterName,
    db: Number(db),
    sentinelUsername: query.get("sentinel_username") || undefined,
    sentinelPassword: query.get("sentinel_password") || undefined,
  }
}

/**
 * Parses a REDIS_URL; undefined unless it has one of these forms (`rediss` for TLS):
 * - `redis://[user:password@]host[:6379][/db]`: one server
 * - `redis+cluster://[user:password@]host[:6379][,host[:port]…]`: any nodes of a Redis Cluster
 * - `redis+sentinel://[user:password@]host[:26379][,host[:port]…]/name[/db][?sentinel_username=…&sentinel_password=…]`:
 *   the Sentinels of the primary `name`; user and password are the primary's
 * Reserved characters in a user or password are percent-encoded.
 */
export const parseRedisUrl = (text: string): RedisTarget | undefined => {
  const parts = severalHosts.exec(text)
  if (parts === null) {
    const url = URL.canParse(text) ? new URL(text) : undefined
    const isOne =
      url !== undefined && ["redis:", "rediss:"].includes(url.protocol) && /^[^,]+$/.test(url.hostname)
    return isOne ? { kind: "server", url: text } : undefined
  }
  const { user = "", hosts = "", path = "", query = "" } = parts.groups ?? {}
  const common = { ...readCredentials(user), isTls: parts[1]?.toLowerCase() === "rediss" }
  if (parts[2]?.toLowerCase() === "sentinel") return readSentinel({ hosts, path, query }, common)
  const nodes = readHosts(hosts, redisPort)
  // A cluster has only database 0.
  if (nodes === undefined || !["", "/", "/0"].includes(path) || query !== "") return undefined
  return { kind: "cluster", ...common, nodes }
}

/** A REDIS_URL without its passwords, safe to show. */
export const withoutPassword = (url: string): string =>
  url.replace(/\/\/[^/?#]*@/, "//").replace(/([?&]sentinel_password=)[^&#]*/g, "$1***")

/** The address of a Redis: one server, a cluster or Sentinels (see {@link parseRedisUrl}). */
export const redisUrlText: SettingKind<string> = {
  codec: textThat((value) => parseRedisUrl(value) !== undefined),
  mustBe:
    "redis://host:port, redis+cluster://host:port,host:port or redis+sentinel://host:port,host:port/name (rediss for TLS)",
}

import type { Redis } from "ioredis"

/** A Sentinel or a primary, by its address. */
interface Address {
  readonly host?: string
  readonly port?: number
}

/** The part of ioredis that connects to Sentinels; it declares it private. */
interface SentinelConnections {
  /** Connects to a Sentinel: to ask it, or with options to be told of failovers. */
  connectToSentinel: (sentinel: Address, ...options: ReadonlyArray<unknown>) => Redis
  /** Asks a Sentinel for the primary; null: it knows none. */
  resolve: (sentinel: Address) => Promise<Address | null>
  /** The same over a connection to a Sentinel. */
  resolveMaster: (sentinel: Redis) => Promise<Address | null>
  readonly options: { readonly name: string }
}

const textOf = ({ host, port }: Address): string => `${host}:${port}`

const replicas = new WeakMap<Redis, ReadonlyArray<string>>()

/**
 * The addresses of the replicas that a Sentinel named together with the primary of a connection, whether or not they follow it by now;
 * empty without Sentinels.
 */
export const replicasNamed = (redis: Redis): ReadonlyArray<string> => replicas.get(redis) ?? []

/** The addresses in the reply of SENTINEL REPLICAS: for each a list of names and values. */
const addressesIn = (reply: unknown): ReadonlyArray<string> =>
  (reply as ReadonlyArray<ReadonlyArray<string>>).map((fields) => {
    const valueOf = (name: string) => fields[fields.indexOf(name) + 1]
    return `${valueOf("ip")}:${valueOf("port")}`
  })

/**
 * Watches ioredis' own connections to Sentinels.
 *
 * It asks a Sentinel for the primary first and listens for failovers then, and after a break of the latter connection listens again:
 * what is announced in between it does not hear. An old primary that is cut off from the Sentinels, and not from us, would go on taking
 * writes. So whenever the Sentinel that named the primary is listened to, it is asked again, and where it names another the connection
 * is made anew. Others are not asked: one that is behind would name the old primary for ever.
 *
 * The Sentinel that names the primary is asked for its replicas too ({@link replicasNamed}).
 *
 * ioredis resubscribes after a break, and its unhandled rejection would end the process; what was never subscribed it leaves so. A
 * Sentinel that does not accept the subscription, or does not answer the question, is reconnected and subscribed to again.
 */
export const watchSentinels = (redis: Redis): void => {
  const { connector } = redis as unknown as { readonly connector: SentinelConnections }
  const connectToSentinel = connector.connectToSentinel.bind(connector)
  const ask = connector.resolve.bind(connector)
  const askConnected = connector.resolveMaster.bind(connector)
  /** Who named the primary of the connection that there is, or is being made, and which. */
  let named: { readonly sentinel: string; readonly primary: string } | undefined

  connector.resolve = async (sentinel) => {
    const primary = await ask(sentinel)
    if (primary !== null) named = { sentinel: textOf(sentinel), primary: textOf(primary) }
    return primary
  }
  connector.resolveMaster = async (sentinel) => {
    const primary = await askConnected(sentinel)
    if (primary === null) return null
    // A Sentinel that will not say so still names the primary.
    const reply = await sentinel.call("SENTINEL", "REPLICAS", connector.options.name).catch(() => [])
    replicas.set(redis, addressesIn(reply))
    return primary
  }
  const askAgain = async (sentinel: Address): Promise<void> => {
    const asked = named
    if (asked?.sentinel !== textOf(sentinel)) return
    const primary = await ask(sentinel)
    if (primary === null || textOf(primary) === asked.primary) return
    const leave = () => {
      // Otherwise it has been made anew meanwhile.
      if (named === asked) redis.disconnect(true)
    }
    // At its start a connection that breaks before it is ready is given up.
    if (redis.status === "ready") leave()
    else redis.once("ready", leave)
  }
  connector.connectToSentinel = (address, ...options) => {
    const sentinel = connectToSentinel(address, ...options)
    // Without a listener ioredis would print each error.
    sentinel.on("error", () => {})
    const subscribe = sentinel.subscribe.bind(sentinel) as (
      ...names: ReadonlyArray<unknown>
    ) => Promise<unknown>
    let isToSubscribe = false
    const subscribeAndAsk = (...names: ReadonlyArray<unknown>) => {
      const subscribed = subscribe(...names)
      subscribed
        .then(() => askAgain(address))
        .catch(() => {
          if (!isToSubscribe) sentinel.once("ready", () => void subscribeAnew(...names))
          isToSubscribe = true
          if (sentinel.status === "ready") sentinel.disconnect(true)
        })
      return subscribed
    }
    const subscribeAnew = (...names: ReadonlyArray<unknown>) => {
      isToSubscribe = false
      // It is watched above.
      subscribeAndAsk(...names).catch(() => {})
    }
    return Object.assign(sentinel, { subscribe: subscribeAndAsk })
  }
}

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
}

const textOf = ({ host, port }: Address): string => `${host}:${port}`

/**
 * Watches ioredis' own connections to Sentinels.
 *
 * It asks a Sentinel for the primary first and listens for failovers then, and after a break of the latter connection listens again:
 * what is announced in between it does not hear. An old primary that is cut off from the Sentinels, and not from us, would go on taking
 * writes. So whenever the Sentinel that named the primary is listened to, it is asked again, and where it names another the connection
 * is made anew. Others are not asked: one that is behind would name the old primary for ever.
 *
 * ioredis resubscribes after a break, and its unhandled rejection would end the process; what was never subscribed it leaves so. A
 * Sentinel that does not accept the subscription, or does not answer the question, is reconnected and subscribed to again.
 */
export const watchSentinels = (redis: Redis): void => {
  const { connector } = redis as unknown as { readonly connector: SentinelConnections }
  const connectToSentinel = connector.connectToSentinel.bind(connector)
  const ask = connector.resolve.bind(connector)
  /** Who named the primary of the connection that there is, or is being made, and which. */
  let named: { readonly sentinel: string; readonly primary: string } | undefined

  connector.resolve = async (sentinel) => {
    const primary = await ask(sentinel)
    if (primary !== null) named = { sentinel: textOf(sentinel), primary: textOf(primary) }
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

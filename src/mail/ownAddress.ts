import { Context, Effect, Layer } from "effect"
import type { SettingsShape } from "../config/settingsShape.ts"
import { serviceAddressKey } from "../store/keys.ts"
import { RedisClient } from "../store/redis/redisClient.ts"

/** The address in links: PUBLIC_URL, or where the service listens on this machine. */
export class OwnAddress extends Context.Service<
  OwnAddress,
  {
    /** Without a trailing slash. */
    readonly base: () => string
    /**
     * Announces where the service listens, which settings do not say if PORT is 0. Commands on the same machine,
     * whose settings may differ, read it from Redis.
     */
    readonly listensAt: (port: number) => Effect.Effect<void>
  }
>()("corrente/mail/OwnAddress") {}

export const OwnAddressLive = ({ publicUrl, port }: Pick<SettingsShape, "publicUrl" | "port">) =>
  Layer.effect(
    OwnAddress,
    Effect.gen(function* () {
      const client = yield* RedisClient
      const baseAt = (listeningPort: number) => publicUrl ?? `http://localhost:${listeningPort}`
      let base = baseAt(port)
      return OwnAddress.of({
        base: () => base,
        listensAt: (listeningPort) =>
          Effect.suspend(() => {
            base = baseAt(listeningPort)
            return client.call("SET", [serviceAddressKey, base])
          }).pipe(
            Effect.catch(({ reason }) =>
              Effect.logWarning(`commands do not learn the service's address: ${reason}`),
            ),
          ),
      })
    }),
  )

/** The address of the service that runs on this Redis, or ran last; undefined if none has. */
export const runningAddress = Effect.flatMap(RedisClient, (client) =>
  Effect.map(client.call("GET", [serviceAddressKey]), (address) =>
    typeof address === "string" ? address : undefined,
  ),
)

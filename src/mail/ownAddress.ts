import { Context, Effect, Layer } from "effect"
import type { SettingsShape } from "../config/settingsShape.ts"
import { serviceAddressKey } from "../store/keys.ts"
import { RedisClient } from "../store/redis/redisClient.ts"

/** The address of the service that links name: PUBLIC_URL, or where it listens on this machine. */
export class OwnAddress extends Context.Service<
  OwnAddress,
  {
    /** Without a slash at its end. */
    readonly base: () => string
    /**
     * Says where the service listens, which the settings do not tell where PORT is 0. Commands beside it, whose own
     * settings may be others, read from Redis what it came to.
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

/** The address of the service that runs on this Redis, or ran last; undefined where none has. */
export const runningAddress = Effect.flatMap(RedisClient, (client) =>
  Effect.map(client.call("GET", [serviceAddressKey]), (address) =>
    typeof address === "string" ? address : undefined,
  ),
)

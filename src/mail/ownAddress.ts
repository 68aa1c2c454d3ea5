import { Context, Effect, Layer } from "effect"
import type { SettingsShape } from "../config/settingsShape.ts"
import { serviceAddressKey, serviceAddressLeaseKey } from "../store/keys.ts"
import { RedisClient } from "../store/redis/redisClient.ts"

/** How long a process is silent before another one's address is taken; it says several times in that time that it listens. */
const leaseMillis = 10_000
const beatMillis = 2_000

/** The address in links: PUBLIC_URL, or where the service listens on this machine. */
export class OwnAddress extends Context.Service<
  OwnAddress,
  {
    /**
     * Without a trailing slash. The same in all processes that share the Redis, since two of them may answer the same request
     * (docs/operations.md#one-address).
     */
    readonly base: () => string
    /** Where this process itself listens, or PUBLIC_URL; without a trailing slash. */
    readonly here: () => string
    /**
     * Announces where the service listens, which settings do not say if PORT is 0. Commands on the same machine,
     * whose settings may differ, read it from Redis.
     */
    readonly listensAt: (port: number) => Effect.Effect<void>
  }
>()("corrente/mail/OwnAddress") {}

type Client = RedisClient["Service"]

/** The address of the process that holds the lease; undefined if none does. */
const heldAddress = (client: Client) =>
  Effect.map(client.call("GET", [serviceAddressLeaseKey]), (held) =>
    typeof held === "string" ? held : undefined,
  )

/** Takes the lease for `here` if nobody holds it, renews it if this address has it; returns the address that has it. */
const meet = Effect.fnUntraced(function* (client: Client, here: string) {
  const lease = [serviceAddressLeaseKey, here, "PX", leaseMillis] as const
  if ((yield* client.call("SET", [...lease, "NX"])) === "OK") {
    yield* client.call("SET", [serviceAddressKey, here])
    return here
  }
  const held = yield* heldAddress(client)
  if (held === here) yield* client.call("PEXPIRE", [serviceAddressLeaseKey, leaseMillis])
  return held ?? here
})

const quietly = <A>(what: string, effect: Effect.Effect<A, { readonly reason: string }>) =>
  Effect.catch(effect, ({ reason }) => Effect.logDebug(`${what}: ${reason}`))

/** Announces the address; a service that cannot still serves. */
const announced = <A>(announce: Effect.Effect<A, { readonly reason: string }>): Effect.Effect<void> =>
  Effect.catch(Effect.asVoid(announce), ({ reason }) =>
    Effect.logWarning(`commands do not learn the service's address: ${reason}`),
  )

/** Where PUBLIC_URL says that the service is. */
const makePublic = (client: Client, publicUrl: string): OwnAddress["Service"] => ({
  base: () => publicUrl,
  here: () => publicUrl,
  listensAt: () => announced(client.call("SET", [serviceAddressKey, publicUrl])),
})

/** Where the process that came first listens, for as long as it does. */
const makeShared = Effect.fnUntraced(function* (client: Client, port: number) {
  const baseAt = (listeningPort: number) => `http://localhost:${listeningPort}`
  let here = baseAt(port)
  let base = here
  let isListening = false
  const agree = Effect.suspend(() => meet(client, here)).pipe(
    Effect.tap((agreed) =>
      Effect.sync(() => {
        base = agreed
      }),
    ),
  )
  yield* Effect.addFinalizer(() =>
    isListening && base === here
      ? quietly("service's address", client.call("DEL", [serviceAddressLeaseKey]))
      : Effect.void,
  )
  // Requests may come before this process has said that it listens.
  yield* quietly(
    "service's address",
    Effect.map(heldAddress(client), (held) => {
      base = held ?? base
    }),
  )
  yield* Effect.sleep(beatMillis).pipe(
    Effect.andThen(Effect.suspend(() => (isListening ? quietly("service's address", agree) : Effect.void))),
    Effect.forever,
    Effect.forkScoped,
  )
  return OwnAddress.of({
    base: () => base,
    here: () => here,
    listensAt: (listeningPort) =>
      announced(
        Effect.suspend(() => {
          here = baseAt(listeningPort)
          isListening = true
          return agree
        }),
      ),
  })
})

export const OwnAddressLive = ({ publicUrl, port }: Pick<SettingsShape, "publicUrl" | "port">) =>
  Layer.effect(
    OwnAddress,
    Effect.flatMap(RedisClient, (client) =>
      publicUrl === undefined ? makeShared(client, port) : Effect.succeed(makePublic(client, publicUrl)),
    ),
  )

/** The address of the service that runs on this Redis, or ran last; undefined if none has. */
export const runningAddress = Effect.flatMap(RedisClient, (client) =>
  Effect.map(client.call("GET", [serviceAddressKey]), (address) =>
    typeof address === "string" ? address : undefined,
  ),
)

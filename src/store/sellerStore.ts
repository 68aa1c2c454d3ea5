import { Clock, Effect, Layer } from "effect"
import { SellerStore, type StoredSeller } from "../../actors/ports/sellerStore.ts"
import type { Mode } from "../../schema/ids.ts"
import { apiKeyCheck, isKeyValid } from "./apiKeyCheck.ts"
import { createEndpoint } from "./commands/createEndpoint.ts"
import { createSeller } from "./commands/createSeller.ts"
import * as keys from "./keys.ts"
import { RedisClient, type Reply } from "./redisClient.ts"

/** HGETALL's reply as a record. */
const readHash = (reply: Reply | undefined): Readonly<Record<string, string>> => {
  const values = (reply ?? []) as ReadonlyArray<string>
  const record: Record<string, string> = {}
  for (let i = 0; i + 1 < values.length; i += 2) record[values[i] ?? ""] = values[i + 1] ?? ""
  return record
}

const readSeller = (id: string, record: Readonly<Record<string, string>>): StoredSeller => ({
  id,
  name: record.name ?? "",
  userId: record.user ?? "",
  status: record.status as StoredSeller["status"],
  kycStatus: record.kyc_status as StoredSeller["kycStatus"],
  settings: {
    chargeFeeBps: Number(record.charge_fee_bps ?? 0),
    chargeFeeFixed: Number(record.charge_fee_fixed ?? 0),
  },
  createdAt: record.created_at ?? "",
})

/** Sellers, keys and endpoints on Redis. */
export const SellerStoreLive = Layer.effect(
  SellerStore,
  Effect.gen(function* () {
    const client = yield* RedisClient

    const principalOf = Effect.fnUntraced(function* (partition: number, keyHash: string) {
      const reply = yield* client.call("HMGET", [
        keys.apiKeyKey(partition, keyHash),
        ...["seller", "mode", "id", "revoke_at"],
      ])
      const [sellerId, mode, keyId, revokeAt] = reply as ReadonlyArray<string | null>
      if (!sellerId || !keyId) return undefined
      if (revokeAt && Number(revokeAt) <= (yield* Clock.currentTimeMillis))
        return { kind: "revoked" } as const
      return { sellerId, mode: mode as Mode, keyId, keyHash }
    })

    const listEndpoints = Effect.fnUntraced(function* (sellerId: string, mode: Mode) {
      const ids = (yield* client.call("ZRANGE", [
        keys.endpointsKey({ sellerId, mode }),
        0,
        -1,
      ])) as ReadonlyArray<string>
      const records = yield* client.callAll(ids.map((id) => ["HGETALL", [keys.destinationKey(id)]] as const))
      return records.map((record, i) => {
        const { secret: _secret, secret_previous: _previous, ...shown } = readHash(record)
        return { id: ids[i] ?? "", ...shown }
      })
    })

    return SellerStore.of({
      create: createSeller(client),
      get: (id) =>
        Effect.map(client.call("HGETALL", [keys.sellerKey(id)]), (reply) => {
          const record = readHash(reply)
          return record.status === undefined ? undefined : readSeller(id, record)
        }),
      principalOf,
      isValid: (principal) =>
        Effect.flatMap(client.call(...apiKeyCheck(principal)), (reply) =>
          Effect.map(Clock.currentTimeMillis, (now) => isKeyValid(principal, reply, now)),
        ),
      createEndpoint: createEndpoint(client),
      listEndpoints,
    })
  }),
)

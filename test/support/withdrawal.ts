import { randomBytes, randomUUID } from "node:crypto"
import { Effect, Layer } from "effect"
import { WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import { withdrawalHeld } from "../../actors/seller/decisions/movements.ts"
import { withdrawalDay } from "../../actors/seller/decisions/withdrawalDecisions.ts"
import { sessionPrincipal } from "../../actors/values/principal.ts"
import { sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { type Mode, makeId } from "../../schema/ids.ts"
import type { Withdrawal } from "../../schema/resources/withdrawal.ts"
import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { WithdrawalStoreLive } from "../../src/store/withdrawals.ts"
import type { TestSeller } from "./seller.ts"
import { StoreOptionsLive } from "./storeOptions.ts"

/**
 * Makes a withdrawal that awaits approval, in test mode too, and returns its id. It is written directly to the store,
 * without the timer of the simulated operator's decision. The seller must have the money, and a verified PIX key.
 */
export const makeAwaitingWithdrawal = async (
  service: { readonly redisUrl: string; readonly encryptionKey: Uint8Array },
  seller: Pick<TestSeller, "id" | "partition">,
  pixKeyId: string,
  amount: number,
  mode: Mode = "test",
): Promise<string> => {
  const principal = sessionPrincipal(seller.id, mode, randomUUID())
  const idempotency = { route: "withdrawals", key: randomUUID(), fingerprint: "none", executionId: "test" }
  const now = Date.now()
  const nowText = new Date(now).toISOString()
  const day = withdrawalDay(now)
  const id = makeId("wd_", now, seller.partition, randomBytes(14))

  const program = Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const found = yield* store.readPreconditions(principal, idempotency, pixKeyId, day)
    if (found.kind !== "open" || found.pixKey === undefined) throw new Error(`no withdrawal: ${found.kind}`)
    const { pixKey } = found
    const cipher = makeCipher(plainKey(service.encryptionKey))
    const value = cipher.open(pixKey.value, sealedPlaces.pixKeyValue(pixKey.id)) ?? ""
    const fee = found.seller.settings.withdrawalFee
    const withdrawal: Withdrawal = {
      ...{ id, object: "withdrawal", mode, status: "awaiting" },
      ...{ amount, fee, total: amount + fee, currency: "BRL", description: null, pix_key_id: pixKey.id },
      pix_key: { type: pixKey.type, value: pixKey.maskedValue },
      ...{ end_to_end_id: null, failure_reason: null, created_at: nowText, updated_at: nowText },
      ...{ approved_at: null, processing_at: null, completed_at: null },
    }
    const { kind } = yield* store.create({
      principal,
      idempotency,
      withdrawal: {
        ...{ id, sellerId: seller.id, mode, status: "awaiting", version: 1, day },
        document: JSON.stringify(withdrawal),
        pixValue: cipher.seal(value, sealedPlaces.withdrawalPixValue(id)),
        idempotency,
      },
      ...{ amount, total: withdrawal.total },
      decidedOn: {
        sellerVersion: found.seller.version,
        pixKeyId,
        pixKeyVersion: pixKey.version,
        day: found.day,
      },
      eventType: "withdrawal.awaiting",
      movement: withdrawalHeld(withdrawal),
      timers: [],
    })
    if (kind !== "created") throw new Error(`The withdrawal was not created: ${kind}`)
  })
  const layer = WithdrawalStoreLive.pipe(
    Layer.provide(StoreOptionsLive),
    Layer.provide(RedisClientLive(service.redisUrl)),
  )
  await Effect.runPromise(Effect.scoped(Effect.provide(program, layer)))
  return id
}

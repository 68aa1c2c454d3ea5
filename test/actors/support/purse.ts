import { Clock, Effect } from "effect"
import { Ledger, type SellerBalance } from "../../../actors/ports/ledger.ts"
import type { StoredPixKey } from "../../../actors/ports/pixKeyStore.ts"
import { WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import type { CreateWithdrawal, Withdrawal } from "../../../schema/resources/withdrawal.ts"
import { MemoryStore } from "../../model/state.ts"
import { cipher, identifiers, type Process } from "./process.ts"
import { createCharge } from "./shop.ts"

let count = 0
const unique = (what: string): string => `${what}-of-withdrawal-${++count}`

/** The PIX key of every withdrawal in these tests, as the bank must receive it. */
export const pixKeyValue = "52998224725"

/** Registers a verified PIX key; returns its id. */
export const addPixKey = (owner: Principal, changes: Partial<StoredPixKey> = {}) =>
  Effect.gen(function* () {
    const { pixKeys } = yield* MemoryStore
    const nowMillis = yield* Clock.currentTimeMillis
    const createdAt = new Date(nowMillis).toISOString()
    const id = identifiers.id("pk_", partitionOfId(owner.sellerId) ?? 0, nowMillis)
    pixKeys.set(id, {
      id,
      sellerId: owner.sellerId,
      mode: owner.mode,
      type: "cpf",
      value: cipher.seal(pixKeyValue, sealedPlaces.pixKeyValue(id)),
      valueHash: id,
      maskedValue: "***.982.247-**",
      status: "verified",
      version: 1,
      createdAt,
      verifiedAt: createdAt,
      ...changes,
    })
    return id
  })

/** Earns an amount of centavos by charges that are paid at once. */
export const earn = (process: Process, owner: Principal, amount: number) =>
  Effect.forEach(
    // The simulator refuses charges that end in 03.
    amount % 100 === 3 ? [amount - 50, 50] : [amount],
    (part) =>
      Effect.flatMap(createCharge(process, owner, { body: { amount: part } }), ({ id }) =>
        process.commands.simulateOutcome(id, "paid"),
      ),
    { discard: true },
  )

export interface WithdrawalOptions {
  readonly body?: Partial<CreateWithdrawal>
  /** The `Idempotency-Key`; by default a new one. */
  readonly key?: string
}

/** Asks for a withdrawal, as the HTTP front end does; by default of 1,000 centavos to a new PIX key. */
export const requestWithdrawal = (process: Process, owner: Principal, options: WithdrawalOptions = {}) =>
  Effect.gen(function* () {
    const pixKeyId = options.body?.pix_key_id ?? (yield* addPixKey(owner))
    return yield* process.commands.createWithdrawal({
      principal: owner,
      body: { amount: 1_000, ...options.body, pix_key_id: pixKeyId },
      idempotency: {
        route: "withdrawals",
        key: options.key ?? unique("key"),
        fingerprint: "fingerprint-of-the-body",
        executionId: unique("execution"),
      },
      requestId: unique("req"),
    })
  })

/** Earns the money for a withdrawal, creates it and returns it as answered; dies if it was not created. */
export const withdraw = (process: Process, owner: Principal, options: WithdrawalOptions = {}) =>
  Effect.gen(function* () {
    yield* earn(process, owner, (options.body?.amount ?? 1_000) + 100)
    const answer = yield* requestWithdrawal(process, owner, options)
    if (answer.kind === "answered" && answer.status === 201) {
      const withdrawal: Withdrawal = JSON.parse(answer.body)
      return withdrawal
    }
    return yield* Effect.die(new Error(`no withdrawal: ${JSON.stringify(answer)}`))
  })

/** A withdrawal as it is stored now. */
export const withdrawalNow = (id: string) =>
  Effect.gen(function* () {
    const stored = yield* (yield* WithdrawalStore).load(id)
    if (stored === undefined) return yield* Effect.die(new Error(`no withdrawal ${id}`))
    const withdrawal: Withdrawal = JSON.parse(stored.document)
    return withdrawal
  })

/** A seller's current balance in a mode. */
export const balanceNow = (owner: Principal) =>
  Effect.gen(function* () {
    const found = yield* (yield* Ledger).balance(owner)
    if ("kind" in found) return yield* Effect.die(new Error(found.kind))
    const balance: SellerBalance = found
    return balance
  })

/** The kinds of a resource's ledger entries, oldest first. */
export const movementsOf = ({ sellerId, mode }: Principal, resourceId: string) =>
  Effect.gen(function* () {
    const entries = yield* (yield* Ledger).readAfter({ sellerId, mode }, "0", 10_000)
    return entries.filter((entry) => entry.resourceId === resourceId).map(({ kind }) => kind)
  })

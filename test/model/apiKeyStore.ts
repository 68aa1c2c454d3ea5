import { ApiKeyStore, type StoredApiKey } from "../../actors/ports/apiKeyStore.ts"
import type { FeedHint } from "../../actors/ports/feedHints.ts"
import type { NewApiKey } from "../../actors/ports/sellerStore.ts"
import { revokeTimerName } from "../../actors/values/revokeTimer.ts"
import { type Mode, modes } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { type ApiKeyRecord, atomicStep, feedName, type MemoryState } from "./state.ts"
import { dropTimer, setTimers } from "./timerQueue.ts"

const keysOf = (state: MemoryState, sellerId: string, mode: Mode): ReadonlyArray<ApiKeyRecord> =>
  [...state.apiKeys.values()].filter((record) => record.sellerId === sellerId && record.key.mode === mode)

const isOver = ({ revokeAtMillis }: ApiKeyRecord, nowMillis: number): boolean =>
  revokeAtMillis !== undefined && revokeAtMillis <= nowMillis

const stored = ({ key, lastUsedAtMillis, lastUsedIp, revokeAtMillis }: ApiKeyRecord): StoredApiKey => ({
  id: key.id,
  mode: key.mode,
  name: key.name,
  keyPrefix: key.keyPrefix,
  scopes: key.scopes,
  allowedIps: key.allowedIps,
  createdAt: key.createdAt,
  lastUsedAtMillis,
  lastUsedIp,
  revokeAtMillis,
})

const announce = (state: MemoryState, sellerId: string, mode: Mode, credentialId: string): void => {
  if (!state.watchedFeeds.has(feedName(sellerId, mode))) return
  const hint: FeedHint = { kind: "revoked", feed: { sellerId, mode }, credentialId }
  state.announcements.push(() => {
    for (const listener of state.hintListeners) listener(hint)
  })
}

const add = (state: MemoryState, sellerId: string, key: NewApiKey): void => {
  state.apiKeys.set(key.keyHash, {
    sellerId,
    key,
    revokeAtMillis: undefined,
    lastUsedAtMillis: undefined,
    lastUsedIp: undefined,
  })
}

const remove = (state: MemoryState, { sellerId, key }: ApiKeyRecord): void => {
  state.apiKeys.delete(key.keyHash)
  dropTimer(state, key.id, revokeTimerName(sellerId, key.mode))
  announce(state, sellerId, key.mode, key.id)
}

/** ApiKeyStore over the memory state. */
export const makeApiKeyStore = (state: MemoryState): ApiKeyStore["Service"] => {
  const find = (sellerId: string, mode: Mode, keyId: string) =>
    keysOf(state, sellerId, mode).find(({ key }) => key.id === keyId)

  return ApiKeyStore.of({
    list: (sellerId, mode) =>
      atomicStep(state, (nowMillis) =>
        keysOf(state, sellerId, mode)
          .filter((record) => !isOver(record, nowMillis))
          .map(stored)
          .sort((one, other) => (one.id < other.id ? 1 : -1)),
      ),

    create: (sellerId, key) =>
      atomicStep(state, () => {
        const seller = state.sellers.get(sellerId)?.seller
        if (seller === undefined) return { kind: "noSeller" }
        if (state.apiKeys.has(key.keyHash)) return { kind: "created" }
        if (seller.status !== "active") return { kind: "sellerNotAllowed" }
        if (key.mode === "live" && seller.kycStatus !== "approved") return { kind: "kycRequired" }
        const active = keysOf(state, sellerId, key.mode).filter(
          ({ revokeAtMillis }) => revokeAtMillis === undefined,
        )
        if (active.length >= limits.apiKeysPerModeMax) return { kind: "limit" }
        add(state, sellerId, key)
        return { kind: "created" }
      }),

    rotate: (sellerId, oldKeyId, key) =>
      atomicStep(state, (nowMillis) => {
        const old = find(sellerId, key.mode, oldKeyId)
        if (old === undefined || isOver(old, nowMillis)) return { kind: "missing" }
        if (state.apiKeys.has(key.keyHash)) {
          return { kind: "rotated", revokeAtMillis: old.revokeAtMillis ?? nowMillis }
        }
        if (state.sellers.get(sellerId)?.seller.status !== "active") return { kind: "sellerNotAllowed" }
        if (old.revokeAtMillis !== undefined) return { kind: "scheduled" }
        const revokeAtMillis = nowMillis + limits.rotationGraceMillis
        add(state, sellerId, key)
        old.revokeAtMillis = revokeAtMillis
        const name = revokeTimerName(sellerId, key.mode)
        setTimers(state, [{ name, resourceId: oldKeyId, dueMillis: revokeAtMillis }])
        return { kind: "rotated", revokeAtMillis }
      }),

    delete: (sellerId, mode, keyId) =>
      atomicStep(state, (nowMillis) => {
        const record = find(sellerId, mode, keyId)
        if (record === undefined) return { kind: "missing" }
        remove(state, record)
        return { kind: isOver(record, nowMillis) ? "missing" : "deleted" }
      }),

    expire: (sellerId, mode, keyId) =>
      atomicStep(state, (nowMillis) => {
        const record = find(sellerId, mode, keyId)
        if (record === undefined) dropTimer(state, keyId, revokeTimerName(sellerId, mode))
        else if (isOver(record, nowMillis)) remove(state, record)
      }),

    touch: (_partition, uses) =>
      atomicStep(state, () => {
        for (const { keyHash, usedAtMillis, ipAddress } of uses) {
          const record = state.apiKeys.get(keyHash)
          if (record !== undefined && (record.lastUsedAtMillis ?? 0) < usedAtMillis) {
            record.lastUsedAtMillis = usedAtMillis
            record.lastUsedIp = ipAddress
          }
        }
      }),

    announceRevocation: (sellerId, credentialId) =>
      atomicStep(state, () => {
        for (const mode of modes) announce(state, sellerId, mode, credentialId)
      }),
  })
}

import { PixKeyStore, type StoredPixKey } from "../../actors/ports/pixKeyStore.ts"
import { limits } from "../../schema/limits.ts"
import { isKeyValid } from "./access.ts"
import { atomicStep, type MemoryState, partitionOf } from "./state.ts"

const isHeld = ({ status }: StoredPixKey): boolean => status === "pending_approval" || status === "verified"

const create = (
  state: MemoryState,
  pixKey: StoredPixKey,
  olderHashes: ReadonlyArray<string>,
): { readonly kind: "created" | "exists" | "limit" | "noSeller" } => {
  if (!state.sellers.has(pixKey.sellerId)) return { kind: "noSeller" }
  partitionOf(state, pixKey.id)
  if (state.pixKeys.has(pixKey.id)) return { kind: "created" }
  const held = [...state.pixKeys.values()].filter(
    (found) => found.sellerId === pixKey.sellerId && found.mode === pixKey.mode && isHeld(found),
  )
  const hashes = [pixKey.valueHash, ...olderHashes]
  if (held.some(({ valueHash }) => hashes.includes(valueHash))) return { kind: "exists" }
  if (held.length >= limits.pixKeysPerModeMax) return { kind: "limit" }
  state.pixKeys.set(pixKey.id, { ...pixKey, version: 1 })
  return { kind: "created" }
}

/** PixKeyStore over the memory state. */
export const makePixKeyStore = (state: MemoryState): PixKeyStore["Service"] =>
  PixKeyStore.of({
    create: (pixKey, olderHashes = []) => atomicStep(state, () => create(state, pixKey, olderHashes)),

    transition: ({ pixKey, to, verifiedAt }) =>
      atomicStep(state, () => {
        const found = state.pixKeys.get(pixKey.id)
        if (found === undefined) return { kind: "missing" }
        if (found.status !== pixKey.status || found.version !== pixKey.version) return { kind: "stale" }
        state.pixKeys.set(pixKey.id, {
          ...found,
          status: to,
          version: found.version + 1,
          verifiedAt: verifiedAt ?? found.verifiedAt,
        })
        return { kind: "applied" }
      }),

    load: (id) => atomicStep(state, () => state.pixKeys.get(id)),

    list: (principal) =>
      atomicStep(state, (nowMillis) => {
        if (!isKeyValid(state, nowMillis, principal)) return { kind: "keyInvalid" }
        return [...state.pixKeys.values()]
          .filter(({ sellerId, mode }) => sellerId === principal.sellerId && mode === principal.mode)
          .filter(({ status }) => status !== "removed")
          .sort((left, right) => (left.id < right.id ? -1 : 1))
      }),

    listForOperator: ({ status, mode, beforeId, limit }) =>
      atomicStep(state, () =>
        [...state.pixKeys.values()]
          .filter((found) => found.status === status && found.mode === mode)
          .filter(({ id }) => beforeId === undefined || id < beforeId)
          .sort((left, right) => (left.id < right.id ? 1 : -1))
          .slice(0, limit),
      ),
  })

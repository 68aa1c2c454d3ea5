import { SellerStore } from "../../actors/ports/sellerStore.ts"
import { scopeBits } from "../../actors/values/apiKeyAccess.ts"
import { isFoundBy, isListed, nameTermsOf } from "../../actors/values/sellerLookups.ts"
import { modes } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { isKeyValid } from "./access.ts"
import { appendEvent } from "./feeds.ts"
import { atomicStep, type EndpointRecord, type MemoryState, partitionOf } from "./state.ts"

/** An endpoint's fields as texts, under the names of the Redis hash, without secrets. */
export const endpointFields = (record: EndpointRecord): Readonly<Record<string, string>> => ({
  id: record.endpoint.id,
  seller: record.endpoint.sellerId,
  mode: record.endpoint.mode,
  url: record.endpoint.url,
  events: record.endpoint.events.join(","),
  description: record.endpoint.description ?? "",
  ...(record.endpoint.ordering === undefined ? {} : { ordering: record.endpoint.ordering }),
  enabled: record.enabled ? "1" : "0",
  secret_prefix: record.endpoint.secretPrefix,
  created_at: record.endpoint.createdAt,
  ...(record.disabledReason === undefined ? {} : { disabled_reason: record.disabledReason }),
  ...(record.autoDisabledAtMillis === undefined
    ? {}
    : { auto_disabled_at: new Date(record.autoDisabledAtMillis).toISOString() }),
})

const endpointsOf = (state: MemoryState, sellerId: string, mode: string): ReadonlyArray<EndpointRecord> =>
  [...state.endpoints.values()]
    .filter(({ endpoint, deleted }) => endpoint.sellerId === sellerId && endpoint.mode === mode && !deleted)
    .sort((left, right) => (left.endpoint.id < right.endpoint.id ? -1 : 1))

/** SellerStore over the memory state. */
export const makeSellerStore = (state: MemoryState): SellerStore["Service"] =>
  SellerStore.of({
    create: (seller, keys, postbackSecret, documentTerm) =>
      atomicStep(state, () => {
        partitionOf(state, seller.id)
        const isTaken = state.sellers.has(seller.id) || keys.some((key) => state.apiKeys.has(key.keyHash))
        if (isTaken) return { kind: "exists" }
        state.sellers.set(seller.id, { seller, postbackSecret, documentTerm })
        for (const key of keys) {
          state.apiKeys.set(key.keyHash, {
            sellerId: seller.id,
            key,
            revokeAtMillis: undefined,
            lastUsedAtMillis: undefined,
            lastUsedIp: undefined,
          })
        }
        return { kind: "created" }
      }),

    discard: (sellerId, keyHashes) =>
      atomicStep(state, () => {
        state.sellers.delete(sellerId)
        for (const keyHash of keyHashes) state.apiKeys.delete(keyHash)
      }),

    get: (sellerId) => atomicStep(state, () => state.sellers.get(sellerId)?.seller),

    update: ({ seller, event, documentTerm }) =>
      atomicStep(state, (nowMillis) => {
        const record = state.sellers.get(seller.id)
        if (record === undefined) return { kind: "noSeller" }
        if (record.seller.version !== seller.version) return { kind: "stale" }
        for (const mode of modes) {
          appendEvent(state, nowMillis, { sellerId: seller.id, mode }, { ...event, resourceId: seller.id })
        }
        record.seller = { ...seller, version: seller.version + 1 }
        record.documentTerm = documentTerm
        const { sellerListeners } = state
        state.announcements.push(() => {
          for (const listener of sellerListeners) listener({ kind: "changed", sellerId: seller.id })
        })
        return { kind: "updated" }
      }),

    find: ({ by, status, kycStatus, after, limit }) =>
      atomicStep(state, () => {
        const entries = [...state.sellers.values()]
          .filter(({ seller }) => isListed(seller, { status, kycStatus }))
          .flatMap(({ seller, documentTerm }) => {
            const terms = [...nameTermsOf(seller), ...(documentTerm === undefined ? [] : [documentTerm])]
            return terms
              .filter((term) => isFoundBy(by, terms, term))
              .map((term) => ({ seller, entry: `${term} ${seller.id}` }))
          })
          .filter(({ entry }) => after === undefined || entry > after)
          .sort((one, other) => (one.entry < other.entry ? -1 : 1))
        const page = entries.slice(0, limit)
        const next = entries.length > limit ? page.at(-1)?.entry : undefined
        return { sellers: page.map(({ seller }) => seller), nextBeforeId: next }
      }),

    list: (query) =>
      atomicStep(state, () => {
        const found = [...state.sellers.values()]
          .map(({ seller }) => seller)
          .filter(
            (seller) =>
              (query.beforeId === undefined || seller.id < query.beforeId) && isListed(seller, query),
          )
          .sort((left, right) => (left.id < right.id ? 1 : -1))
        const sellers = found.slice(0, query.limit)
        return { sellers, nextBeforeId: found.length > query.limit ? sellers.at(-1)?.id : undefined }
      }),

    postbackSecret: (sellerId) => atomicStep(state, () => state.sellers.get(sellerId)?.postbackSecret),

    rotatePostbackSecret: (sellerId, secret) =>
      atomicStep(state, () => {
        const record = state.sellers.get(sellerId)
        if (record === undefined) return { kind: "noSeller" }
        record.postbackSecret = secret
        return { kind: "rotated" }
      }),

    principalOf: (partition, keyHash) =>
      atomicStep(state, (nowMillis) => {
        const found = state.apiKeys.get(keyHash)
        if (found === undefined || partitionOf(state, found.sellerId) !== partition) return undefined
        const { sellerId, key } = found
        const { mode, id: keyId, scopes, allowedIps } = key
        const principal = { sellerId, mode, keyId, keyHash, scopeBits: scopeBits(scopes), allowedIps }
        return isKeyValid(state, nowMillis, principal) ? principal : { kind: "revoked" }
      }),

    isValid: (principal) => atomicStep(state, (nowMillis) => isKeyValid(state, nowMillis, principal)),

    createEndpoint: (endpoint) =>
      atomicStep(state, () => {
        if (!state.sellers.has(endpoint.sellerId)) return { kind: "noSeller" }
        if (state.endpoints.has(endpoint.id)) return { kind: "created" }
        const { id, sellerId, mode } = endpoint
        if (endpointsOf(state, sellerId, mode).length >= limits.endpointsPerModeMax) return { kind: "limit" }
        state.endpoints.set(id, {
          endpoint,
          enabled: true,
          deleted: false,
          disabledReason: undefined,
          autoDisabledAtMillis: undefined,
          deadStreak: 0,
          lastSuccessMillis: undefined,
          previousSecret: undefined,
          lastPingId: undefined,
          failing: undefined,
          outages: [],
          lastPing: undefined,
          deletedBy: undefined,
        })
        state.destinations.set(id, {
          id,
          feed: { sellerId, mode },
          target: "endpoint",
          url: endpoint.url,
          deliveries: new Map(),
          turns: new Map(),
          dueMillis: undefined,
        })
        return { kind: "created" }
      }),

    listEndpoints: (sellerId, mode) =>
      atomicStep(state, () => endpointsOf(state, sellerId, mode).map(endpointFields)),
  })

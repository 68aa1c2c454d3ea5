import { destinationIdOfTracker } from "../../actors/delivery/destinationId.ts"
import { type SellerListQuery, SellerRecords, type StoredTracker } from "../../actors/ports/sellerRecords.ts"
import type { StoredSeller } from "../../actors/ports/sellerStore.ts"
import { modes } from "../../schema/ids.ts"
import { appendEvent } from "./feeds.ts"
import { atomicStep, type MemoryState } from "./state.ts"

const matches = (seller: StoredSeller, { status, kycStatus, beforeId }: SellerListQuery): boolean =>
  (beforeId === undefined || seller.id < beforeId) &&
  (status === undefined || seller.status === status) &&
  (kycStatus === undefined || seller.kycStatus === kycStatus)

/** Makes a tracker's destination where there is none yet. */
const ensureDestination = (state: MemoryState, { id, sellerId, mode, url }: StoredTracker): void => {
  if (state.destinations.has(id)) return
  const feed = { sellerId, mode }
  state.destinations.set(id, {
    id,
    feed,
    target: "tracker",
    url,
    deliveries: new Map(),
    dueMillis: undefined,
  })
}

/** SellerRecords over the memory state. */
export const makeSellerRecords = (state: MemoryState): SellerRecords["Service"] =>
  SellerRecords.of({
    update: ({ seller, event }) =>
      atomicStep(state, (nowMillis) => {
        const record = state.sellers.get(seller.id)
        if (record === undefined) return { kind: "noSeller" }
        if (record.seller.version !== seller.version) return { kind: "stale" }
        for (const mode of modes) {
          appendEvent(state, nowMillis, { sellerId: seller.id, mode }, { ...event, resourceId: seller.id })
        }
        record.seller = { ...seller, version: seller.version + 1 }
        const { sellerListeners } = state
        state.announcements.push(() => {
          for (const listener of sellerListeners) listener({ kind: "changed", sellerId: seller.id })
        })
        return { kind: "updated" }
      }),

    list: (query) =>
      atomicStep(state, () => {
        const found = [...state.sellers.values()]
          .map(({ seller }) => seller)
          .filter((seller) => matches(seller, query))
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

    tracker: (sellerId, mode) =>
      atomicStep(state, () => {
        const record = state.trackers.get(destinationIdOfTracker(sellerId, mode))
        return record?.deletedBy === undefined ? record?.tracker : undefined
      }),

    putTracker: (tracker, types) =>
      atomicStep(state, () => {
        if (!state.sellers.has(tracker.sellerId)) return { kind: "noSeller" }
        const before = state.trackers.get(tracker.id)
        const createdAt =
          before === undefined || before.deletedBy !== undefined
            ? tracker.createdAt
            : before.tracker.createdAt
        ensureDestination(state, tracker)
        state.trackers.set(tracker.id, { tracker: { ...tracker, createdAt }, types, deletedBy: undefined })
        return { kind: "put", createdAt }
      }),

    deleteTracker: (sellerId, mode, operationId) =>
      atomicStep(state, () => {
        const record = state.trackers.get(destinationIdOfTracker(sellerId, mode))
        if (record === undefined) return { kind: "missing" }
        if (record.deletedBy === undefined) {
          record.deletedBy = operationId
          record.tracker = { ...record.tracker, headers: "" }
        }
        return { kind: record.deletedBy === operationId ? "deleted" : "missing" }
      }),
  })

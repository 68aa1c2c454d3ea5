import { destinationIdOfTracker } from "../../actors/delivery/destinationId.ts"
import { type StoredTracker, TrackerStore } from "../../actors/ports/trackerStore.ts"
import { atomicStep, type MemoryState } from "./state.ts"

/** Makes a tracker's destination if it does not exist yet. */
const ensureDestination = (state: MemoryState, { id, sellerId, mode, url }: StoredTracker): void => {
  if (state.destinations.has(id)) return
  const feed = { sellerId, mode }
  state.destinations.set(id, {
    id,
    feed,
    target: "tracker",
    url,
    deliveries: new Map(),
    turns: new Map(),
    dueMillis: undefined,
  })
}

/** TrackerStore over the memory state. */
export const makeTrackerStore = (state: MemoryState): TrackerStore["Service"] =>
  TrackerStore.of({
    get: (sellerId, mode) =>
      atomicStep(state, () => {
        const record = state.trackers.get(destinationIdOfTracker(sellerId, mode))
        return record?.deletedBy === undefined ? record?.tracker : undefined
      }),

    put: (tracker, types) =>
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

    delete: (sellerId, mode, operationId) =>
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

import { StreamSlots } from "../../actors/ports/streamSlots.ts"
import { limits } from "../../schema/limits.ts"
import { isKeyValid } from "./access.ts"
import { feedState } from "./feeds.ts"
import { atomicStep, type MemoryState } from "./state.ts"

/** StreamSlots over the memory state. One live process holds all streams, so no answer is ever `uncertain`. */
export const makeStreamSlots = (state: MemoryState): StreamSlots["Service"] =>
  StreamSlots.of({
    take: ({ feed, connectionId, keyHash, requestedEntryId }) =>
      atomicStep(state, (nowMillis) => {
        const { sellerId } = feed
        if (!isKeyValid(state, nowMillis, { ...feed, keyId: "", keyHash })) return { kind: "keyInvalid" }
        const taken = state.streamSlots.get(sellerId) ?? new Set()
        if (!taken.has(connectionId) && taken.size >= limits.streamsPerSellerMax) return { kind: "full" }
        state.streamSlots.set(sellerId, taken.add(connectionId))
        const { entries, newestEntryId } = feedState(state, feed)
        const oldest = entries[0]?.entryId
        const hasRequested = entries.some(({ entryId }) => entryId === requestedEntryId)
        return { kind: "taken", bounds: { newest: newestEntryId, oldest, hasRequested } }
      }),

    release: (sellerId, connectionId) =>
      atomicStep(state, () => {
        const taken = state.streamSlots.get(sellerId)
        taken?.delete(connectionId)
        if (taken?.size === 0) state.streamSlots.delete(sellerId)
      }),
  })

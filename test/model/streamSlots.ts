import { StreamSlots } from "../../actors/ports/streamSlots.ts"
import { limits } from "../../schema/limits.ts"
import { atomicStep, type MemoryState } from "./state.ts"

/** StreamSlots over the memory state. One live process holds all streams, so no answer is ever `uncertain`. */
export const makeStreamSlots = (state: MemoryState): StreamSlots["Service"] =>
  StreamSlots.of({
    take: (sellerId, connectionId) =>
      atomicStep(state, () => {
        const taken = state.streamSlots.get(sellerId) ?? new Set()
        if (!taken.has(connectionId) && taken.size >= limits.streamsPerSellerMax) return "full"
        state.streamSlots.set(sellerId, taken.add(connectionId))
        return "taken"
      }),

    release: (sellerId, connectionId) =>
      atomicStep(state, () => {
        const taken = state.streamSlots.get(sellerId)
        taken?.delete(connectionId)
        if (taken?.size === 0) state.streamSlots.delete(sellerId)
      }),
  })

import { PixClaimStore } from "../../actors/ports/pixClaimStore.ts"
import { atomicStep, type MemoryState } from "./state.ts"

/** PixClaimStore over the memory state. */
export const makePixClaimStore = (state: MemoryState): PixClaimStore["Service"] =>
  PixClaimStore.of({
    claim: ({ account, endToEndId }, claimant, insteadOf) =>
      atomicStep(state, () => {
        const name = `${account}:${endToEndId}`
        const holder = state.pixClaims.get(name)
        if (holder !== undefined && holder !== insteadOf) return holder
        state.pixClaims.set(name, claimant)
        return claimant
      }),
    findAll: (account, endToEndIds) =>
      atomicStep(state, () => endToEndIds.map((id) => state.pixClaims.get(`${account}:${id}`))),
  })

import { MemberStore } from "../../actors/ports/memberStore.ts"
import { firstMemberId } from "../../actors/values/membership.ts"
import { atomicStep, type MemoryState, type TeamState } from "./state.ts"

const nobody: TeamState = { version: 0, operation: "", members: new Map() }

/** MemberStore over the memory state. */
export const makeMemberStore = (state: MemoryState): MemberStore["Service"] => {
  const teamOf = (sellerId: string) => state.teams.get(sellerId) ?? nobody
  const ownerOf = (sellerId: string) => state.sellers.get(sellerId)?.seller.userId
  return MemberStore.of({
    load: (sellerId) =>
      atomicStep(state, () => {
        const ownerId = ownerOf(sellerId)
        if (ownerId === undefined) return undefined
        const { version, members } = teamOf(sellerId)
        const sorted = [...members.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1))
        return { sellerId, ownerId, version, members: sorted }
      }),
    membershipOf: (sellerId, userId, memberId = firstMemberId(sellerId)) =>
      atomicStep(state, () => {
        if (ownerOf(sellerId) === userId) return { memberId, role: "owner", refundLimit: undefined }
        const member = teamOf(sellerId).members.get(memberId)
        if (member?.userId !== userId) return undefined
        return { memberId, role: member.role, refundLimit: member.refundLimit }
      }),
    change: ({ team: { sellerId, version }, operation, written, removed, ownerId }) =>
      atomicStep(state, () => {
        const record = state.sellers.get(sellerId)
        if (record === undefined) return { kind: "noSeller" }
        const before = teamOf(sellerId)
        if (before.operation === operation) return { kind: "changed" }
        if (before.version !== version) return { kind: "stale" }
        const members = new Map(before.members)
        for (const member of written) members.set(member.id, member)
        for (const id of removed) members.delete(id)
        state.teams.set(sellerId, { version: version + 1, operation, members })
        if (ownerId !== undefined) record.seller = { ...record.seller, userId: ownerId }
        return { kind: "changed" }
      }),
  })
}

import { CustomerStore, type StoredCustomer } from "../../actors/ports/customerStore.ts"
import type { CustomerEffect, StoredTransaction } from "../../actors/ports/transactionStore.ts"
import type { Feed } from "../../schema/ids.ts"
import { isKeyValid } from "./access.ts"
import { atomicStep, type MemoryState } from "./state.ts"

const nameOf = ({ sellerId, mode }: Feed, digest: string): string => `${sellerId} ${mode} ${digest}`

const chargesOf = (state: MemoryState, { sellerId, mode }: Feed, digest: string): ReadonlyArray<string> =>
  [...state.transactions.values()]
    .filter((charge) => charge.sellerId === sellerId && charge.mode === mode && charge.customer === digest)
    .map(({ id }) => id)
    .toSorted()

/** Adds to the sums of a charge's customer. */
export const countCustomer = (
  state: MemoryState,
  transactionId: string,
  effect: CustomerEffect | undefined,
): void => {
  const charge = state.transactions.get(transactionId)
  if (charge?.customer === undefined || effect === undefined) return
  const name = nameOf(charge, charge.customer)
  const { paid, refunded } = state.customerSums.get(name) ?? { paid: 0, refunded: 0 }
  state.customerSums.set(name, { paid: paid + effect.paid, refunded: refunded + effect.refunded })
}

const membersOf = (state: MemoryState, feed: Feed, root: string): ReadonlyArray<string> =>
  [...state.customerMerges]
    .filter(([, into]) => into === nameOf(feed, root))
    .map(([name]) => name.slice(nameOf(feed, "").length))

/** Takes a charge, which is deleted next, from its customer. With the last one the customer is gone. */
export const leaveCustomer = (state: MemoryState, charge: StoredTransaction, sums: CustomerEffect): void => {
  if (charge.customer === undefined) return
  countCustomer(state, charge.id, { paid: -sums.paid, refunded: -sums.refunded })
  if (chargesOf(state, charge, charge.customer).length > 1) return
  const name = nameOf(charge, charge.customer)
  for (const member of membersOf(state, charge, charge.customer)) {
    state.customerMerges.delete(nameOf(charge, member))
  }
  state.customerMerges.delete(name)
  state.customerSums.delete(name)
}

const rootOf = (state: MemoryState, feed: Feed, digest: string): string =>
  state.customerMerges.get(nameOf(feed, digest))?.slice(nameOf(feed, "").length) ?? digest

const customerOf = (state: MemoryState, feed: Feed, asked: string): StoredCustomer | undefined => {
  const root = rootOf(state, feed, asked)
  const digests = [root, ...membersOf(state, feed, root)] as const
  const charges = digests.map((digest) => chargesOf(state, feed, digest))
  const all = charges.flat().toSorted()
  const [first, last] = [all[0], all.at(-1)]
  const shownById = charges.find(({ length }) => length > 0)?.at(-1)
  if (first === undefined || last === undefined || shownById === undefined) return undefined
  const sums = digests.map((digest) => state.customerSums.get(nameOf(feed, digest)))
  return {
    digests,
    charges: all.length,
    paidAmount: sums.reduce((sum, one) => sum + (one?.paid ?? 0), 0),
    refundedAmount: sums.reduce((sum, one) => sum + (one?.refunded ?? 0), 0),
    firstChargeId: first,
    lastChargeId: last,
    shownById,
  }
}

/** CustomerStore over the memory state. */
export const makeCustomerStore = (state: MemoryState): CustomerStore["Service"] =>
  CustomerStore.of({
    read: (principal, digests) =>
      atomicStep(state, (nowMillis) =>
        isKeyValid(state, nowMillis, principal)
          ? digests.map((digest) => customerOf(state, principal, digest))
          : ({ kind: "keyInvalid" } as const),
      ),
    merge: (feed, change) =>
      atomicStep(state, () => {
        const [from, into] = [rootOf(state, feed, change.from), rootOf(state, feed, change.into)]
        if (from === into) return { kind: "same" }
        const moved = [...membersOf(state, feed, from), from]
        if (membersOf(state, feed, into).length + moved.length > change.mergedMax) return { kind: "full" }
        for (const digest of moved) {
          state.customerMerges.delete(nameOf(feed, digest))
          state.customerMerges.set(nameOf(feed, digest), nameOf(feed, into))
        }
        return { kind: "merged" }
      }),
  })

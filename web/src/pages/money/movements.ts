import type { FeedEvent } from "../../api/live.ts"

const moving =
  /^(?:transaction\.(?:paid|refunded|partially_refunded|chargeback)|withdrawal\.|refund\.|exception\.)/

/** Whether an event tells of money that moved. */
export const movesMoney = ({ type }: FeedEvent): boolean => moving.test(type)

/** Whether an event tells of a withdrawal. */
export const isOfWithdrawals = ({ type }: FeedEvent): boolean => type.startsWith("withdrawal.")

/** Whether an event tells of the resource with this id. */
export const isAbout =
  (id: string) =>
  ({ data }: FeedEvent): boolean =>
    data.object.id === id

/** The page of what moved money; undefined where sellers have none. */
export const pageOfResource = (type: string, id: string): string | undefined => {
  if (type === "transaction") return `/charges/${id}`
  if (type === "withdrawal") return `/withdrawals/${id}`
  return type === "refund" ? `/refunds?id=${id}` : undefined
}

import type { Feed, Mode } from "../../../schema/ids.ts"
import { accountSlotOfUser, accountTag, tagOf, tagOfDestination } from "../tags.ts"

// Functions that name keys by ids: an id finds its own hash tag.

type TaggedName = (tag: string, id: string) => string
type NameOfMode = (tag: string, sellerId: string, mode: string) => string

export const byId = (name: TaggedName) => (id: string) => name(tagOf(id), id)
export const byDestination = (name: TaggedName) => (id: string) => name(tagOfDestination(id), id)
export const byUser = (name: TaggedName) => (userId: string) =>
  name(accountTag(accountSlotOfUser(userId)), userId)
export const byFeed =
  (name: NameOfMode) =>
  ({ sellerId, mode }: Feed) =>
    name(tagOf(sellerId), sellerId, mode)
export const bySellerAndMode = (name: NameOfMode) => (sellerId: string, mode: Mode) =>
  name(tagOf(sellerId), sellerId, mode)

/** One index of all ids, and one for each status. */
export const byStatus =
  (all: NameOfMode, ofStatus: (tag: string, sellerId: string, mode: string, status: string) => string) =>
  (sellerId: string, mode: Mode, status?: string) => {
    const tag = tagOf(sellerId)
    return status === undefined ? all(tag, sellerId, mode) : ofStatus(tag, sellerId, mode, status)
  }

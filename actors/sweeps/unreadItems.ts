import { limits } from "../../schema/limits.ts"
import type { BooksPage, BooksWindow } from "../ports/acquirer.ts"
import type { UnreadItem } from "../ports/sweepStore.ts"

/** What a sweep met and could not read (docs/partner.md#unreadable-items). */
export interface MetUnread {
  /** Each digest once. */
  readonly items: ReadonlyArray<UnreadItem>
  /** How many it met besides. */
  readonly more: number
}

/** Collects what a sweep cannot read, page by page. */
export const collectUnread = () => {
  const byDigest = new Map<string, UnreadItem>()
  let more = 0
  return {
    add: (
      list: UnreadItem["list"],
      window: BooksWindow,
      page: string | undefined,
      { unreadable = [], unreadableCount = 0 }: BooksPage<unknown>,
    ): void => {
      more += unreadableCount - unreadable.length
      for (const item of unreadable) {
        // Lists may repeat items.
        if (byDigest.has(item.digest)) continue
        if (byDigest.size < limits.sweepUnreadableReadMax)
          byDigest.set(item.digest, { ...item, list, window, page })
        else more += 1
      }
    },
    met: (): MetUnread => ({ items: [...byDigest.values()], more }),
  }
}

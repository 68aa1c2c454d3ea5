import type { AcceptedItem, UnreadItem } from "../../../actors/ports/sweepStore.ts"

/** The JSON of an item, and of why it was accepted; what is undefined is absent. */
export const textOfItem = (
  { list, window, page, position, digest, endToEndId, payoutId, txid, problem }: UnreadItem,
  reason?: string,
): string =>
  JSON.stringify({ list, window, page, position, digest, endToEndId, payoutId, txid, problem, reason })

/** Reads {@link textOfItem}. */
export const itemOfText = (text: string): UnreadItem => {
  const { reason: _, ...item } = JSON.parse(text) as Partial<AcceptedItem> & UnreadItem
  const { page, endToEndId, payoutId, txid } = item
  return { ...item, page, endToEndId, payoutId, txid }
}

/** Reads an accepted item: when, in ms, a space, and {@link textOfItem}. */
export const acceptedOfText = (text: string): AcceptedItem => {
  const begin = text.indexOf(" ") + 1
  const json = text.slice(begin)
  const { reason = "" } = JSON.parse(json) as Partial<AcceptedItem>
  return { ...itemOfText(json), acceptedMillis: Number(text.slice(0, begin)), reason }
}

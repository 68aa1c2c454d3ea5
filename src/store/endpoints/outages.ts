/** A period in which an endpoint was disabled: the entries of its feed after one, up to another (undefined: it still is). */
export interface Outage {
  /** Exclusive. */
  readonly afterEntryId: string
  /** Inclusive. */
  readonly upToEntryId: string
}

/** The periods that have ended, oldest first, from the `outages` of an endpoint's record (endpoints/prelude.lua). */
export const readOutages = (text: string | undefined): ReadonlyArray<Outage> =>
  (text ?? "")
    .split(",")
    .filter((outage) => outage !== "")
    .map((outage) => {
      const [after = "", upTo = ""] = outage.split(" ")
      return { afterEntryId: after, upToEntryId: upTo }
    })

const millisOf = (entryId: string): number => Number(entryId.split("-")[0])

/** What of an outage lies in a window of times, both ends included, as XRANGE takes it; undefined: nothing. */
export const rangeWithin = (
  { afterEntryId, upToEntryId }: Outage,
  { fromMillis, toMillis }: { readonly fromMillis: number; readonly toMillis: number },
): { readonly from: string; readonly to: string } | undefined => {
  const beginMillis = millisOf(afterEntryId)
  if (beginMillis > toMillis || millisOf(upToEntryId) < fromMillis) return undefined
  return {
    from: fromMillis > beginMillis ? `${fromMillis}` : `(${afterEntryId}`,
    to: toMillis < millisOf(upToEntryId) ? `${toMillis}` : upToEntryId,
  }
}

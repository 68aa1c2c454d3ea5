import { encodeTime } from "../../schema/ids.ts"

/** The range of ids that a page covers, as ZRANGE … BYLEX REV takes it: from the newest to the oldest. */
export const idRange = (
  prefix: string,
  page: {
    readonly fromMillis: number | undefined
    readonly toMillis: number | undefined
    readonly beforeId: string | undefined
  },
): readonly [max: string, min: string] => {
  const min = page.fromMillis === undefined ? "-" : `[${prefix}${encodeTime(Math.max(0, page.fromMillis))}`
  const windowMax =
    page.toMillis === undefined ? undefined : `${prefix}${encodeTime(Math.max(0, page.toMillis + 1))}`
  const below = [page.beforeId, windowMax].filter((id) => id !== undefined).sort()[0]
  return [below === undefined ? "+" : `(${below}`, min]
}

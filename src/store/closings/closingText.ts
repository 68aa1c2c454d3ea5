import type { DayMovements, PartnerDay } from "../../../actors/ports/closingStore.ts"
import { type Amounts, type Movements, noAmounts } from "../../../actors/values/closing.ts"
import { type Bucket, buckets, type LedgerKind } from "../../../schema/resources/ledger.ts"
import type { Reply } from "../redis/redisClient.ts"

/** `available:-100 external:100`: buckets that are 0 are left out. */
export const amountsText = (amounts: Amounts): string =>
  buckets
    .filter((bucket) => amounts[bucket] !== 0)
    .map((bucket) => `${bucket}:${amounts[bucket]}`)
    .join(" ")

const readAmounts = (text: string): Amounts => {
  const amounts = { ...noAmounts }
  for (const part of text.split(" ")) {
    const [bucket, amount] = part.split(":")
    if (amount !== undefined) amounts[bucket as Bucket] = Number(amount)
  }
  return amounts
}

/** `charge_paid available:100 external:-100;refund_held …`. */
export const movementsText = (movements: Movements): string =>
  (Object.entries(movements) as ReadonlyArray<[LedgerKind, Amounts]>)
    .map(([kind, amounts]) => `${kind} ${amountsText(amounts)}`)
    .join(";")

const readMovements = (text: string): Movements =>
  Object.fromEntries(
    text
      .split(";")
      .filter((part) => part !== "")
      .map((part) => {
        const end = part.indexOf(" ")
        return [part.slice(0, end), readAmounts(part.slice(end + 1))]
      }),
  )

/** The entry id of a day in a stream of closings: they sort by day, and no day comes twice. */
export const entryOfDay = (day: string): string => `${day.replaceAll("-", "")}-0`

const dayOfEntry = (entryId: string): string =>
  `${entryId.slice(0, 4)}-${entryId.slice(4, 6)}-${entryId.slice(6, 8)}`

/** A stream's entry with its fields. */
export interface ClosingEntry extends DayMovements {
  readonly fields: Readonly<Record<string, string>>
}

/** Reads the reply of XRANGE or XREVRANGE over a stream of closings. */
export const readClosings = (reply: Reply | undefined): ReadonlyArray<ClosingEntry> =>
  ((reply ?? []) as ReadonlyArray<readonly [string, ReadonlyArray<string>]>).map(([entryId, values]) => {
    const fields: Record<string, string> = {}
    for (let i = 0; i + 1 < values.length; i += 2) fields[values[i] ?? ""] = values[i + 1] ?? ""
    return {
      day: dayOfEntry(entryId),
      movements: readMovements(fields.movements ?? ""),
      closing: readAmounts(fields.closing ?? ""),
      fields,
    }
  })

/** The partner's figures in order: received, sent, returned, difference, then both of the balance if there are; empty for none. */
export const partnerText = (partner: PartnerDay | undefined): string => {
  if (partner === undefined) return ""
  const { received, sent, returned, difference, balance, balanceDifference } = partner
  const ofBalance = balance === null || balanceDifference === null ? [] : [balance, balanceDifference]
  return [received, sent, returned, difference, ...ofBalance].join(" ")
}

export const readPartner = (text: string | undefined): PartnerDay | undefined => {
  if (!text) return undefined
  const [received = 0, sent = 0, returned = 0, difference = 0, balance = null, balanceDifference = null] =
    text.split(" ").map(Number)
  return { received, sent, returned, difference, balance, balanceDifference }
}

import type { Exception } from "../../../../schema/resources/exception.ts"

/** A value of an exception's details, as people read it. */
export type Shown =
  | { readonly kind: "amount"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }

/** What our books say of an exception, and what the acquirer's say: names of details with their values, in order. */
export interface Sides {
  readonly ours: ReadonlyArray<readonly [name: string, value: Shown]>
  readonly theirs: ReadonlyArray<readonly [name: string, value: Shown]>
}

/** Details that come from our books, where the kind has something of ours. */
const ourNames = new Set([
  ...["status", "charge_amount", "charge_exception", "processing_at", "transaction_id"],
  ...["account", "configured_account"],
])

const amountNames = /(^|_)amount(_|$)/

const shownOf = (name: string, value: unknown): Shown =>
  typeof value === "number" && amountNames.test(name)
    ? { kind: "amount", value }
    : { kind: "text", value: typeof value === "string" ? value : JSON.stringify(value) }

/** Parts an exception's details into what is ours and what the acquirer said. */
export const sidesOf = ({ resource_type, amount, details }: Exception): Sides => {
  const known = Object.entries(details).filter(([, value]) => value !== null && value !== undefined)
  const isOurs = (name: string) => resource_type !== null && ourNames.has(name)
  const shown = (wanted: boolean) =>
    known
      .filter(([name]) => isOurs(name) === wanted && name !== "refund_failure")
      .map(
        ([name, value]) =>
          [wanted || name !== "status" ? name : "status_there", shownOf(name, value)] as const,
      )
  return { ours: shown(true), theirs: [["amount", { kind: "amount", value: amount }], ...shown(false)] }
}

import { Effect, Schema } from "effect"

/** The checks of an audit. */
const checkNames = [
  "seller",
  "api_key",
  "ledger",
  "balance",
  "charge",
  "withdrawal",
  "refund",
  "pix_key",
  "payment_link",
  "report",
  "feed",
  "inbox",
  "checkpoint",
  "exception",
  "pix_claim",
  "series",
  "lookup",
  "customer",
  "delivery",
] as const
export type CheckName = (typeof checkNames)[number]

/** A fault: what must be there, and what is. Both complete "expected …, found …". */
export interface Fault {
  readonly expected: string
  readonly found: string
}

/** The first place where stored data does not follow from the streams. Contains no document and no secret. */
export class AuditDifference extends Schema.TaggedError<AuditDifference>()("AuditDifference", {
  check: Schema.Literals(checkNames),
  /** The name of the key in Redis. */
  key: Schema.String,
  expected: Schema.String,
  found: Schema.String,
}) {
  /** The difference as a sentence. */
  get sentence(): string {
    return `The audit of ${this.check} found a difference at ${this.key}: expected ${this.expected}, found ${this.found}.`
  }
}

/** Wrong stored text may be of any length; this much is enough to recognise it. */
const shownLengthMax = 300

const cut = (text: string): string =>
  text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}...` : text

/** Stored text as a fault shows it, quoted and cut. */
export const shown = (text: string | undefined): string =>
  text === undefined ? "nothing" : JSON.stringify(cut(text))

/** Fails with an `AuditDifference` for a fault at a key. */
export const differs = (check: CheckName, key: string, { expected, found }: Fault) =>
  Effect.fail(new AuditDifference({ check, key, expected: cut(expected), found: cut(found) }))

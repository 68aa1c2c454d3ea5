import { Effect, Schema } from "effect"

/** What is looked at, in the order in which it is. */
export const checkNames = [
  "seller",
  "api_key",
  "ledger",
  "balance",
  "charge",
  "withdrawal",
  "pix_key",
  "feed",
  "inbox",
] as const
export type CheckName = (typeof checkNames)[number]

/** What is wrong with one thing: what must be there, and what is. */
export interface Fault {
  readonly expected: string
  readonly found: string
}

/** The first place where what is stored does not follow from the streams. It shows no document and no secret. */
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

/** Stored text may be anything once it is wrong: more of it than this says no more. */
const shownLengthMax = 300

const cut = (text: string): string =>
  text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}...` : text

/** Stored text as a fault shows it. */
export const shown = (text: string | undefined): string =>
  text === undefined ? "nothing" : JSON.stringify(cut(text))

/** Fails with the fault, found at the key. */
export const differs = (check: CheckName, key: string, { expected, found }: Fault) =>
  Effect.fail(new AuditDifference({ check, key, expected: cut(expected), found: cut(found) }))

import type { Person } from "../accounts/people.ts"
import type { HistogramCounts } from "../support/histogram.ts"

/** What users ask for: charges by the keys in turn, or sign-ins, each of the next person and from another network. */
export type UserWishes =
  | {
      readonly kind: "charges"
      readonly apiKeys: ReadonlyArray<string>
      /** 8 characters that no other run has: they begin every Idempotency-Key. */
      readonly keyPrefix: string
    }
  | { readonly kind: "signIns"; readonly people: ReadonlyArray<Person> }

/** What users do again and again: each is closed-loop, with one request at a time on a connection that it keeps. */
export interface UsersJob {
  readonly port: number
  readonly wishes: UserWishes
  /** How many users there are, one phase after the other. */
  readonly phases: ReadonlyArray<{ readonly users: number; readonly millis: number }>
  /** A user who has waited for so long closes the connection, and sends the same again over another. */
  readonly patienceMillis: number
  /** Whether a user who is refused waits for as long as `Retry-After` says; else he tries again at once. */
  readonly heedsRetryAfter: boolean
  /** The last answers are waited for so long. */
  readonly lastAnswersMillis: number
  /** How often GET /health is asked meanwhile, over a connection of its own. */
  readonly healthEveryMillis: number
  /** The server's process, whose memory is looked at. */
  readonly pid: number
}

/** What came of a second. */
export interface UsersSecond {
  readonly users: number
  /** What users asked for and had before they gave up. */
  readonly good: number
  /** 503. */
  readonly refused: number
  readonly givenUp: number
  /** Memory of the server at its end. */
  readonly residentMiB: number
  /** Answers' times, from the request to the whole answer. */
  readonly goodMillis: HistogramCounts
  readonly refusedMillis: HistogramCounts
}

/** What the users saw. */
export interface UsersResult {
  readonly seconds: ReadonlyArray<UsersSecond>
  readonly health: { readonly asked: number; readonly answered: number; readonly millis: HistogramCounts }
  /** 503s without `Retry-After`, or without the envelope. */
  readonly badRefusals: number
  /** Answers of another kind, connections that were cut, by what they are. */
  readonly problems: Readonly<Record<string, number>>
}

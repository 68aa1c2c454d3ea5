import type { Person } from "../accounts/people.ts"
import type { HistogramCounts } from "../support/histogram.ts"

/** What users request: charges with the keys in turn, or sign-ins, each by the next person from a different network. */
export type UserWishes =
  | {
      readonly kind: "charges"
      readonly apiKeys: ReadonlyArray<string>
      /** 8 characters unique to the run: they start every Idempotency-Key. */
      readonly keyPrefix: string
    }
  | { readonly kind: "signIns"; readonly people: ReadonlyArray<Person> }

/** A job of closed-loop users, each with one request at a time on a connection that it reuses. */
export interface UsersJob {
  readonly port: number
  readonly wishes: UserWishes
  /** The phases: number of users, and duration. */
  readonly phases: ReadonlyArray<{ readonly users: number; readonly millis: number }>
  /** A user who has waited this long closes the connection and repeats the request over another. */
  readonly patienceMillis: number
  /** Whether a refused user waits as long as `Retry-After` says; otherwise retries at once. */
  readonly heedsRetryAfter: boolean
  /** How long to wait for the last responses. */
  readonly lastAnswersMillis: number
  /** Interval of GET /health on a separate connection. */
  readonly healthEveryMillis: number
  /** The server's process, whose memory is measured. */
  readonly pid: number
}

/** Results of one second. */
export interface UsersSecond {
  readonly users: number
  /** Requests granted before the user gave up. */
  readonly good: number
  /** Responses with 503. */
  readonly refused: number
  readonly givenUp: number
  /** The server's memory at the end of the second. */
  readonly residentMiB: number
  /** Durations from the request to the complete response. */
  readonly goodMillis: HistogramCounts
  readonly refusedMillis: HistogramCounts
}

/** What the users saw. */
export interface UsersResult {
  readonly seconds: ReadonlyArray<UsersSecond>
  readonly health: { readonly asked: number; readonly answered: number; readonly millis: HistogramCounts }
  /** 503 without `Retry-After` or without the error envelope. */
  readonly badRefusals: number
  /** Other responses and cut connections, counted by description. */
  readonly problems: Readonly<Record<string, number>>
}

import { Context } from "effect"

/** What is known of a request and of whoever sent it. */
export interface RequestFacts {
  readonly requestId: string
  /** The client's address; undefined if unknown. */
  readonly clientAddress: string | undefined
  /** The user of its session, if it has one. */
  readonly userId?: string | undefined
  /** The seller of its session or API key. */
  readonly sellerId?: string | undefined
  /** The id of its API key, if it has one. */
  readonly apiKeyId?: string | undefined
}

/** The browser's request that a program answers; undefined outside of one. Lines in the log and entries of audit logs name it. */
export class CurrentRequest extends Context.Reference<RequestFacts | undefined>(
  "corrente/accounts/CurrentRequest",
  { defaultValue: () => undefined },
) {}

import { pathOfResource } from "./resourceLinks.ts"

/** A result of `GET /v1/me/search`. */
export interface Hit {
  readonly object: string
  readonly id: string
  /** By what it was found: `id`, `txid`, `end_to_end_id` or `email`. */
  readonly matched: string
  /** Of an event its type. */
  readonly status: string | null
  readonly amount: number | null
  readonly created_at: string | null
}

/** The page of a result; PIX keys are managed where money is withdrawn to them. */
export const linkOf = ({ object, id }: Hit): string => pathOfResource(object, id) ?? "/withdrawals"

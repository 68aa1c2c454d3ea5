import { Effect } from "effect"
import type { Feed } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"
import { readHash } from "../sellers/sellerHash.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["balance", "ledger", "feed", "events"],
  args: [],
})

/** The state of a seller's and mode's ledger and feed at one moment; what is absent is an empty string. */
export interface AuditAnchor {
  /** The hash of the balance. */
  readonly balance: Readonly<Record<string, string>>
  readonly newestLedgerEntryId: string
  /** As the feed's hash has it. */
  readonly feedSeq: string
  readonly feedLast: string
  /** As the feed's stream has it. */
  readonly newestEventEntryId: string
  readonly newestEventSeq: string
}

/** Reads what an audit of a feed starts from, in one step. */
export const auditAnchor = (client: RedisClient["Service"], feed: Feed) =>
  Effect.map(
    callFunction(
      client,
      declaration,
      {
        balance: keys.balanceKey(feed),
        ledger: keys.ledgerKey(feed),
        feed: keys.feedKey(feed),
        events: keys.eventsKey(feed),
      },
      {},
    ),
    (reply): AuditAnchor => {
      const [ledger = "", feedSeq = "", feedLast = "", event = "", eventSeq = "", ...balance] = words(reply)
      return {
        balance: readHash(balance),
        newestLedgerEntryId: ledger,
        feedSeq,
        feedLast,
        newestEventEntryId: event,
        newestEventSeq: eventSeq,
      }
    },
  )

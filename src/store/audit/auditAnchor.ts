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

/** Where a seller's and mode's ledger and feed stand, all of one moment; absent things are the empty text. */
export interface AuditAnchor {
  /** The balance's hash. */
  readonly balance: Readonly<Record<string, string>>
  readonly newestLedgerEntryId: string
  /** What the feed's hash says. */
  readonly feedSeq: string
  readonly feedLast: string
  /** What the feed's stream says. */
  readonly newestEventEntryId: string
  readonly newestEventSeq: string
}

/** auditAnchor.lua */
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

import { Effect, Layer } from "effect"
import { SweepStore } from "../../../actors/ports/sweepStore.ts"
import * as keys from "../keys.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"
import { acceptUnread } from "./acceptUnread.ts"
import { claimSweep } from "./claimSweep.ts"
import { completeSweep } from "./completeSweep.ts"
import { keepUnconfirmed, noteUnconfirmed, unconfirmedOfText } from "./keepUnconfirmed.ts"
import { readSweep } from "./readSweep.ts"
import { recordUnread } from "./recordUnread.ts"
import { requestSweep } from "./requestSweep.ts"
import { acceptedOfText, itemOfText } from "./unreadText.ts"

/** Sweeps on Redis. */
export const SweepStoreLive = Layer.effect(
  SweepStore,
  Effect.map(RedisClient, (client) => {
    const read = readSweep(client)
    const values = (key: string) => Effect.map(client.call("HVALS", [key]), words)
    return SweepStore.of({
      load: (account) => Effect.map(read(account), ({ state }) => state),
      // The clock is the same for every account; none is called "".
      now: Effect.map(read(""), ({ nowMillis }) => nowMillis),
      request: requestSweep(client),
      claim: claimSweep(client),
      complete: completeSweep(client),
      accounts: Effect.map(client.call("SMEMBERS", [keys.sweepAccountsKey]), (reply) =>
        words(reply).toSorted(),
      ),
      recordUnread: recordUnread(client),
      unconfirmed: (account) =>
        Effect.map(values(keys.unconfirmedKey(account)), (texts) => texts.map(unconfirmedOfText)),
      keepUnconfirmed: keepUnconfirmed(client),
      noteUnconfirmed: noteUnconfirmed(client),
      unread: (account) =>
        Effect.all({
          open: Effect.map(values(keys.unreadKey(account)), (texts) => texts.map(itemOfText)),
          accepted: Effect.map(values(keys.acceptedKey(account)), (texts) => texts.map(acceptedOfText)),
        }),
      accept: acceptUnread(client),
    })
  }),
)

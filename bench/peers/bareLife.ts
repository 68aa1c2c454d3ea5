/** The rest of a charge's life in the bare server: it is paid when its timer is due, and its event is delivered. */

import { Redis } from "ioredis"
import type { StoredTransaction } from "../../actors/ports/transactionStore.ts"
import { simulatedEndToEndId } from "../../actors/seller/decisions/endToEndId.ts"
import { decidePaid, timerNames } from "../../actors/seller/decisions/transactionTransitions.ts"
import { timeOfId, txidOf } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { traceIdOf } from "../../schema/trace.ts"
import { chargeFields, transitionParameters } from "../../src/store/charges.ts"
import * as keys from "../../src/store/keys.ts"
import { library } from "../../src/store/redis/functionLibrary.ts"
import { startBareDeliverer } from "./bareDeliverer.ts"
import type { PeerSettings } from "./bareQueueAttempt.ts"
import { makeOpenDocument } from "./openDocument.ts"
import { bareKeys, retentionMillis } from "./peerQueue.ts"

/** Timers per claim: more did not make it faster. */
const timersPerClaim = 128
/** Its name, its charge and how far the seller's test clock is ahead, as `timers.claim` replies. */
const valuesPerTimer = 2 + chargeFields.length
/** How long it waits for the first timer. */
const lookAgainMillis = 50

/** No reserve, like the bench's seller. */
const settings = { reserveBps: 0, reserveDays: 0 }

const payable = (id: string, document: string, customer: string): StoredTransaction => {
  const { mode } = JSON.parse(document) as { readonly mode: "test" | "live" }
  return { id, sellerId: "", mode, status: "pending", version: 1, document, customer }
}

interface BareLife {
  /** Starts with the timers of the seller's partition; call once. */
  readonly follow: (sellerId: string) => void
}

/** Pays charges with the service's own function, all that are due at once, and delivers from the bare queue. */
export const startBareLife = async (peer: PeerSettings, encryptionKey: Uint8Array): Promise<BareLife> => {
  const redis = new Redis(peer.redisUrl, { protocol: 2, enableAutoPipelining: true })
  const restore = makeOpenDocument(encryptionKey)
  let paid = 0

  const pay = async (sellerId: string, id: string, document: string, customer: string): Promise<void> => {
    const nowMillis = Date.now()
    const stored = { ...payable(id, document, customer), sellerId }
    const endToEndId = simulatedEndToEndId(timeOfId(id), txidOf(id))
    const commit = decidePaid(stored, endToEndId, settings, { nowMillis, offsetMillis: 0 })
    if (commit === undefined) return
    const transition = redis.call("FCALL", ...transitionParameters(commit, retentionMillis))
    paid += 1
    const eventId = `evt_${String(paid).padStart(26, "0")}`
    const head = `{"id":"${eventId}","object":"event","type":"transaction.paid","mode":"test"`
    const body = `${head},"created_at":"${new Date(nowMillis).toISOString()}","seq":${paid},"trace_id":"${traceIdOf(commit.document)}","data":{"object":${restore(commit.document)}}}`
    const owed = redis.fcall(
      "bare_enqueue",
      2,
      ...[bareKeys.queue, bareKeys.eventPrefix + eventId],
      ...[eventId, "transaction.paid", body, retentionMillis, bareKeys.wake, 0],
    )
    await Promise.all([transition, owed])
  }

  const look = async (sellerId: string): Promise<void> => {
    const reply = await redis.fcall(
      library.registeredName("timers.claim"),
      2,
      ...[keys.movingKey(keys.tagOf(sellerId)), keys.timersKey(keys.tagOf(sellerId))],
      JSON.stringify({ timersMax: timersPerClaim, leaseMillis: limits.timerLeaseMillis }),
    )
    const values = reply as ReadonlyArray<string>
    const paying: Array<Promise<void>> = []
    for (let at = 2; at < values.length; at += valuesPerTimer) {
      const [member = "", , , , , document = "", , customer = ""] = values.slice(at, at + valuesPerTimer)
      const [id = "", name] = member.split(":")
      if (name === timerNames.ask) paying.push(pay(sellerId, id, document, customer))
    }
    await Promise.all(paying)
    const nextInMillis = Number(values[0])
    setTimeout(
      () => look(sellerId),
      nextInMillis < 0 ? lookAgainMillis : Math.min(lookAgainMillis, nextInMillis),
    )
  }

  await startBareDeliverer(peer)
  let isFollowing = false
  return {
    follow: (sellerId) => {
      if (isFollowing) return
      isFollowing = true
      look(sellerId)
    },
  }
}

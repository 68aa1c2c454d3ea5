/** The rest of a charge's life in the bare server: it is paid when its timer is due, and its event is delivered. */

import { Effect } from "effect"
import { Redis } from "ioredis"
import { DocumentCipher } from "../../actors/ports/documentCipher.ts"
import type { StoredTransaction } from "../../actors/ports/transactionStore.ts"
import { simulatedEndToEndId } from "../../actors/seller/decisions/endToEndId.ts"
import { decidePaid, timerNames } from "../../actors/seller/decisions/transactionTransitions.ts"
import { timeOfId, txidOf } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { traceIdOf } from "../../schema/trace.ts"
import { CipherLive } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import * as keys from "../../src/store/keys.ts"
import { transitionParameters } from "../../src/store/transactions/transitionTransaction.ts"
import { startBareDeliverer } from "./bareDeliverer.ts"
import { type PeerSettings, retentionMillis } from "./bareQueueAttempt.ts"
import { bareKeys } from "./bareQueueKeys.ts"

/** Timers per claim: more did not make it faster. */
const timersPerClaim = 128
/** Part of claim_timers' reply. */
const valuesPerTimer = 8
/** How long it waits for the first timer. */
const lookAgainMillis = 50

/** No reserve, like the bench's seller. */
const settings = { reserveBps: 0, reserveDays: 0 }

const payable = (id: string, document: string): StoredTransaction => {
  const { mode } = JSON.parse(document) as { readonly mode: "test" | "live" }
  return { id, sellerId: "", mode, status: "pending", version: 1, document }
}

/** What the life of charges needs beside the server. */
export interface BareLife {
  /** Starts with the timers of the seller's partition; call once. */
  readonly follow: (sellerId: string) => void
}

/** Pays charges with the service's own function, all that are due at once, and delivers from the bare queue. */
export const startBareLife = async (peer: PeerSettings, encryptionKey: Uint8Array): Promise<BareLife> => {
  const redis = new Redis(peer.redisUrl, { protocol: 2, enableAutoPipelining: true })
  const names = bareKeys(peer.queue)
  const { restore } = Effect.runSync(Effect.provide(DocumentCipher, CipherLive(plainKey(encryptionKey))))
  let paid = 0

  const pay = async (sellerId: string, id: string, document: string): Promise<void> => {
    const nowMillis = Date.now()
    const stored = { ...payable(id, document), sellerId }
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
      ...[names.queue, names.eventPrefix + eventId],
      ...[eventId, "transaction.paid", body, "", retentionMillis, names.wake, 0],
    )
    await Promise.all([transition, owed])
  }

  const look = async (sellerId: string): Promise<void> => {
    const tag = keys.tagOf(sellerId)
    const reply = await redis.fcall(
      "corrente_claim_timers",
      1,
      ...[keys.timersKey(tag), timersPerClaim, limits.timerLeaseMillis],
      ...[keys.transactionPrefix(tag), keys.clockPrefix(tag)],
    )
    const values = reply as ReadonlyArray<string>
    const paying: Array<Promise<void>> = []
    for (let at = 2; at < values.length; at += valuesPerTimer) {
      const [member = "", , , , , document = ""] = values.slice(at, at + valuesPerTimer)
      const [id = "", name] = member.split(":")
      if (name === timerNames.ask) paying.push(pay(sellerId, id, document))
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

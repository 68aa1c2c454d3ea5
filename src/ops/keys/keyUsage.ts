import { Clock, Effect, Redacted } from "effect"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { limits } from "../../../schema/limits.ts"
import { AccountSecrets } from "../../accounts/accountSecrets.ts"
import { Settings } from "../../config/settings.ts"
import { countSealedEvents, type SealedPage } from "../../store/encryption.ts"
import * as keys from "../../store/keys.ts"
import { liveProcessKeys } from "../../store/processes.ts"
import { RedisClient, type RedisServer } from "../../store/redis/redisClient.ts"
import { readHash } from "../../store/redis/reply.ts"
import { makeOlderTexts, type SealedKind } from "./sealedTexts.ts"

/** How many keys one SCAN looks at, and how long the walk rests after it, so that requests go first. */
const scanCount = 500
const restMillis = 5
/** How many texts of a page are written anew at once. */
const rewrittenAtOnce = 16

/** The events that have a document sealed with a key. */
export interface EventUse {
  readonly count: number
  readonly newestMillis: number
}

/** What a walk through all that is stored has found. */
export interface Found {
  /** Keys of Redis that were looked at. */
  lookedAt: number
  /** Texts that were written anew. */
  rewritten: number
  /** Texts that open under no key, though theirs is there: they were altered. */
  unreadable: number
  /** Texts by the older key that made them, without those that were written anew or are unreadable. */
  readonly texts: Map<string, Map<SealedKind, number>>
  readonly events: Map<string, EventUse>
}

/** How far a walk is. */
export type Progress = (found: Found, ofAbout: number) => Effect.Effect<void>

const plus = <Name>(counts: Map<Name, number>, name: Name): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** The names of feeds, those that an erasure is copying included: each may take its feed's place. */
const isFeed = (name: string): boolean => /^events(-erased)?:/.test(name)

const addFeed = Effect.fnUntraced(function* (stream: string, events: Map<string, EventUse>) {
  const client = yield* RedisClient
  let after: string | undefined
  do {
    const { last, found }: SealedPage = yield* countSealedEvents(client)(stream, after)
    for (const { keyId, count, newestMillis } of found) {
      const before = events.get(keyId) ?? { count: 0, newestMillis: 0 }
      events.set(keyId, {
        count: before.count + count,
        newestMillis: Math.max(before.newestMillis, newestMillis),
      })
    }
    after = last
  } while (after !== undefined)
})

const forEachScanned = Effect.fnUntraced(function* <E, R>(
  server: RedisServer,
  step: (names: ReadonlyArray<string>) => Effect.Effect<void, E, R>,
) {
  let cursor = "0"
  do {
    const reply = yield* server.call("SCAN", [cursor, "COUNT", scanCount])
    const [next, names] = reply as readonly [string, ReadonlyArray<string>]
    yield* step(names)
    yield* Effect.sleep(restMillis)
    cursor = next
  } while (cursor !== "0")
})

/**
 * Looks at all keys of Redis for what older keys of `ENCRYPTION_KEY` have sealed. `rewrite`: writes it anew under the newest; else events
 * are counted too. What is created meanwhile may be left out: it is sealed with the newest key by every process that encrypts with it.
 */
export const walkSealed = Effect.fnUntraced(function* (
  options: { readonly rewrite: boolean },
  progress: Progress = () => Effect.void,
) {
  const client = yield* RedisClient
  const { open } = yield* SecretOpener
  const secrets = yield* AccountSecrets
  const encryptionKeys = Redacted.value((yield* Settings).encryptionKeys)
  const olderTexts = makeOlderTexts({ client, open, secrets, keys: encryptionKeys })
  const found: Found = { lookedAt: 0, rewritten: 0, unreadable: 0, texts: new Map(), events: new Map() }
  const sizes = yield* Effect.forEach(client.servers(), ({ call }) => call("DBSIZE", []))
  const ofAbout = sizes.reduce<number>((sum, size) => sum + Number(size), 0)

  const step = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
    const texts = yield* olderTexts(names)
    const done = yield* Effect.forEach(
      texts,
      ({ rewrite }) => (options.rewrite && rewrite !== undefined ? rewrite : Effect.succeed(false)),
      { concurrency: rewrittenAtOnce },
    )
    for (const [i, { kind, keyId, rewrite }] of texts.entries()) {
      if (rewrite === undefined) found.unreadable += 1
      else if (done[i]) found.rewritten += 1
      else {
        const ofKey = found.texts.get(keyId) ?? new Map<SealedKind, number>()
        found.texts.set(keyId, ofKey)
        plus(ofKey, kind)
      }
    }
    if (!options.rewrite) yield* Effect.forEach(names.filter(isFeed), (name) => addFeed(name, found.events))
    found.lookedAt += names.length
    yield* progress(found, ofAbout)
  })
  yield* Effect.forEach(client.servers(), (server) => forEachScanned(server, step))
  return found
})

/** How long after the newest event under a key the key must be kept: as long as the event, and as a charge can be paid by its link. */
const keptMillis = (retentionMillis: number): number =>
  Math.max(retentionMillis, limits.expirySecondsMax * 1_000)

/** A key of `ENCRYPTION_KEY`, and what still uses it. */
export interface KeyUse {
  readonly id: string
  /**
   * `encrypts`: the newest. `needed`: something uses it. `unneeded`: nothing does, and the next rotation lets go of it. `free`: a start
   * does not demand it; it may be removed, unless it is to become the newest.
   */
  readonly state: "encrypts" | "needed" | "unneeded" | "free"
  readonly texts: ReadonlyMap<SealedKind, number>
  readonly events: number
  /** Until when it must be kept, in ms; undefined where no event was seen under it, and for the newest. */
  readonly keepUntilMillis: number | undefined
}

/** The field of the hash of rotations that has the newest event under a key. */
export const newestField = (keyId: string): string => `newest:${keyId}`

/** What uses each key, by what a walk without rewriting has found. */
export const usesOf = Effect.fnUntraced(function* ({ texts, events }: Found) {
  const client = yield* RedisClient
  const { encryptionKeys, eventRetentionMillis } = yield* Settings
  const nowMillis = yield* Clock.currentTimeMillis
  const samples = readHash(yield* client.call("HGETALL", [keys.encryptionKeysKey]))
  const noted = readHash(yield* client.call("HGETALL", [keys.keyRotationKey]))
  return Redacted.value(encryptionKeys).map(({ id }, i): KeyUse => {
    const own = texts.get(id) ?? new Map<SealedKind, number>()
    const { count = 0, newestMillis = 0 } = events.get(id) ?? {}
    if (i === 0) return { id, state: "encrypts", texts: own, events: count, keepUntilMillis: undefined }
    const newest = Math.max(newestMillis, Number(noted[newestField(id)] ?? 0))
    const keepUntilMillis = newest === 0 ? undefined : newest + keptMillis(eventRetentionMillis)
    const isNeeded = own.size > 0 || count > 0 || (keepUntilMillis ?? 0) > nowMillis
    const unneeded = samples[id] === undefined ? "free" : "unneeded"
    return { id, state: isNeeded ? "needed" : unneeded, texts: own, events: count, keepUntilMillis }
  })
})

/** How many live processes encrypt with each key. */
export const encryptingProcesses = Effect.gen(function* () {
  const counts = new Map<string, number>()
  for (const [newest = ""] of yield* liveProcessKeys(yield* RedisClient)) plus(counts, newest)
  return counts
})

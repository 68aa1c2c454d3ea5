import { Clock, Console, Effect, Redacted } from "effect"
import { ApiError } from "../../../schema/errors.ts"
import { Settings } from "../../config/settings.ts"
import * as keys from "../../store/keys.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { encryptingProcesses, type Found, type KeyUse, newestField, usesOf, walkSealed } from "./keyUsage.ts"

/** Passes of a rotation: the second finds what was written between. More are needed only while somebody keeps writing old texts back. */
const passesMax = 10
/** How often a rotation says how far it is. */
const progressMillis = 2_000

/** 409 `invalid_state`: while a process encrypts with another key, a rotation would have no end. */
const refuseOtherWriters = Effect.fnUntraced(function* (newest: string) {
  const others = [...(yield* encryptingProcesses)].filter(([keyId]) => keyId !== newest)
  if (others.length === 0) return
  const counted = others.map(([keyId, count]) => `${count} with '${keyId}'`).join(", ")
  return yield* new ApiError({
    code: "invalid_state",
    message:
      `Processes of the service encrypt with another key than '${newest}': ${counted}. Restart them with '${newest}' as the first key of ` +
      "ENCRYPTION_KEY, then rotate (docs/operations.md#key-rotation).",
  })
})

/** Makes what notes how far a rotation is, in Redis and on stderr, no more often than every few seconds. */
const makeProgress = Effect.fnUntraced(function* (newest: string) {
  const client = yield* RedisClient
  let saidMillis = 0
  let before = 0
  const note = (pass: number, found: Found, ofAbout: number, nowMillis: number) =>
    client.call("HSET", [
      ...[keys.keyRotationKey, "key", newest, "seen_at", nowMillis, "ended_at", "", "pass", pass],
      ...["looked_at", found.lookedAt, "of_about", ofAbout, "rewritten", before + found.rewritten],
    ])
  return {
    /** Of one pass; those before have written `rewritten` texts. */
    ofPass: (pass: number, rewritten: number, what: string) => {
      before = rewritten
      return Effect.fnUntraced(function* (found: Found, ofAbout: number) {
        const nowMillis = yield* Clock.currentTimeMillis
        if (nowMillis - saidMillis < progressMillis) return
        saidMillis = nowMillis
        yield* Console.error(
          `${what}: ${found.lookedAt} of about ${ofAbout} keys of Redis, ${before + found.rewritten} texts written anew`,
        )
        // The next one says it: what is noted is for those who watch.
        yield* Effect.ignore(note(pass, found, ofAbout, nowMillis))
      })
    },
  }
})

/** Lets go of the keys that nothing uses: a start no longer demands them. */
const release = Effect.fnUntraced(function* (uses: ReadonlyArray<KeyUse>, newest: string) {
  const client = yield* RedisClient
  const unneeded = uses.filter(({ state }) => state === "unneeded").map(({ id }) => id)
  if (unneeded.length === 0) return []
  yield* refuseOtherWriters(newest)
  yield* client.call("HDEL", [keys.encryptionKeysKey, ...unneeded])
  yield* client.call("HDEL", [keys.keyRotationKey, ...unneeded.map(newestField)])
  return unneeded
})

/** Notes the newest event under each older key: the key is needed for a while after the event has ended. */
const noteNewest = Effect.fnUntraced(function* ({ events }: Found, newest: string) {
  const client = yield* RedisClient
  const noted = [...events].filter(([keyId]) => keyId !== newest)
  if (noted.length === 0) return
  yield* client.call("HSET", [
    keys.keyRotationKey,
    ...noted.flatMap(([keyId, { newestMillis }]) => [newestField(keyId), newestMillis]),
  ])
})

/**
 * Writes anew, under the newest key of `ENCRYPTION_KEY`, whatever older ones have sealed, until a pass finds nothing; then counts what
 * still uses the older keys, and lets go of those that nothing uses (docs/operations.md#key-rotation). May end at any time and be
 * repeated. Fails with 409 `invalid_state` while a process of the service encrypts with another key.
 */
export const rotateKeys = Effect.gen(function* () {
  const client = yield* RedisClient
  const [{ id: newest }] = Redacted.value((yield* Settings).encryptionKeys)
  yield* refuseOtherWriters(newest)
  const beganMillis = yield* Clock.currentTimeMillis
  yield* client.call("HSET", [
    ...[keys.keyRotationKey, "key", newest, "began_at", beganMillis, "seen_at", beganMillis, "ended_at", ""],
    ...["pass", 1, "looked_at", 0, "of_about", 0, "rewritten", 0],
  ])
  const progress = yield* makeProgress(newest)
  let rewritten = 0
  let passes = 0
  for (let isClean = false; !isClean && passes < passesMax; ) {
    passes += 1
    const found = yield* walkSealed({ rewrite: true }, progress.ofPass(passes, rewritten, `Pass ${passes}`))
    rewritten += found.rewritten
    isClean = found.rewritten === 0 && found.texts.size === 0
  }
  const found = yield* walkSealed({ rewrite: false }, progress.ofPass(passes, rewritten, "Counting"))
  yield* noteNewest(found, newest)
  const released = yield* release(yield* usesOf(found), newest)
  const endedMillis = yield* Clock.currentTimeMillis
  yield* client.call("HSET", [
    ...[keys.keyRotationKey, "seen_at", endedMillis, "ended_at", endedMillis, "pass", passes],
    ...["looked_at", found.lookedAt, "of_about", found.lookedAt, "rewritten", rewritten],
  ])
  return { newest, rewritten, passes, unreadable: found.unreadable, released, keys: yield* usesOf(found) }
})

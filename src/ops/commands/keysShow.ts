import { Effect } from "effect"
import { Command } from "effect/cli"
import { OperatorLog } from "../../accounts/operatorLog.ts"
import * as storeKeys from "../../store/keys.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { readHash } from "../../store/redis/reply.ts"
import { answer } from "../answer.ts"
import { encryptingProcesses, type KeyUse, usesOf, walkSealed } from "../keys/keyUsage.ts"
import { rotateKeys } from "../keys/rotateKeys.ts"
import { type Block, fields, heading, note } from "../text/blocks.ts"
import { count, time } from "../text/values.ts"
import { auditTimeoutMillis } from "./auditVerify.ts"

const isoOf = (millis: number | undefined): string | null =>
  millis === undefined ? null : new Date(millis).toISOString()

/** A key as commands print it. */
const shownKey = ({ id, state, texts, events, keepUntilMillis }: KeyUse) => ({
  id,
  state,
  records: [...texts.values()].reduce((sum, some) => sum + some, 0),
  by_kind: Object.fromEntries(texts),
  events,
  keep_until: isoOf(keepUntilMillis),
})

/** How far the last rotation is; null where there was none. */
const rotation = Effect.gen(function* () {
  const client = yield* RedisClient
  const noted = readHash(yield* client.call("HGETALL", [storeKeys.keyRotationKey]))
  if (noted.key === undefined) return null
  const at = (name: string) => isoOf(noted[name] ? Number(noted[name]) : undefined)
  return {
    key: noted.key,
    began_at: at("began_at"),
    seen_at: at("seen_at"),
    ended_at: at("ended_at"),
    pass: Number(noted.pass),
    looked_at: Number(noted.looked_at),
    of_about: Number(noted.of_about),
    rewritten: Number(noted.rewritten),
  }
})

const show = Effect.fnUntraced(function* () {
  const found = yield* walkSealed({ rewrite: false })
  const processes = [...(yield* encryptingProcesses)].map(([key, processCount]) => ({
    key,
    count: processCount,
  }))
  return {
    keys: (yield* usesOf(found)).map(shownKey),
    unreadable: found.unreadable,
    processes,
    rotation: yield* rotation,
  }
})

type Shown = Effect.Success<ReturnType<typeof show>>

const states: Readonly<Record<KeyUse["state"], string>> = {
  encrypts: "the newest: encrypts",
  needed: "still needed",
  unneeded: "no longer needed: ops keys rotate lets go of it",
  free: "not in use: a start does not demand it",
}

/** Keys, each with what still uses it. */
const keyBlocks = (keys: ReadonlyArray<ReturnType<typeof shownKey>>): ReadonlyArray<Block> =>
  keys.flatMap((key) => [
    heading(`Key ${key.id}`),
    fields(
      ["State", states[key.state]],
      // What the newest has sealed is not counted.
      ...(key.state === "encrypts"
        ? []
        : ([
            ["Records", count(key.records)],
            ...Object.entries(key.by_kind).map(([kind, some]) => [`  ${kind}`, count(some)] as const),
            ["Events", count(key.events)],
            ["Keep until", time(key.keep_until)],
          ] as const)),
    ),
  ])

const shownUse = ({ keys, unreadable, processes, rotation: last }: Shown): ReadonlyArray<Block> => [
  ...keyBlocks(keys),
  heading("Processes"),
  processes.length === 0
    ? note("No process of the service is running.")
    : fields(...processes.map(({ key, count: some }) => [`Encrypt with ${key}`, count(some)] as const)),
  ...(unreadable === 0 ? [] : [note(`${count(unreadable)} texts open under no key: they were altered.`)]),
  ...(last === null
    ? []
    : [
        heading(last.ended_at === null ? "Rotation under way" : "Last rotation"),
        fields(
          ["To the key", last.key],
          ["Began", time(last.began_at)],
          ["Last heard of", time(last.seen_at)],
          ["Ended", time(last.ended_at)],
          ["Pass", count(last.pass)],
          ["Keys of Redis looked at", `${count(last.looked_at)} of about ${count(last.of_about)}`],
          ["Texts written anew", count(last.rewritten)],
        ),
      ]),
]

export const keysShow = Command.make("show", {}, answer(show, shownUse, auditTimeoutMillis)).pipe(
  Command.withDescription(
    "Count what still uses each key of ENCRYPTION_KEY, and say until when it must be kept, which processes encrypt with which, and how far the last rotation is. Reads everything that is stored and changes nothing.",
  ),
)

/** A rotation reads everything that is stored several times, and writes much of it. */
const timeoutMillis = 24 * 60 * 60 * 1000

const rotate = Effect.fnUntraced(function* () {
  const { newest, rewritten, passes, unreadable, released, keys } = yield* rotateKeys
  const log = yield* OperatorLog
  yield* log.append({
    operatorId: undefined,
    action: "encryption_keys.rotated",
    resourceType: "encryption_key",
    resourceId: newest,
    details: { rewritten, released },
  })
  return { newest, rewritten, passes, unreadable, released, keys: keys.map(shownKey) }
})

const shownRotation = (done: Effect.Success<ReturnType<typeof rotate>>): ReadonlyArray<Block> => [
  fields(
    ["Newest key", done.newest],
    ["Texts written anew", count(done.rewritten)],
    ["Passes", count(done.passes)],
    ["Texts that open under no key", count(done.unreadable)],
    ["Let go of", done.released.length === 0 ? "none" : done.released.join(", ")],
  ),
  ...keyBlocks(done.keys),
]

export const keysRotate = Command.make("rotate", {}, answer(rotate, shownRotation, timeoutMillis)).pipe(
  Command.withDescription(
    "Write anew, under the newest key of ENCRYPTION_KEY, what older keys have encrypted, and let go of keys that nothing uses. The service keeps running; progress goes to stderr and to `keys show`. May be killed and repeated.",
  ),
)

import { Effect } from "effect"
import { Command } from "effect/cli"
import { OperatorLog } from "../../accounts/operatorLog.ts"
import { answer } from "../answer.ts"
import { rotateKeys } from "../keys/rotateKeys.ts"
import { type Block, fields } from "../text/blocks.ts"
import { count } from "../text/values.ts"
import { keyBlocks, shownKey } from "./keysShow.ts"

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

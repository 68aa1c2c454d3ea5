import { randomBytes } from "node:crypto"
import { Effect, Schedule } from "effect"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"
import { moverKey } from "../../store/keys.ts"
import { holdLease, releaseLease } from "../../store/partitions.ts"
import type { NodeCalls } from "../../store/redis/clusterNodes.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"

const leaseMillis = 10_000
const renewMillis = 1_000
/** How often a command that waits for the lease asks for it. */
const waitMillis = 250
/** A command that could not renew its lease for this long sends nothing more: another one may begin when the lease ends. */
const trustedMillis = 8_000

const lost = new StoreUnavailable({
  operation: "lease",
  reason:
    "this command was held up for too long, so another may move partitions now; run it again, or with --undo",
})

const otherMoves = new ApiError({
  code: "invalid_state",
  message: "Another command moves a partition now: one at a time. Try again when it has ended.",
})

/**
 * Makes this command the only one that moves partitions, until the scope closes. Waits for the lease of one that was killed. Returns
 * `calls` that fail once the lease may have ended.
 */
export const becomeMover = Effect.fnUntraced(function* (calls: NodeCalls) {
  const client = yield* RedisClient
  const id = `ops-${randomBytes(8).toString("hex")}`
  const state = { heldMillis: Number.NEGATIVE_INFINITY }
  const hold = Effect.gen(function* () {
    const askedMillis = performance.now()
    const isHeld = yield* holdLease(client, moverKey, id, leaseMillis)
    if (isHeld) state.heldMillis = askedMillis
    return isHeld
  })
  const isHeld = yield* hold.pipe(
    Effect.repeat({
      until: (held) => held,
      times: leaseMillis / waitMillis + 1,
      schedule: Schedule.spaced(waitMillis),
    }),
  )
  if (!isHeld) return yield* otherMoves
  yield* Effect.addFinalizer(() => Effect.ignore(releaseLease(client, moverKey, id)))
  // A renewal that fails is made up for by the next.
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(renewMillis), Effect.ignore(hold))))
  const check = Effect.suspend(() =>
    performance.now() - state.heldMillis > trustedMillis ? Effect.fail(lost) : Effect.void,
  )
  return {
    call: (...args: Parameters<NodeCalls["call"]>) => Effect.andThen(check, calls.call(...args)),
    callAsking: (...args: Parameters<NodeCalls["call"]>) => Effect.andThen(check, calls.callAsking(...args)),
  } satisfies NodeCalls
})

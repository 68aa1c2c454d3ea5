import { Clock, Deferred, Duration, Effect } from "effect"
import { type ApiError, serviceUnavailable } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { RecentTries } from "./recentTries.ts"
import { type Asker, firstShare, type Place, type Places, Turns } from "./turns.ts"

/** Weight of the newest duration in the running mean. */
const newestShare = 0.2

/**
 * How many passwords may wait: as many as get their turn in time if each takes as long as those before. A first try has
 * less time, and others' turns between: an owner on a new address is in soon, or hears at once that it is to try again.
 * `workMillis` is the duration of one, undefined before the first.
 */
export const passwordPlaces = (threads: number, workMillis: number | undefined): Places => {
  const most = limits.passwordsWaitingMax
  if (workMillis === undefined) return { all: most, first: most }
  const inTime = (millis: number) =>
    Math.max(threads, Math.min(most, Math.floor((millis * threads) / workMillis)))
  return {
    all: inTime(limits.passwordWaitMillisMax),
    first: inTime(limits.firstTryWaitMillisMax * firstShare),
  }
}

const tooManyWait = () => serviceUnavailable("Too many passwords are being checked. Try again.", 5)

interface Waiting extends Place {
  readonly turn: Deferred.Deferred<void, ApiError>
  hasTurn: boolean
}

/** Runs at most `threads` jobs at once; others wait for their turn, at most `passwordWaitMillisMax`, or are refused. */
const makeTurns = (threads: number) => {
  let free = threads
  let workMillis: number | undefined
  const waiting = new Turns<Waiting>(() => passwordPlaces(threads, workMillis))

  const timed = <A>(work: Effect.Effect<A>) =>
    Effect.map(Effect.timed(work), ([took, result]) => {
      const millis = Duration.toMillis(took)
      workMillis = workMillis === undefined ? millis : workMillis + newestShare * (millis - workMillis)
      return result
    })

  const pass = (): void => {
    const next = waiting.take()
    if (next === undefined) {
      free += 1
      return
    }
    next.hasTurn = true
    Deferred.doneUnsafe(next.turn, Effect.void)
  }
  /** A caller that leaves before its turn gives up its place, and passes on a turn that came meanwhile. */
  const leave = (one: Waiting) =>
    Effect.sync(() => {
      if (one.hasTurn) pass()
      else waiting.remove(one)
    })
  const waitFor = (one: Waiting, restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>) => {
    const outcast = waiting.add(one)
    if (outcast !== undefined) Deferred.doneUnsafe(outcast.turn, Effect.fail(tooManyWait()))
    const inTime = Effect.timeoutOrElse(Deferred.await(one.turn), {
      duration: limits.passwordWaitMillisMax,
      orElse: () => Effect.fail(tooManyWait()),
    })
    return Effect.onError(restore(inTime), () => leave(one))
  }

  return <A>(place: Place, work: Effect.Effect<A>): Effect.Effect<A, ApiError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const turn = Deferred.makeUnsafe<void, ApiError>()
        const isFree = free > 0
        if (isFree) free -= 1
        const joined = isFree ? Effect.void : waitFor({ ...place, turn, hasTurn: false }, restore)
        return Effect.andThen(joined, Effect.ensuring(restore(timed(work)), Effect.sync(pass)))
      }),
    )
}

/**
 * Makes a queue that runs at most `threads` checks at once, in an order that `turns.ts` decides. A stranger's rank
 * follows from its network's last ten minutes (`recentTries.ts`), to which its own try is added: `isWrong` says which
 * answers count against it. Fails with 503 if too many wait, or after `passwordWaitMillisMax` without a turn.
 */
export const makePasswordQueue = (threads: number) => {
  const waitForTurn = makeTurns(threads)
  const tries = new RecentTries()
  return <A>(
    asker: Asker,
    work: Effect.Effect<A>,
    isWrong: (answer: A) => boolean,
  ): Effect.Effect<A, ApiError> => {
    if (asker.isKnown) return waitForTurn({ rank: "known", path: asker.path }, work)
    const { network, path } = asker
    return Effect.flatMap(Clock.currentTimeMillis, (triedAtMillis) => {
      const rank = tries.tried(network, triedAtMillis)
      // Within the turn: whoever gets the next one must be ranked by this answer.
      const noted = Effect.tap(work, (answer) =>
        Effect.map(Clock.currentTimeMillis, (nowMillis) =>
          isWrong(answer) ? tries.wrong(network, nowMillis) : tries.right(network, triedAtMillis),
        ),
      )
      return waitForTurn({ rank, path }, noted)
    })
  }
}

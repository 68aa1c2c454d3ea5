import { Clock, Deferred, Duration, Effect } from "effect"
import { type ApiError, serviceUnavailable } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { type Asker, FairWaitingRoom, firstShare, type Place, type Places } from "./fairWaitingRoom.ts"
import { RecentTries } from "./recentTries.ts"

/** Weight of the newest duration in the running mean. */
const newestShare = 0.2

/**
 * How many passwords may wait: as many as are called in time if each takes as long as those before. A first try has
 * less time, and others are called between: an owner on a new address is in soon, or hears at once that it is to try again.
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
  readonly called: Deferred.Deferred<void, ApiError<"service_unavailable">>
  wasCalled: boolean
}

/** Runs at most `threads` jobs at once; others wait to be called, at most `passwordWaitMillisMax`, or are refused. */
const makeWaitingRoom = (threads: number) => {
  let free = threads
  let workMillis: number | undefined
  const waiting = new FairWaitingRoom<Waiting>(() => passwordPlaces(threads, workMillis))

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
    next.wasCalled = true
    Deferred.doneUnsafe(next.called, Effect.void)
  }
  /** A caller that leaves gives up its place. If it was called meanwhile, the next one is called in its stead. */
  const leave = (one: Waiting) =>
    Effect.sync(() => {
      if (one.wasCalled) pass()
      else waiting.remove(one)
    })
  const waitFor = (one: Waiting, restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>) => {
    const outcast = waiting.add(one)
    if (outcast !== undefined) Deferred.doneUnsafe(outcast.called, Effect.fail(tooManyWait()))
    const inTime = Effect.timeoutOrElse(Deferred.await(one.called), {
      duration: limits.passwordWaitMillisMax,
      orElse: () => Effect.fail(tooManyWait()),
    })
    return Effect.onError(restore(inTime), () => leave(one))
  }

  return <A>(place: Place, work: Effect.Effect<A>): Effect.Effect<A, ApiError<"service_unavailable">> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const called = Deferred.makeUnsafe<void, ApiError<"service_unavailable">>()
        const isFree = free > 0
        if (isFree) free -= 1
        const joined = isFree ? Effect.void : waitFor({ ...place, called, wasCalled: false }, restore)
        return Effect.andThen(joined, Effect.ensuring(restore(timed(work)), Effect.sync(pass)))
      }),
    )
}

/**
 * Makes a queue that runs at most `threads` checks at once, in an order that `fairWaitingRoom.ts` decides. A stranger's rank
 * follows from its network's last ten minutes (`recentTries.ts`), to which its own try is added: `isWrong` says which
 * answers count against it. Fails with 503 if too many wait, or after `passwordWaitMillisMax` without being called.
 */
export const makePasswordQueue = (threads: number) => {
  const waitForCall = makeWaitingRoom(threads)
  const tries = new RecentTries()
  return <A>(
    asker: Asker,
    work: Effect.Effect<A>,
    isWrong: (answer: A) => boolean,
  ): Effect.Effect<A, ApiError<"service_unavailable">> => {
    if (asker.isKnown) return waitForCall({ rank: "known", path: asker.path }, work)
    const { network, path } = asker
    return Effect.flatMap(Clock.currentTimeMillis, (triedAtMillis) => {
      const rank = tries.tried(network, triedAtMillis)
      // Before the next call: whoever is called must be ranked by this answer.
      const noted = Effect.tap(work, (answer) =>
        Effect.map(Clock.currentTimeMillis, (nowMillis) =>
          isWrong(answer) ? tries.wrong(network, nowMillis) : tries.right(network, triedAtMillis),
        ),
      )
      return waitForCall({ rank, path }, noted)
    })
  }
}

import { Clock, Deferred, Effect, FiberSet } from "effect"
import type { Mode } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { Acquirers } from "../ports/acquirer.ts"
import { SellerClock } from "../ports/sellerClock.ts"
import type { SellerSettings } from "../ports/sellerStore.ts"
import type { StoreUnavailable } from "../ports/store.ts"
import { type DueTimer, TimerQueue } from "../ports/timerQueue.ts"
import { ActorFailed } from "../runtime/registry.ts"
import type { AskMessage, SellerMessage } from "./sellerMessages.ts"
import type { SellerPrograms } from "./sellerPrograms.ts"
import type { SellerTime } from "./sellerTime.ts"
import { timerNames } from "./transactionTransitions.ts"
import { withdrawalTimers } from "./withdrawalTransitions.ts"

/** What an actor remembers of its seller for a while. */
export interface Known {
  readonly settings: SellerSettings
  /** How far ahead the clock of its test mode is. */
  readonly offsetMillis: number
  readonly readAtMillis: number
}

/** Where programs run beside the actor. */
interface Place {
  readonly fibers: FiberSet.FiberSet
  readonly sizeMax: number
}

/** Runs a program beside the actor; `orElse` where as many as may be are under way. */
const beside = (
  { fibers, sizeMax }: Place,
  program: Effect.Effect<unknown>,
  orElse: Effect.Effect<unknown>,
) =>
  Effect.flatMap(FiberSet.size(fibers), (size) => (size < sizeMax ? FiberSet.run(fibers, program) : orElse))

/** A timer that breaks must not take the seller's other commands with it: its lease ends and it fires again. */
const firesAgain = (timer: DueTimer, fired: Effect.Effect<void, StoreUnavailable>) => {
  const name = `timer ${timer.name} of ${timer.resourceId}`
  return fired.pipe(
    Effect.catchTag("StoreUnavailable", (error) => Effect.logDebug(`${name} fires again: ${error.reason}`)),
    Effect.catchDefect((defect) => Effect.logError(`${name} broke and fires again`, defect)),
  )
}

const answer = <A, E>(reply: Deferred.Deferred<A, E>, program: Effect.Effect<A, E>) =>
  Effect.flatMap(Effect.exit(program), (exit) => Deferred.done(reply, exit))

/** What a seller's actor remembers, kept fresh, and the seller's time by it. */
const makeMemory = Effect.fnUntraced(function* (
  sellerId: string,
  first: Known,
  reload: Effect.Effect<Known, { readonly _tag: string }>,
) {
  const clock = yield* SellerClock
  let known = first

  const timeOf = (mode: Mode): Effect.Effect<SellerTime> =>
    Effect.map(Clock.currentTimeMillis, (trueMillis) => {
      const offsetMillis = mode === "test" ? known.offsetMillis : 0
      return { nowMillis: trueMillis + offsetMillis, offsetMillis }
    })

  return {
    settings: () => known.settings,
    timeOf,
    /** Asks first how far test mode's clock is: another process may have advanced it just now. */
    freshTimeOf: (mode: Mode): Effect.Effect<SellerTime, StoreUnavailable> =>
      mode === "live"
        ? timeOf(mode)
        : Effect.flatMap(clock.offsetMillis(sellerId), (offsetMillis) => {
            known = { ...known, offsetMillis }
            return timeOf(mode)
          }),
    setOffset: (offsetMillis: number) => {
      known = { ...known, offsetMillis }
    },
    refresh: Effect.gen(function* () {
      const ageMillis = (yield* Clock.currentTimeMillis) - known.readAtMillis
      if (ageMillis <= limits.sellerSettingsMaxAgeMillis) return
      known = yield* Effect.orElseSucceed(reload, () => known)
    }),
  }
})

type Memory = Effect.Success<ReturnType<typeof makeMemory>>

/** The programs that a message runs, with the settings and the time of the seller. */
const programOf = (message: SellerMessage, programs: SellerPrograms, memory: Memory) => {
  const withTime = <A, E>(mode: Mode, run: (time: SellerTime) => Effect.Effect<A, E>) =>
    Effect.flatMap(memory.freshTimeOf(mode), run)
  switch (message._tag) {
    case "CreateTransaction":
      return answer(
        message.reply,
        Effect.flatMap(memory.timeOf(message.principal.mode), (time) =>
          programs.createTransaction(message, memory.settings(), time),
        ),
      )
    case "CreateWithdrawal":
      return answer(
        message.reply,
        withTime(message.principal.mode, (time) => programs.createWithdrawal(message, time)),
      )
    case "DecideWithdrawal": {
      const { withdrawal, act, reason } = message
      return answer(
        message.reply,
        withTime(withdrawal.mode, (time) => programs.decideWithdrawal(withdrawal.id, act, reason, time)),
      )
    }
    case "ForceTransaction": {
      const { transaction, to } = message
      return answer(
        message.reply,
        withTime(transaction.mode, (time) =>
          programs.forceTransaction(transaction, to, memory.settings(), time),
        ),
      )
    }
    case "Ask":
      return answer(message.reply, asked(message, programs, memory))
    case "FireTimer": {
      const { timer, transaction } = message
      const fired = withTime(transaction.mode, (time) =>
        programs.fireTimer(timer, transaction, memory.settings(), time),
      )
      return firesAgain(timer, fired)
    }
    case "FireWithdrawalTimer": {
      const { timer, withdrawal } = message
      const fired = withTime(withdrawal.mode, (time) => programs.fireWithdrawalTimer(timer, withdrawal, time))
      return firesAgain(timer, fired)
    }
    case "ClockAdvanced":
      return Effect.sync(() => memory.setOffset(message.offsetMillis))
  }
}

const asked = ({ about }: AskMessage, programs: SellerPrograms, memory: Memory) => {
  if ("withdrawal" in about) {
    const { id, mode } = about.withdrawal
    return Effect.flatMap(memory.freshTimeOf(mode), (time) => programs.askPayout(id, time))
  }
  const { transaction, noticed } = about
  return Effect.flatMap(memory.freshTimeOf(transaction.mode), (time) =>
    programs.askCharge(transaction, noticed.endToEndId, memory.settings(), time),
  ).pipe(Effect.map((found) => programs.answerToNotice(found, noticed)))
}

/**
 * What a seller's actor does with its messages. What asks a remote partner must not hold up the seller's other commands
 * and runs beside, as many at a time as may be. So do charges of a local one: they need no order among themselves, and
 * the next should not wait for Redis to have those before on its disk; one too many is awaited, and the mailbox fills.
 * The rest is awaited by its batch.
 */
export const makeBehaviour = Effect.fnUntraced(function* (
  sellerId: string,
  first: Known,
  programs: SellerPrograms,
  reload: Effect.Effect<Known, { readonly _tag: string }>,
) {
  const acquirers = yield* Acquirers
  const timers = yield* TimerQueue
  const memory = yield* makeMemory(sellerId, first, reload)
  const placeFor = (sizeMax: number) => Effect.map(FiberSet.make(), (fibers): Place => ({ fibers, sizeMax }))
  const creating = yield* placeFor(limits.commitBatchMax)
  const charging = yield* placeFor(limits.partnerCallsPerSellerMax)
  const asking = yield* placeFor(limits.partnerCallsPerSellerMax)

  const refuse = <A>(reply: Deferred.Deferred<A, StoreUnavailable | ActorFailed>) =>
    Deferred.fail(reply, new ActorFailed({ actor: `seller ${sellerId}` }))

  /** Where a message's program runs beside, and what becomes of one too many. */
  const aside = (message: SellerMessage): readonly [Place, Effect.Effect<unknown>] | undefined => {
    switch (message._tag) {
      case "CreateTransaction":
        return acquirers[message.principal.mode].isLocal
          ? [creating, programOf(message, programs, memory)]
          : [charging, refuse(message.reply)]
      case "Ask":
        return [asking, refuse(message.reply)]
      case "FireTimer": {
        const isLocal =
          message.timer.name === timerNames.release || acquirers[message.transaction.mode].isLocal
        // Its lease ends and it fires again.
        return isLocal ? undefined : [asking, Effect.void]
      }
      case "FireWithdrawalTimer": {
        const isLocal =
          message.timer.name === withdrawalTimers.decide || acquirers[message.withdrawal.mode].isLocal
        return isLocal ? undefined : [asking, Effect.void]
      }
      default:
        return undefined
    }
  }

  /** What runs beside may wait for a partner for longer than a claimed timer is leased: it is leased for longer first. */
  const programAside = (message: SellerMessage): Effect.Effect<unknown> => {
    const isTimer = message._tag === "FireTimer" || message._tag === "FireWithdrawalTimer"
    // Handing a payout over ends its timer before the partner is called.
    if (!isTimer || message.timer.name === withdrawalTimers.pay) return programOf(message, programs, memory)
    const leased = timers.postpone(message.timer, limits.partnerTimerLeaseMillis)
    const fired = Effect.flatMap(leased, (timer) =>
      timer === undefined ? Effect.void : Effect.asVoid(programOf({ ...message, timer }, programs, memory)),
    )
    return firesAgain(message.timer, fired)
  }

  const handle = (message: SellerMessage): Effect.Effect<unknown> => {
    const place = aside(message)
    return place === undefined
      ? programOf(message, programs, memory)
      : beside(place[0], programAside(message), place[1])
  }

  return (batch: ReadonlyArray<SellerMessage>) =>
    Effect.gen(function* () {
      yield* memory.refresh
      if (batch.length === 1 && batch[0] !== undefined) yield* handle(batch[0])
      else yield* Effect.forEach(batch, handle, { concurrency: "unbounded", discard: true })
    })
})

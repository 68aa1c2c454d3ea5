import { Deferred, Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { Acquirers } from "../ports/acquirer.ts"
import type { StoreUnavailable } from "../ports/store.ts"
import type { DueTimer, TimerQueue } from "../ports/timerQueue.ts"
import { ActorFailed, type ActorSelf } from "../runtime/actor.ts"
import type { Behaviour } from "../runtime/registry.ts"
import type { SellerTime } from "./decisions/sellerTime.ts"
import { timerNames } from "./decisions/transactionTransitions.ts"
import { withdrawalTimers } from "./decisions/withdrawalTransitions.ts"
import type { SellerMemory } from "./sellerMemory.ts"
import type { FireTimersMessage, ReconcileMessage, SellerMessage } from "./sellerMessages.ts"
import type { SellerPrograms } from "./sellerPrograms.ts"

/** Where programs run beside the actor, and how many do. */
interface Lane {
  readonly sizeMax: number
  size: number
}

/** Runs a program beside the actor; `orElse` where as many as may be are under way. */
const runInLane = (
  self: ActorSelf<SellerMessage>,
  lane: Lane,
  program: Effect.Effect<unknown>,
  orElse: Effect.Effect<unknown>,
): Effect.Effect<unknown> =>
  Effect.suspend(() => {
    if (lane.size >= lane.sizeMax) return orElse
    lane.size += 1
    const left = Effect.sync(() => {
      lane.size -= 1
    })
    return self.run(Effect.ensuring(program, left))
  })

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

/** The programs that a message runs, with the settings and the time of the seller. */
const programOf = (message: SellerMessage, programs: SellerPrograms, memory: SellerMemory) => {
  const withTime = <A, E>(mode: Mode, run: (time: SellerTime) => Effect.Effect<A, E>) =>
    Effect.flatMap(memory.freshTimeOf(mode), run)
  switch (message._tag) {
    case "CreateTransaction":
      return answer(
        message.reply,
        Effect.flatMap(memory.timeOf(message.principal.mode), (time) =>
          programs.createTransaction(message, memory.settings, time),
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
    case "SimulateOutcome": {
      const { transaction, to } = message
      return answer(
        message.reply,
        withTime(transaction.mode, (time) =>
          programs.simulateOutcome(transaction, to, memory.settings, time),
        ),
      )
    }
    case "Reconcile":
      return answer(message.reply, asked(message, programs, memory))
    case "FireTimer": {
      const { timer, transaction } = message
      const fired = withTime(transaction.mode, (time) =>
        programs.fireTimer(timer, transaction, memory.settings, time),
      )
      return firesAgain(timer, fired)
    }
    case "FireTimers":
      return Effect.ensuring(
        firedTogether(message, programs, memory),
        Deferred.succeed(message.reply, undefined),
      )
    case "FireWithdrawalTimer": {
      const { timer, withdrawal } = message
      const fired = withTime(withdrawal.mode, (time) => programs.fireWithdrawalTimer(timer, withdrawal, time))
      return firesAgain(timer, fired)
    }
    case "ClockAdvanced":
      return Effect.sync(() => memory.setOffset(message.offsetMillis))
  }
}

/** Timers that came due together; each comes with its charge and how far ahead the seller's clock was. */
const firedTogether = (
  { due }: FireTimersMessage,
  programs: SellerPrograms,
  memory: SellerMemory,
): Effect.Effect<void> =>
  Effect.forEach(
    due,
    ({ timer, charge: { transaction, offsetMillis } }) => {
      const fired = Effect.flatMap(memory.timeSince(transaction.mode, offsetMillis), (time) =>
        programs.fireTimer(timer, transaction, memory.settings, time),
      )
      return firesAgain(timer, fired)
    },
    { concurrency: "unbounded", discard: true },
  )

const asked = ({ about }: ReconcileMessage, programs: SellerPrograms, memory: SellerMemory) => {
  if ("withdrawal" in about) {
    const { id, mode } = about.withdrawal
    return Effect.flatMap(memory.freshTimeOf(mode), (time) => programs.reconcilePayout(id, time))
  }
  const { transaction, noticed } = about
  return Effect.flatMap(memory.freshTimeOf(transaction.mode), (time) =>
    programs.reconcileCharge(transaction, noticed.endToEndId, memory.settings, time),
  ).pipe(Effect.map((found) => programs.answerToNotice(found, noticed)))
}

/** What a seller's actor works with. */
export interface SellerParts {
  readonly sellerId: string
  readonly self: ActorSelf<SellerMessage>
  readonly memory: SellerMemory
  readonly programs: SellerPrograms
  readonly acquirers: Acquirers["Service"]
  readonly timers: TimerQueue["Service"]
}

/**
 * The lanes beside an actor, by what runs there. What asks a remote partner has one for each kind: charges that hang
 * there must hold up neither a payout nor what notices tell of.
 */
interface Lanes {
  /** Charges of a local partner. */
  readonly creating: Lane
  /** Charges of a remote one. */
  readonly charging: Lane
  /** Charges that are asked about by their timers. */
  readonly polling: Lane
  /** Charges that notices tell of. */
  readonly noticing: Lane
  /** Payouts: sent, asked about by their timers, and told of by notices. */
  readonly paying: Lane
  /** Charges' timers that came due together. */
  readonly firing: Lane
}

/** Whether a charge's timer asks a remote partner. */
const isAsking = (timer: DueTimer, mode: Mode, acquirers: Acquirers["Service"]): boolean =>
  timer.name !== timerNames.release && !acquirers[mode].isLocal

/** Where a message's program runs beside the actor, and what becomes of one too many; undefined: it is awaited. */
const laneOf = (
  message: SellerMessage,
  { sellerId, acquirers }: SellerParts,
  { creating, charging, polling, noticing, paying, firing }: Lanes,
): readonly [Lane, orElse: Effect.Effect<unknown> | "await"] | undefined => {
  const refuse = <A>(reply: Deferred.Deferred<A, StoreUnavailable | ActorFailed>) =>
    Effect.suspend(() => Deferred.fail(reply, new ActorFailed({ actor: `seller ${sellerId}` })))
  switch (message._tag) {
    case "CreateTransaction":
      return acquirers[message.principal.mode].isLocal
        ? [creating, "await"]
        : [charging, refuse(message.reply)]
    case "Reconcile":
      return ["withdrawal" in message.about ? paying : noticing, refuse(message.reply)]
    case "FireTimer":
      // Its lease ends and it fires again.
      return isAsking(message.timer, message.transaction.mode, acquirers) ? [polling, Effect.void] : undefined
    case "FireTimers":
      return [firing, "await"]
    case "FireWithdrawalTimer": {
      const isLocal =
        message.timer.name === withdrawalTimers.decide || acquirers[message.withdrawal.mode].isLocal
      return isLocal ? undefined : [paying, Effect.void]
    }
    default:
      return undefined
  }
}

/** What runs beside may wait for a partner for longer than a claimed timer is leased: it is leased for longer first. */
const programInLane = (
  message: SellerMessage,
  { programs, memory, timers }: SellerParts,
): Effect.Effect<unknown> => {
  const isTimer = message._tag === "FireTimer" || message._tag === "FireWithdrawalTimer"
  // Handing a payout over ends its timer before the partner is called.
  if (!isTimer || message.timer.name === withdrawalTimers.pay) return programOf(message, programs, memory)
  const leased = timers.postpone(message.timer, limits.partnerTimerLeaseMillis)
  const fired = Effect.flatMap(leased, (timer) =>
    timer === undefined ? Effect.void : Effect.asVoid(programOf({ ...message, timer }, programs, memory)),
  )
  return firesAgain(message.timer, fired)
}

/**
 * What a seller's actor does with its messages. What asks a remote partner must not hold up the seller's other commands
 * and runs beside, as many at a time as may be. So do charges of a local one: they need no order among themselves, and
 * the next should not wait for Redis to have those before on its disk; one too many is awaited, and the mailbox fills.
 * Nor do charges wait for timers that came due: whoever claimed these bounds how many there are. The rest is awaited by
 * its batch.
 */
export const makeBehaviour = (parts: SellerParts): Behaviour<SellerMessage> => {
  const { self, memory, programs } = parts
  const lanes: Lanes = {
    creating: { sizeMax: limits.commitBatchMax, size: 0 },
    charging: { sizeMax: limits.partnerCallsPerSellerMax, size: 0 },
    polling: { sizeMax: limits.partnerCallsPerSellerMax, size: 0 },
    noticing: { sizeMax: limits.partnerCallsPerSellerMax, size: 0 },
    paying: { sizeMax: limits.partnerCallsPerSellerMax, size: 0 },
    firing: { sizeMax: limits.dueTimersInHandMax, size: 0 },
  }

  /** Timers whose firing asks a remote partner run beside one by one; the others of the message together. */
  const fireTogether = (message: FireTimersMessage): Effect.Effect<unknown> => {
    const asks = ({ timer, charge }: FireTimersMessage["due"][number]) =>
      isAsking(timer, charge.transaction.mode, parts.acquirers)
    const together = message.due.filter((due) => !asks(due))
    return Effect.andThen(
      Effect.forEach(
        message.due.filter(asks),
        ({ timer, charge }) => handleOne({ _tag: "FireTimer", timer, transaction: charge.transaction }),
        { discard: true },
      ),
      handleOne({ ...message, due: together }),
    )
  }

  const handle = (message: SellerMessage): Effect.Effect<unknown> =>
    message._tag === "FireTimers" ? fireTogether(message) : handleOne(message)

  const handleOne = (message: SellerMessage): Effect.Effect<unknown> => {
    const found = laneOf(message, parts, lanes)
    if (found === undefined) return programOf(message, programs, memory)
    const program = programInLane(message, parts)
    const [lane, orElse] = found
    return runInLane(self, lane, program, orElse === "await" ? program : orElse)
  }

  const handleAll = (batch: ReadonlyArray<SellerMessage>): Effect.Effect<unknown> => {
    const [first] = batch
    if (batch.length === 1 && first !== undefined) return handle(first)
    return Effect.forEach(batch, handle, { concurrency: "unbounded", discard: true })
  }

  return (batch) => Effect.andThen(memory.refresh, Effect.asVoid(handleAll(batch)))
}

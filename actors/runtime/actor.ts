import { type Cause, Effect, Exit, Queue, Schema, Scope } from "effect"
import { hasCallerLeft } from "./callerLeft.ts"

/** The actor failed on this message or is stopping; its state is rebuilt from the store for the next one. */
export class ActorFailed extends Schema.TaggedError<ActorFailed>()("ActorFailed", {
  actor: Schema.String,
}) {}

/** What an actor may do to itself. */
export interface ActorSelf<Message> {
  /** Puts a message into its own mailbox; false when that is full. */
  readonly tell: (message: Message) => boolean
  /** Keeps the actor in memory while it has work of its own in progress. */
  readonly setBusy: (isBusy: boolean) => void
  /** Runs a program in a fiber of its own, without waiting for it; interrupted when the actor ends. */
  readonly run: (program: Effect.Effect<unknown>) => Effect.Effect<void>
}

/** A caller that waits for the answer to a message. */
export interface Asker {
  readonly fiber: object
  readonly fail: (failure: ActorFailed) => void
}

/** A running actor: its mailbox, and what keeps it in memory. */
export class Actor<Message> implements ActorSelf<Message> {
  readonly key: string
  /** Ended to make the actor leave memory. */
  readonly mailbox: Queue.Queue<Message, Cause.Done>
  /** Owns what the actor has opened and the programs it runs. */
  readonly scope = Scope.makeUnsafe()
  /** Callers that wait, by message: a failure of the actor must not leave them waiting. */
  readonly waiting = new Map<Message, Asker>()
  isBusy = false

  constructor(key: string, mailbox: Queue.Queue<Message, Cause.Done>) {
    this.key = key
    this.mailbox = mailbox
  }

  tell(message: Message): boolean {
    return Queue.offerUnsafe(this.mailbox, message)
  }

  setBusy(isBusy: boolean): void {
    this.isBusy = isBusy
  }

  run(program: Effect.Effect<unknown>): Effect.Effect<void> {
    return Effect.asVoid(Effect.forkIn(program, this.scope, { startImmediately: true }))
  }

  /** Takes what has gathered in the mailbox, without suspending; undefined when it is empty. */
  gathered(batchMax: number): Array<Message> | undefined {
    const count = Math.min(Queue.sizeUnsafe(this.mailbox), batchMax)
    if (count === 0) return undefined
    const batch: Array<Message> = []
    for (let i = 0; i < count; i++) {
      const taken = Queue.takeUnsafe(this.mailbox)
      if (taken !== undefined && Exit.isSuccess(taken)) batch.push(taken.value)
    }
    return batch
  }

  /** Drops the messages of a batch whose callers have gone. */
  wanted(batch: Array<Message>, failure: () => ActorFailed): Array<Message> {
    if (this.waiting.size === 0) return batch
    return batch.filter((message) => {
      const asker = this.waiting.get(message)
      if (asker === undefined || !hasCallerLeft(asker.fiber)) return true
      asker.fail(failure())
      return false
    })
  }

  /** Whether nothing is in progress and nobody waits. */
  get isIdle(): boolean {
    return !this.isBusy && this.waiting.size === 0 && Queue.sizeUnsafe(this.mailbox) === 0
  }
}

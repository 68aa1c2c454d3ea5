import { type Cause, Effect, Exit, Queue, Schema, Scope } from "effect"
import { hasGone } from "./gone.ts"

/** The actor failed on this message or is stopping; its state is rebuilt from the store for the next one. */
export class ActorFailed extends Schema.TaggedError<ActorFailed>()("ActorFailed", {
  actor: Schema.String,
}) {}

/** What an actor may do with itself. */
export interface ActorSelf<Message> {
  /** Puts a message into its own mailbox; false when that is full. */
  readonly tell: (message: Message) => boolean
  /** Keeps the actor in memory while it has work of its own under way. */
  readonly setBusy: (isBusy: boolean) => void
  /** Runs a program beside the actor, which does not wait for it; interrupted when the actor ends. */
  readonly run: (program: Effect.Effect<unknown>) => Effect.Effect<void>
}

/** Who waits for the answer to a message. */
export interface Asker {
  readonly fiber: object
  readonly fail: (failure: ActorFailed) => void
}

/** One of the living: its mailbox, and what keeps it in memory. */
export class Actor<Message> implements ActorSelf<Message> {
  readonly key: string
  /** Ended when the actor is to leave. */
  readonly mailbox: Queue.Queue<Message, Cause.Done>
  /** What it has opened and what runs beside it. */
  readonly scope = Scope.makeUnsafe()
  /** Who waits for an answer, by the message: a failure of the actor must not leave them waiting. */
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

  /** What has gathered in the mailbox already, without suspending; undefined when it is empty. */
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

  /** Those of a batch for whose answer somebody still waits, or that ask for none. */
  wanted(batch: Array<Message>, failure: () => ActorFailed): Array<Message> {
    if (this.waiting.size === 0) return batch
    return batch.filter((message) => {
      const asker = this.waiting.get(message)
      if (asker === undefined || !hasGone(asker.fiber)) return true
      asker.fail(failure())
      return false
    })
  }

  /** Whether nothing is under way and nobody waits for it. */
  get isIdle(): boolean {
    return !this.isBusy && this.waiting.size === 0 && Queue.sizeUnsafe(this.mailbox) === 0
  }
}

import { Cause, Deferred, Effect, Exit, Option, Queue, Schema, type Scope } from "effect"

/** The actor's mailbox is full: the caller should come back (rule 5: 503 and `Retry-After`). */
export class MailboxFull extends Schema.TaggedError<MailboxFull>()("MailboxFull", {
  actor: Schema.String,
}) {}

/** The actor failed on this message or is stopping; its state is rebuilt from the store for the next one. */
export class ActorFailed extends Schema.TaggedError<ActorFailed>()("ActorFailed", {
  actor: Schema.String,
}) {}

/** What an actor does with the messages that have gathered while it worked: at least one, in order. */
export type Behaviour<Message> = (batch: ReadonlyArray<Message>) => Effect.Effect<void>

/** How the actors of one kind live. */
export interface ActorKind<Message, E> {
  readonly name: string
  /** Builds an actor's state; runs again after each failure. Its scope ends with the actor. */
  readonly start: (key: string, self: ActorSelf<Message>) => Effect.Effect<Behaviour<Message>, E, Scope.Scope>
  readonly mailboxCapacity: number
  /** Messages one turn takes at most. */
  readonly batchMax: number
  /** Without a message for so long, the actor leaves memory, unless it is busy or owes an answer. */
  readonly idleMillis: number
}

/** What an actor may do with itself. */
export interface ActorSelf<Message> {
  /** Puts a message into its own mailbox; false when that is full. */
  readonly tell: (message: Message) => boolean
  /** Keeps the actor in memory while it has work of its own under way. */
  readonly setBusy: (isBusy: boolean) => void
}

/** The living actors of one kind, by key. */
export interface Registry<Message> {
  /**
   * Delivers a message, starting the actor when it sleeps. Does not wait for its handling, and drops the message when
   * the registry's scope has ended.
   */
  readonly tell: (key: string, message: Message) => Effect.Effect<void, MailboxFull>
  /**
   * Sends a message that carries the place of its answer, and waits for it. `build` puts the deferred into the message.
   * Fails with what the actor answers, `MailboxFull`, or `ActorFailed` when it could not start, broke on the way or
   * ended with the registry's scope.
   */
  readonly ask: <A, F>(
    key: string,
    build: (reply: Deferred.Deferred<A, F | ActorFailed>) => Message,
  ) => Effect.Effect<A, F | MailboxFull | ActorFailed>
  /** How many live in memory. */
  readonly size: () => number
}

type Offered = Effect.Effect<void, MailboxFull | ActorFailed>

interface Actor<Message> {
  readonly key: string
  readonly mailbox: Queue.Queue<Message>
  /** Answers that a failure of the actor must not leave waiting. */
  readonly waiting: Set<(failure: ActorFailed) => void>
  isBusy: boolean
}

/**
 * Makes a registry whose actors live in the current scope. Each actor is one fiber that takes what has gathered in
 * its bounded mailbox, handles it, and leaves memory when it has been idle. A defect fails the answers that wait, is
 * logged, and the next message starts the actor anew from the store: truth is never in an actor (rule 2).
 */
export const makeRegistry = Effect.fnUntraced(function* <Message, E>(kind: ActorKind<Message, E>) {
  const scope = yield* Effect.scope
  const actors = new Map<string, Actor<Message>>()

  const nameOf = (key: string) => `${kind.name} ${key}`

  const forget = (actor: Actor<Message>) => {
    if (actors.get(actor.key) === actor) actors.delete(actor.key)
  }

  /** Frees its place for the next of its key, and leaves nobody waiting for it. */
  const leave = (actor: Actor<Message>) => {
    forget(actor)
    const failure = new ActorFailed({ actor: nameOf(actor.key) })
    for (const fail of actor.waiting) fail(failure)
    actor.waiting.clear()
  }

  const mayGo = (actor: Actor<Message>) =>
    !actor.isBusy && actor.waiting.size === 0 && Queue.sizeUnsafe(actor.mailbox) === 0

  /** Waits for messages; undefined when the actor has been idle and may go. */
  const nextBatch = (actor: Actor<Message>) =>
    Queue.takeBetween(actor.mailbox, 1, kind.batchMax).pipe(
      Effect.timeoutOption(kind.idleMillis),
      Effect.map(Option.getOrUndefined),
    )

  const live = Effect.fnUntraced(function* (actor: Actor<Message>) {
    const behaviour = yield* kind.start(actor.key, {
      tell: (message) => Queue.offerUnsafe(actor.mailbox, message),
      setBusy: (isBusy) => {
        actor.isBusy = isBusy
      },
    })
    while (true) {
      const batch = takeNow(actor.mailbox, kind.batchMax) ?? (yield* nextBatch(actor))
      if (batch !== undefined) yield* behaviour(batch)
      else if (mayGo(actor)) return forget(actor)
    }
  })

  const startActor = Effect.fnUntraced(function* (key: string) {
    const mailbox = yield* Queue.dropping<Message>(kind.mailboxCapacity)
    // Another caller may have started it while this one made the mailbox.
    if (actors.has(key)) return
    const actor: Actor<Message> = { key, mailbox, waiting: new Set(), isBusy: false }
    actors.set(key, actor)
    const fiber = yield* live(actor).pipe(
      // Before its scope ends, which may take a while: what comes meanwhile must find its successor.
      Effect.onExit((exit) =>
        Effect.suspend(() => {
          leave(actor)
          return Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
            ? Effect.logError(`${nameOf(key)} failed and starts anew`, exit.cause)
            : Effect.void
        }),
      ),
      Effect.scoped,
      Effect.exit,
      Effect.forkIn(scope),
    )
    // An actor that is interrupted before its first step never comes to its own end.
    fiber.addObserver(() => leave(actor))
  })

  /** Finding the actor and filling its mailbox is one step: no passivation can come between. */
  const offer = (key: string, message: Message, onFound: (actor: Actor<Message>) => void): Offered =>
    Effect.suspend(() => {
      const actor = actors.get(key)
      if (actor === undefined) {
        if (scope.state._tag === "Closed") return Effect.fail(new ActorFailed({ actor: nameOf(key) }))
        return Effect.andThen(startActor(key), offer(key, message, onFound))
      }
      if (!Queue.offerUnsafe(actor.mailbox, message)) {
        return Effect.fail(new MailboxFull({ actor: nameOf(key) }))
      }
      onFound(actor)
      return Effect.void
    })

  const ask = <A, F>(key: string, build: (reply: Deferred.Deferred<A, F | ActorFailed>) => Message) =>
    Effect.suspend(() => {
      const reply = Deferred.makeUnsafe<A, F | ActorFailed>()
      const fail = (failure: ActorFailed) => {
        Deferred.doneUnsafe(reply, Effect.fail(failure))
      }
      let found: Actor<Message> | undefined
      const remember = (actor: Actor<Message>) => {
        found = actor
        actor.waiting.add(fail)
      }
      return Effect.andThen(offer(key, build(reply), remember), Deferred.await(reply)).pipe(
        Effect.onExit(() => Effect.sync(() => found?.waiting.delete(fail))),
      )
    })

  const registry: Registry<Message> = {
    tell: (key, message) =>
      Effect.catchTag(
        offer(key, message, () => {}),
        "ActorFailed",
        () => Effect.void,
      ),
    ask,
    size: () => actors.size,
  }
  return registry
})

/** What has gathered already, without suspending; undefined when the mailbox is empty. */
const takeNow = <Message>(mailbox: Queue.Queue<Message>, batchMax: number): Array<Message> | undefined => {
  const count = Math.min(Queue.sizeUnsafe(mailbox), batchMax)
  if (count === 0) return undefined
  const batch: Array<Message> = []
  for (let i = 0; i < count; i++) {
    const taken = Queue.takeUnsafe(mailbox)
    if (taken !== undefined && Exit.isSuccess(taken)) batch.push(taken.value)
  }
  return batch
}

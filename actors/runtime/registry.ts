import { Cause, Clock, Deferred, Effect, Exit, Queue, Schema, Scope } from "effect"

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
  /** Runs a program beside the actor, which does not wait for it; interrupted when the actor ends. */
  readonly run: (program: Effect.Effect<unknown>) => Effect.Effect<void>
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

type Fail = (failure: ActorFailed) => void

interface Actor<Message> {
  readonly key: string
  /** Ended when the actor is to leave. */
  readonly mailbox: Queue.Queue<Message, Cause.Done>
  /** What it has opened and what runs beside it. */
  readonly scope: Scope.Closeable
  /** Answers that a failure of the actor must not leave waiting. */
  readonly waiting: Set<Fail>
  isBusy: boolean
}

/**
 * Makes a registry whose actors live in the current scope. Each actor is one fiber that takes what has gathered in
 * its bounded mailbox, handles it, and leaves memory when it has been idle. A defect fails the answers that wait, is
 * logged, and the next message starts the actor anew from the store: truth is never in an actor (rule 2).
 */
export const makeRegistry = Effect.fnUntraced(function* <Message, E>(kind: ActorKind<Message, E>) {
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock
  const actors = new Map<string, Actor<Message>>()
  /** Actors that wait for a message, and since when: the one that has waited longest stands first. */
  const resting = new Map<Actor<Message>, number>()

  const nameOf = (key: string) => `${kind.name} ${key}`

  const forget = (actor: Actor<Message>) => {
    if (actors.get(actor.key) === actor) actors.delete(actor.key)
    resting.delete(actor)
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

  /** Ends those that have been idle for long enough; the answer is how long, in ms, until the next may be. */
  const passivate = (): number => {
    const nowMillis = clock.currentTimeMillisUnsafe()
    for (const [actor, sinceMillis] of resting) {
      const restedMillis = nowMillis - sinceMillis
      if (restedMillis >= 0 && restedMillis < kind.idleMillis) return kind.idleMillis - restedMillis
      resting.delete(actor)
      // Its rest begins anew where it may not go, and where the machine's clock was set back.
      if (restedMillis < 0 || !mayGo(actor)) resting.set(actor, nowMillis)
      else {
        forget(actor)
        Queue.endUnsafe(actor.mailbox)
      }
    }
    return kind.idleMillis
  }

  /** Waits for messages; undefined when the actor is to leave. */
  const nextBatch = (actor: Actor<Message>) =>
    Effect.suspend(() => {
      resting.set(actor, clock.currentTimeMillisUnsafe())
      return Queue.takeBetween(actor.mailbox, 1, kind.batchMax)
    }).pipe(
      Effect.tap(() => Effect.sync(() => resting.delete(actor))),
      Effect.orElseSucceed(() => undefined),
    )

  const live = Effect.fnUntraced(function* (actor: Actor<Message>) {
    const started = kind.start(actor.key, {
      tell: (message) => Queue.offerUnsafe(actor.mailbox, message),
      setBusy: (isBusy) => {
        actor.isBusy = isBusy
      },
      run: (program) => Effect.asVoid(Effect.forkIn(program, actor.scope, { startImmediately: true })),
    })
    // Only here: a context of its own for as long as it lives would be a copy of all services for each actor.
    const behaviour = yield* Scope.provide(started, actor.scope)
    while (true) {
      const batch = takeNow(actor.mailbox, kind.batchMax) ?? (yield* nextBatch(actor))
      if (batch === undefined) return
      yield* behaviour(batch)
    }
  })

  const startActor = Effect.fnUntraced(function* (key: string) {
    const mailbox = yield* Queue.dropping<Message, Cause.Done>(kind.mailboxCapacity)
    // Another caller may have started it while this one made the mailbox.
    if (actors.has(key)) return
    const actor = { key, mailbox, scope: Scope.makeUnsafe(), waiting: new Set<Fail>(), isBusy: false }
    actors.set(key, actor)
    const fiber = yield* live(actor).pipe(
      Effect.onExit((exit) =>
        Effect.suspend(() => {
          // Before its scope ends, which may take a while: what comes meanwhile must find its successor.
          leave(actor)
          const hasFailed = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
          const logged = hasFailed
            ? Effect.logError(`${nameOf(key)} failed and starts anew`, exit.cause)
            : Effect.void
          return Effect.andThen(logged, Scope.close(actor.scope, exit))
        }),
      ),
      Effect.exit,
      Effect.forkIn(scope),
    )
    // An actor that is interrupted before its first step never comes to its own end.
    fiber.addObserver(() => leave(actor))
  })

  yield* Effect.suspend(() => Effect.sleep(passivate())).pipe(Effect.forever, Effect.forkIn(scope))

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
const takeNow = <Message, E>(
  mailbox: Queue.Queue<Message, E>,
  batchMax: number,
): Array<Message> | undefined => {
  const count = Math.min(Queue.sizeUnsafe(mailbox), batchMax)
  if (count === 0) return undefined
  const batch: Array<Message> = []
  for (let i = 0; i < count; i++) {
    const taken = Queue.takeUnsafe(mailbox)
    if (taken !== undefined && Exit.isSuccess(taken)) batch.push(taken.value)
  }
  return batch
}

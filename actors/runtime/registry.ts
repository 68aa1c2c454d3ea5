import { Cause, Clock, Deferred, Effect, Exit, type Fiber, Queue, Schema, Scope } from "effect"
import { makeRegistrar } from "../metrics/registrar.ts"
import { outsideSpans } from "../values/traceSpan.ts"
import { Actor, ActorFailed, type ActorSelf } from "./actor.ts"
import { IdleTracker } from "./idleTracker.ts"

/** The actor's mailbox is full: 503 and `Retry-After` for whoever asked (docs/architecture.md#rule-5). */
export class MailboxFull extends Schema.TaggedError<MailboxFull>()("MailboxFull", {
  actor: Schema.String,
}) {}

/** Handles the messages that gathered while the actor worked: at least one, in order. */
export type Behaviour<Message> = (batch: ReadonlyArray<Message>) => Effect.Effect<void>

/** A kind of actor. */
export interface ActorKind<Message, E> {
  readonly name: string
  /** Builds an actor's state; runs again after each failure. Its scope ends with the actor. */
  readonly start: (key: string, self: ActorSelf<Message>) => Effect.Effect<Behaviour<Message>, E, Scope.Scope>
  readonly mailboxCapacity: number
  /** The most messages a batch takes. */
  readonly batchMax: number
  /** How long an actor without a message stays in memory, unless it is busy or owes an answer. */
  readonly idleMillis: number
}

/** The running actors of one kind, by key. */
export interface Registry<Message> {
  /**
   * Delivers a message and does not wait for it to be handled; starts the actor where it is not in memory. Drops the message
   * once the registry's scope has ended.
   */
  readonly tell: (key: string, message: Message) => Effect.Effect<void, MailboxFull>
  /**
   * Sends a message that carries its reply, and waits for the answer. `build` puts the deferred into the message, and may keep what
   * it needs of the fiber that asks. Fails with
   * what the actor answers, `MailboxFull`, or `ActorFailed` when the actor could not start, failed, or ended with the
   * registry's scope.
   */
  readonly ask: <A, F>(
    key: string,
    build: (reply: Deferred.Deferred<A, F | ActorFailed>, asker: Fiber.Fiber<unknown, unknown>) => Message,
  ) => Effect.Effect<A, F | MailboxFull | ActorFailed>
  /** How many are in memory. */
  readonly size: () => number
}

type Offered = Effect.Effect<void, MailboxFull | ActorFailed>

/** Shows the actors of a kind among the metrics. Mailboxes are counted when metrics are scraped, not as they fill. */
const registerMetrics = <Message>(kind: string, actors: ReadonlyMap<string, Actor<Message>>) =>
  Effect.map(makeRegistrar, ({ gauge }) => {
    const labels = { kind }
    gauge({ name: "corrente_actors_awake", description: "Actors in memory", labels }, () => actors.size)
    const mailboxes = {
      name: "corrente_mailbox_messages",
      description: "Messages that wait for actors",
      labels,
    }
    gauge(mailboxes, () => {
      let messages = 0
      for (const { mailbox } of actors.values()) messages += Queue.sizeUnsafe(mailbox)
      return messages
    })
  })

/**
 * Makes a registry whose actors live in the current scope. Each actor is one fiber that takes what has gathered in its
 * bounded mailbox, handles it, and leaves memory when it has been idle. A defect is logged and fails the callers that wait;
 * the next message starts the actor anew from the store, since actors hold no truth
 * (docs/decisions/0003-actors-hold-no-truth.md).
 */
export const makeRegistry = Effect.fnUntraced(function* <Message, E>(kind: ActorKind<Message, E>) {
  const scope = yield* Effect.scope
  const actors = new Map<string, Actor<Message>>()
  const idle = new IdleTracker<Actor<Message>>(yield* Clock.Clock, kind.idleMillis)

  yield* registerMetrics(kind.name, actors)

  const nameOf = (key: string) => `${kind.name} ${key}`

  const forget = (actor: Actor<Message>) => {
    if (actors.get(actor.key) === actor) actors.delete(actor.key)
    idle.end(actor)
  }

  /** Makes room for a successor with the same key, and leaves nobody waiting. */
  const leave = (actor: Actor<Message>) => {
    forget(actor)
    if (actor.waiting.size === 0) return
    const failure = new ActorFailed({ actor: nameOf(actor.key) })
    for (const { fail } of actor.waiting.values()) fail(failure)
    actor.waiting.clear()
  }

  /** Skips messages whose callers have gone. */
  const handle = (actor: Actor<Message>, behaviour: Behaviour<Message>, batch: Array<Message>) => {
    const wanted = actor.wanted(batch, () => new ActorFailed({ actor: nameOf(actor.key) }))
    return wanted.length === 0 ? Effect.void : behaviour(wanted)
  }

  /** Handles what has gathered or, where nothing has, what comes next; fails with Done when the actor must leave. */
  const runBatch = (actor: Actor<Message>, behaviour: Behaviour<Message>) =>
    Effect.suspend(() => {
      const gathered = actor.gathered(kind.batchMax)
      if (gathered !== undefined) return handle(actor, behaviour, gathered)
      idle.begin(actor)
      return Effect.flatMap(Queue.takeBetween(actor.mailbox, 1, kind.batchMax), (batch) => {
        idle.end(actor)
        return handle(actor, behaviour, batch)
      })
    })

  // Not a generator: while the actor is idle, its variables would keep the last batch and its answers alive, and its scope
  // would be in a context of its own, a copy of all services.
  const live = (actor: Actor<Message>) =>
    Scope.provide(kind.start(actor.key, actor), actor.scope).pipe(
      Effect.flatMap((behaviour) =>
        Effect.forever(runBatch(actor, behaviour), { disableYield: true }).pipe(
          Effect.catch(() => Effect.void),
        ),
      ),
    )

  const startActor = Effect.fnUntraced(function* (key: string) {
    const mailbox = yield* Queue.dropping<Message, Cause.Done>(kind.mailboxCapacity)
    // Another caller may have started it while this one made the mailbox.
    if (actors.has(key)) return
    const actor = new Actor(key, mailbox)
    actors.set(key, actor)
    const fiber = yield* Effect.suspend(() => live(actor)).pipe(
      Effect.onExit((exit) =>
        Effect.suspend(() => {
          // Before its scope closes, which may take a while: messages that come meanwhile must find a successor.
          leave(actor)
          const hasFailed = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
          const logged = hasFailed
            ? Effect.logError(`${nameOf(key)} failed; the next message restarts it`, exit.cause)
            : Effect.void
          return Effect.andThen(logged, Scope.close(actor.scope, exit))
        }),
      ),
      Effect.exit,
      Effect.forkIn(scope),
      outsideSpans,
    )
    // An actor that is interrupted before its first step never runs its own finalizer.
    fiber.addObserver(() => leave(actor))
  })

  yield* Effect.suspend(() => {
    for (const actor of idle.takeExpired()) {
      forget(actor)
      Queue.endUnsafe(actor.mailbox)
    }
    return Effect.sleep(idle.nextInMillis())
  }).pipe(Effect.forever, Effect.forkIn(scope))

  /** Finds the actor and fills its mailbox in one step, so that the actor cannot leave memory in between. */
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

  const ask: Registry<Message>["ask"] = <A, F>(
    key: string,
    build: (reply: Deferred.Deferred<A, F | ActorFailed>, asker: Fiber.Fiber<unknown, unknown>) => Message,
  ) =>
    Effect.withFiber<A, F | MailboxFull | ActorFailed>((fiber) => {
      const reply = Deferred.makeUnsafe<A, F | ActorFailed>()
      const fail = (failure: ActorFailed) => {
        Deferred.doneUnsafe(reply, Effect.fail(failure))
      }
      let found: Actor<Message> | undefined
      const message = build(reply, fiber)
      const remember = (actor: Actor<Message>) => {
        found = actor
        actor.waiting.set(message, { fiber, fail })
      }
      return Effect.andThen(offer(key, message, remember), Deferred.await(reply)).pipe(
        Effect.onExit(() => Effect.sync(() => found?.waiting.delete(message))),
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

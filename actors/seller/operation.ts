import { Deferred, Effect } from "effect"
import { type ApiError, serviceUnavailable } from "../../schema/errors.ts"
import { ActorFailed } from "../runtime/actor.ts"
import type { MailboxFull, Registry } from "../runtime/registry.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import {
  inSpanBelow,
  inTraceOf,
  openSpanOf,
  type TracedResource,
  type TraceSpan,
} from "../values/traceSpan.ts"
import type { Lane } from "./lanes.ts"
import type { SellerView } from "./sellerMemory.ts"

/** A message in a seller's mailbox: it carries the program to run. */
export interface SellerMessage {
  /** Undefined: the actor waits for it. */
  readonly lane: Lane | undefined
  /** Runs the program and answers whoever waits. Never fails. */
  readonly run: (seller: SellerView) => Effect.Effect<unknown>
  /** Answers without having run: its lane is full. */
  readonly refuse: (sellerId: string) => Effect.Effect<unknown>
  /** The messages to handle in its place, in this order; undefined for itself. */
  readonly parts: () => ReadonlyArray<SellerMessage> | undefined
}

/** Ways to a seller's actor for the messages of one operation. */
export interface Mailbox<Message, A, E> {
  /** Sends a message and waits for its answer. */
  readonly ask: (message: Message) => Effect.Effect<A, E | MailboxFull | ActorFailed>
  /** Sends a message and does not wait. */
  readonly tell: (message: Message) => Effect.Effect<void, MailboxFull>
}

/** What an operation does, on either side of the mailbox. */
export interface OperationProgram<Request, Message, A, E, Answer, Failure> {
  /** The seller whose actor runs a message. */
  readonly sellerOf: (message: Message) => string
  /** Where a message runs; undefined: in the actor itself, which handles nothing else meanwhile. */
  readonly lane: (message: Message) => Lane | undefined
  /** Runs in the actor or its lane. */
  readonly run: (message: Message, seller: SellerView) => Effect.Effect<A, E>
  /** Runs in the caller: turns the request into a message, sends it, and turns what comes back into an answer. */
  readonly call: (request: Request, mailbox: Mailbox<Message, A, E>) => Effect.Effect<Answer, Failure>
  /** The resource that a message is about, in whose trace it runs unless a request asks for it. */
  readonly about?: (message: Message) => TracedResource
  /** Splits a message whose parts belong in different lanes: `apart` runs first and is not waited for. */
  readonly split?: (message: Message) => {
    readonly apart: ReadonlyArray<Message>
    readonly rest: Message
  }
}

/** A command a seller's actor accepts. */
export interface Operation<Name extends string, Request, Answer, Failure, R, Program> {
  readonly name: Name
  /** Makes the program, once for all sellers. */
  readonly program: Effect.Effect<Program, never, R>
  /** Makes the function that callers reach by the door. */
  readonly open: (
    actors: Registry<SellerMessage>,
  ) => Effect.Effect<(request: Request) => Effect.Effect<Answer, Failure>, never, R>
}

/** A message and the operation's program that handles it. `reply` is undefined where nobody waits, `asker` where nobody traced does. */
class OperationMessage<Message, A, E> implements SellerMessage {
  readonly #operation: string
  readonly #program: OperationProgram<never, Message, A, E, unknown, unknown>
  readonly #message: Message
  readonly #reply: Deferred.Deferred<A, E | ActorFailed> | undefined
  readonly #asker: TraceSpan | undefined

  constructor(
    operation: string,
    program: OperationProgram<never, Message, A, E, unknown, unknown>,
    message: Message,
    reply: Deferred.Deferred<A, E | ActorFailed> | undefined,
    asker: TraceSpan | undefined,
  ) {
    this.#operation = operation
    this.#program = program
    this.#message = message
    this.#reply = reply
    this.#asker = asker
  }

  get lane(): Lane | undefined {
    return this.#program.lane(this.#message)
  }

  run(seller: SellerView): Effect.Effect<unknown> {
    const reply = this.#reply
    const program = this.#traced(this.#program.run(this.#message, seller))
    if (reply === undefined) {
      return Effect.catchCause(program, (cause) => Effect.logError("a seller's message failed", cause))
    }
    return Effect.flatMap(Effect.exit(program), (exit) => Deferred.done(reply, exit))
  }

  #traced(program: Effect.Effect<A, E>): Effect.Effect<A, E> {
    const name = `seller ${this.#operation}`
    if (this.#asker !== undefined) return inSpanBelow(this.#asker, name, program)
    const about = this.#program.about?.(this.#message)
    return about === undefined ? program : inTraceOf(about, name, {}, program)
  }

  refuse(sellerId: string): Effect.Effect<unknown> {
    const reply = this.#reply
    if (reply === undefined) return Effect.void
    return Effect.suspend(() => Deferred.fail(reply, new ActorFailed({ actor: `seller ${sellerId}` })))
  }

  parts(): ReadonlyArray<SellerMessage> | undefined {
    const split = this.#program.split?.(this.#message)
    if (split === undefined) return undefined
    const { apart, rest } = split
    const part = (message: Message, reply: Deferred.Deferred<A, E | ActorFailed> | undefined) =>
      new OperationMessage(this.#operation, this.#program, message, reply, this.#asker)
    return [...apart.map((message) => part(message, undefined)), part(rest, this.#reply)]
  }
}

/** Declares an operation; callers reach it once it is in the list of `operations/index.ts`. */
export const operation = <const Name extends string, Request, Message, A, E, Answer, Failure, R>(
  name: Name,
  program: Effect.Effect<OperationProgram<Request, Message, A, E, Answer, Failure>, never, R>,
): Operation<
  Name,
  Request,
  Answer,
  Failure,
  R,
  OperationProgram<Request, Message, A, E, Answer, Failure>
> => ({
  name,
  program,
  open: (actors) =>
    Effect.map(program, (made) => {
      const mailbox: Mailbox<Message, A, E> = {
        ask: (message) =>
          actors.ask<A, E>(
            made.sellerOf(message),
            (reply, asker) => new OperationMessage(name, made, message, reply, openSpanOf(asker)),
          ),
        tell: (message) =>
          actors.tell(
            made.sellerOf(message),
            new OperationMessage(name, made, message, undefined, undefined),
          ),
      }
      return (request) => made.call(request, mailbox)
    }),
})

/** Infers the types of a program from its parts. */
export const operationProgram = <Request, Message, A, E, Answer, Failure>(
  program: OperationProgram<Request, Message, A, E, Answer, Failure>,
): OperationProgram<Request, Message, A, E, Answer, Failure> => program

/** 503 `service_unavailable` where the mailbox is full or the actor failed; `advice` says how to try again. */
export const orUnavailable = <A, E extends ApiError | StoreUnavailable>(
  asked: Effect.Effect<A, E | MailboxFull | ActorFailed>,
  advice = "Send it again.",
): Effect.Effect<A, E | ApiError<"service_unavailable">> => {
  const fail = () =>
    Effect.fail(serviceUnavailable(`Too many requests of this seller are in progress. ${advice}`))
  return Effect.catchIf(
    asked,
    (error): error is MailboxFull | ActorFailed =>
      error._tag === "MailboxFull" || error._tag === "ActorFailed",
    fail,
  )
}

import { type Cause, Context, Effect, Fiber, Layer, Queue, Schedule, Schema } from "effect"
import { limits } from "../../schema/limits.ts"

/** A mail to hand in. */
export interface Mail {
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
  /** What it is for, in logs and in the `mail` stream: `invite`, `reset_password`. */
  readonly purpose: string
}

/** A mail could not be handed in; `isFinal` where trying again is of no use: its recipient was refused, for one. */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", {
  reason: Schema.String,
  isFinal: Schema.Boolean,
}) {}

/** Where mails are handed in: an SMTP server, or the `mail` stream (decisions 4). */
export class MailTransport extends Context.Service<
  MailTransport,
  { readonly handIn: (mail: Mail) => Effect.Effect<void, MailFailed> }
>()("corrente/mail/MailTransport") {}

/**
 * Sends mails beside the requests that ask for them, so that no answer waits for a mail server or tells of one. Mails
 * wait in memory alone: their tokens are stored nowhere.
 */
export class Mailer extends Context.Service<
  Mailer,
  {
    /** Takes a mail and returns at once. One too many is dropped, with a line in the log. */
    readonly send: (mail: Mail) => Effect.Effect<void>
  }
>()("corrente/mail/Mailer") {}

/** What a log may tell of a recipient. */
const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

/** Six tries, over half a minute and their own time: a mail server that restarts is waited for, one that is gone is not. */
const again = {
  schedule: Schedule.exponential(1_000).pipe(Schedule.upTo({ times: 5 })),
  while: ({ isFinal }: MailFailed) => !isFinal,
}

/** Mails that are handed in at a time: one that is tried again must not hold up the others. */
const workers = 4

/** How long the end of the process waits for mails that are still to be handed in. */
const drainMillis = 5_000

export const MailerLive = Layer.effect(
  Mailer,
  Effect.gen(function* () {
    const transport = yield* MailTransport
    const waiting = yield* Queue.dropping<Mail, Cause.Done>(limits.mailsWaitingMax)

    const handIn = (mail: Mail) =>
      transport.handIn(mail).pipe(
        Effect.retry(again),
        Effect.tap(Effect.logInfo(`mail ${mail.purpose} was sent to ${domainOf(mail.to)}`)),
        Effect.catch(({ reason }) =>
          Effect.logError(`mail ${mail.purpose} to ${domainOf(mail.to)} was given up: ${reason}`),
        ),
        Effect.catchDefect(() => Effect.logError(`mail ${mail.purpose} to ${domainOf(mail.to)} broke`)),
      )
    const work = Effect.flatMap(Queue.take(waiting), handIn).pipe(
      Effect.forever,
      Effect.catchTag("Done", () => Effect.void),
    )
    const running = yield* Effect.forEach(Array.from({ length: workers }), () => Effect.forkScoped(work))
    yield* Effect.addFinalizer(() =>
      Queue.end(waiting).pipe(Effect.andThen(Effect.timeoutOption(Fiber.awaitAll(running), drainMillis))),
    )
    return Mailer.of({
      send: (mail) =>
        Effect.flatMap(Queue.offer(waiting, mail), (isTaken) =>
          isTaken
            ? Effect.void
            : Effect.logError(`mail ${mail.purpose} to ${domainOf(mail.to)} was dropped: too many wait`),
        ),
    })
  }),
)

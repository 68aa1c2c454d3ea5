import { type Cause, Context, Effect, Fiber, Layer, Queue, Schedule, Schema, type Scope } from "effect"
import { makeRegistrar } from "../../actors/metrics/registrar.ts"
import { limits } from "../../schema/limits.ts"

/** What became of a mail: `failed` after its last try, `dropped` if too many waited. */
const outcomes = ["sent", "failed", "dropped"] as const

/** Counts mails in the metrics, until the scope closes. */
const makeMailMetrics: Effect.Effect<
  { readonly count: (outcome: (typeof outcomes)[number]) => Effect.Effect<void> },
  never,
  Scope.Scope
> = Effect.map(makeRegistrar, ({ counter }) => {
  const mails = { sent: 0, failed: 0, dropped: 0 }
  for (const outcome of outcomes) {
    const series = {
      name: "corrente_mails_total",
      description: "Mails, by what became of them",
      labels: { outcome },
    }
    counter(series, () => mails[outcome])
  }
  return {
    count: (outcome) =>
      Effect.sync(() => {
        mails[outcome] += 1
      }),
  }
})

/** A file that goes with a mail. */
interface Attachment {
  readonly filename: string
  readonly contentType: string
  readonly content: Uint8Array
}

/** A mail to send. */
export interface Mail {
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
  /** Its purpose in logs and in the `mail` stream: `invite`, `reset_password`. */
  readonly purpose: string
  readonly attachments?: ReadonlyArray<Attachment>
  /** Headers of its own, such as those of RFC 8058. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A mail could not be sent; `isFinal` if a retry is useless, such as after a refused recipient. */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", {
  reason: Schema.String,
  isFinal: Schema.Boolean,
}) {}

/** Transport of mails: an SMTP server, or the `mail` stream (docs/contract/accounts.md#mail). */
export class MailTransport extends Context.Service<
  MailTransport,
  { readonly handIn: (mail: Mail) => Effect.Effect<void, MailFailed> }
>()("corrente/mail/MailTransport") {}

/**
 * Sends mails in the background, so that no response waits for a mail server or reveals one. Mails wait only in
 * memory: their tokens are stored nowhere.
 */
export class Mailer extends Context.Service<
  Mailer,
  {
    /** Accepts a mail and returns at once. A mail too many is dropped and logged. */
    readonly send: (mail: Mail) => Effect.Effect<void>
    /** Hands a mail in and says whether that was done: once, for callers who try again by themselves. */
    readonly handIn: (mail: Mail) => Effect.Effect<void, MailFailed>
  }
>()("corrente/mail/Mailer") {}

/** What logs may say about a recipient. */
const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

/** Six tries over half a minute: outlasts the restart of a mail server, not its absence. */
const again = {
  schedule: Schedule.exponential(1_000).pipe(Schedule.upTo({ times: 5 })),
  while: ({ isFinal }: MailFailed) => !isFinal,
}

/** Mails sent at once: retries must not hold up others. */
const workers = 4

/** How long shutdown waits for unsent mails. */
const drainMillis = 5_000

export const MailerLive = Layer.effect(
  Mailer,
  Effect.gen(function* () {
    const transport = yield* MailTransport
    const waiting = yield* Queue.dropping<Mail, Cause.Done>(limits.mailsWaitingMax)
    const mails = yield* makeMailMetrics

    const handIn = (mail: Mail) =>
      transport.handIn(mail).pipe(
        Effect.retry(again),
        Effect.onExit((exit) => mails.count(exit._tag === "Success" ? "sent" : "failed")),
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
      handIn: (mail) =>
        transport.handIn(mail).pipe(
          Effect.timeoutOrElse({
            duration: limits.alertMailTimeoutMillis,
            orElse: () => Effect.fail(new MailFailed({ reason: "timeout", isFinal: false })),
          }),
          Effect.onExit((exit) => mails.count(exit._tag === "Success" ? "sent" : "failed")),
        ),
      send: (mail) =>
        Effect.flatMap(Queue.offer(waiting, mail), (isTaken) =>
          isTaken
            ? Effect.void
            : Effect.andThen(
                mails.count("dropped"),
                Effect.logError(`mail ${mail.purpose} to ${domainOf(mail.to)} was dropped: too many wait`),
              ),
        ),
    })
  }),
)

import { Clock, Effect, Schedule, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import type { Event } from "../../client/src/index.ts"
import { CliFailure } from "../failure.ts"
import { Output } from "../output.ts"
import { openSession, type Session } from "../session.ts"
import { eventText } from "../texts.ts"
import { recipes, type Triggered, triggeredTypes } from "../triggers.ts"

const waitMillisMax = 10_000

class NotYet extends Schema.TaggedError<NotYet>()("NotYet", {}) {}

const noEvent = (type: Triggered, resourceId: string) =>
  new CliFailure({
    kind: "refused",
    code: "event_missing",
    message: `${resourceId} has had no ${type} within ${waitMillisMax / 1_000} s: this seller's settings may leave it out.`,
  })

/** The event of a type about a resource: the commit of the last call has appended it, or a timer does soon. */
const eventOf = ({ call }: Session, type: Triggered, resourceId: string): Effect.Effect<Event, CliFailure> =>
  call(({ events }, options) =>
    events.list({ types: type, resource_id: resourceId, limit: 1 }, options).page(),
  ).pipe(
    Effect.flatMap(({ data: [event] }) =>
      event === undefined ? Effect.fail(new NotYet()) : Effect.succeed(event),
    ),
    Effect.retry({ schedule: Schedule.spaced("100 millis"), while: ({ _tag }) => _tag === "NotYet" }),
    Effect.timeoutOrElse({ duration: waitMillisMax, orElse: () => Effect.fail(new NotYet()) }),
    Effect.catchTag("NotYet", () => Effect.fail(noEvent(type, resourceId))),
  )

/** Makes an event of a type happen. */
export const trigger = Command.make(
  "trigger",
  {
    type: Argument.Literals("type", triggeredTypes).pipe(
      Argument.withMetavar("TYPE"),
      Argument.withDescription(`One of ${triggeredTypes.join(", ")}.`),
    ),
  },
  Effect.fnUntraced(function* ({ type }) {
    const session = yield* openSession("`trigger`")
    const startedMillis = yield* Clock.currentTimeMillis
    const { id } = yield* recipes[type](session.call)
    const event = yield* eventOf(session, type, id)
    const output = yield* Output
    const millis = (yield* Clock.currentTimeMillis) - startedMillis
    yield* output.tell({
      json: event,
      text: `${eventText(output, event)}  ${output.paint("dim", `${millis} ms`)}`,
    })
  }),
).pipe(
  Command.withDescription(
    "Make an event of this type happen in test mode, by real calls: charges, refunds, withdrawals and the test controls.",
  ),
  Command.withExamples([
    { command: "corrente trigger transaction.paid", description: "Make a charge and pay it" },
  ]),
)

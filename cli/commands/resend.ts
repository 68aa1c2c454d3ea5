import { Effect } from "effect"
import { Command } from "effect/cli"
import { isResponseFault } from "../../actors/values/responseFault.ts"
import { textFlag, word } from "../../src/ops/parameters.ts"
import { CliFailure, usageFailure } from "../failure.ts"
import { tellFailed, tellPosted } from "../listening.ts"
import { openReceiver, type PostFailed } from "../receiver.ts"
import { openSession } from "../session.ts"
import { signingSecretOf } from "../signingSecret.ts"

const failureOfPost = (url: string, { error, statusCode, excerpt }: PostFailed): CliFailure => {
  const silence = isResponseFault(error)
    ? `${url} did not answer with HTTP/1.1: ${excerpt}.`
    : `Nobody answered at ${url} (${excerpt}). Is the receiver running?`
  const message = statusCode === undefined ? silence : `${url} answered ${statusCode}, not 2xx.`
  return new CliFailure({ kind: "receiver", code: error, message })
}

/** Forwards one event of the feed once. */
export const resend = Command.make(
  "resend",
  {
    eventId: word("event", "EVENT", "The event's id, evt_…"),
    forwardTo: textFlag(
      "forward-to",
      "URL",
      "Where it is posted; http is allowed, redirects are not followed.",
    ),
  },
  Effect.fnUntraced(function* ({ eventId, forwardTo }) {
    if (!eventId.startsWith("evt_")) return yield* usageFailure("event", "EVENT must be an event's id, evt_…")
    const { apiKey, call } = yield* openSession()
    const receiver = yield* openReceiver(forwardTo, signingSecretOf(apiKey))
    const event = yield* call((corrente, options) => corrente.events.get(eventId, options))
    yield* receiver.post(event, 1).pipe(
      Effect.matchEffect({
        onSuccess: (posted) => tellPosted(event, 1, posted),
        onFailure: (failure) =>
          Effect.andThen(
            tellFailed(event, 1, failure, "not repeated"),
            Effect.fail(failureOfPost(forwardTo, failure)),
          ),
      }),
    )
  }),
).pipe(Command.withDescription("Post an event once more, signed with the secret that `listen` prints."))

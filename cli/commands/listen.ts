import { Effect, Stream } from "effect"
import { Command } from "effect/cli"
import type { ConnectionState, Event, ReplayGap } from "../../client/src/index.ts"
import { eventTypeOf } from "../../schema/events.ts"
import { optionalFlag, switchFlag, textFlag } from "../../src/ops/parameters.ts"
import { inert } from "../../src/ops/text/values.ts"
import { readBeginning } from "../beginning.ts"
import { usageFailure } from "../failure.ts"
import { followFeed, readTypes, StopRequest } from "../feed.ts"
import { forward, Tally } from "../listening.ts"
import { Output } from "../output.ts"
import { openReceiver } from "../receiver.ts"
import { openSession } from "../session.ts"
import { signingSecretOf } from "../signingSecret.ts"
import { brokenText, gapText } from "../texts.ts"

const flags = {
  forwardTo: optionalFlag(
    textFlag("forward-to", "URL", "Where events are posted; http is allowed, redirects are not followed."),
  ),
  events: optionalFlag(
    textFlag("events", "TYPES", "Types and families, such as transaction.paid,withdrawal.*; all by default."),
  ),
  since: optionalFlag(
    textFlag(
      "since",
      "EVENT",
      "Go on after this event, evt_…; by default with what happens from the start of this command on.",
    ),
  ),
  internal: switchFlag("internal", "Forward internal events too, which deliveries leave out."),
  printSecret: switchFlag("print-secret", "Print the signing secret and end: WEBHOOK_SECRET=$(…)."),
  retry: switchFlag("retry", "Repeat failed posts; later events wait, so the order stays."),
}

/** What `listen` says first, and when its connection has broken and is back. */
const makeConnectionTold = (
  opening: { readonly secret: string; readonly url: string; readonly mode: string },
  tally: Tally,
) =>
  Effect.fnUntraced(function* (state: ConnectionState) {
    const { paint, tell } = yield* Output
    if (!state.isOpen) {
      const { error, retryMillis } = state
      const json = { line: "disconnected", code: error?.code ?? null, retry_millis: retryMillis }
      return yield* tell({ json, text: paint("yellow", brokenText(state)) })
    }
    tally.lastEventId ??= state.lastEventId ?? undefined
    const json = { last_event_id: state.lastEventId }
    if (tally.hasOpened)
      return yield* tell({ json: { line: "connected", ...json }, text: paint("dim", "Connected again.") })
    tally.hasOpened = true
    const { secret, url, mode } = opening
    yield* tell({
      json: { line: "ready", mode, forward_to: url, secret, ...json },
      text: [
        `Forwarding ${paint("bold", mode)} events to ${paint("bold", inert(url))}. Ctrl-C ends.`,
        `Signing secret: ${paint("yellow", secret)} (always this one for this key)`,
      ].join("\n"),
    })
  })

const tellSummary = (tally: Tally) =>
  Effect.gen(function* () {
    if (!tally.hasOpened) return
    const { paint, tell } = yield* Output
    const { forwarded, failed, failedIds, pendingId, lastEventId } = tally
    const goOn = lastEventId === undefined ? [] : [`Go on from here: --since ${inert(lastEventId)}`]
    yield* tell({
      json: {
        line: "summary",
        forwarded,
        failed,
        failed_event_ids: failedIds,
        pending_event_id: pendingId ?? null,
        last_event_id: lastEventId ?? null,
      },
      text: [
        "",
        paint("bold", `${forwarded} forwarded, ${failed} failed.`),
        ...failedIds
          .map(inert)
          .map((id) => `  ${paint("red", "✗")} ${id}  (corrente resend ${id} --forward-to URL)`),
        ...(pendingId === undefined ? [] : [`  ${inert(pendingId)} was still being tried.`]),
        ...goOn,
      ].join("\n"),
    })
  })

const checkSince = (since: string | undefined) =>
  since === undefined || since.startsWith("evt_")
    ? Effect.void
    : Effect.fail(usageFailure("since", "--since must be an event's id, evt_…"))

/** Types that nothing is ever forwarded of. */
const checkInternal = (types: ReadonlyArray<string> | undefined, isInternal: boolean) =>
  !isInternal && types?.every((type) => eventTypeOf(type)?.internal === true)
    ? Effect.fail(
        usageFailure("events", `${types.join(", ")}: internal events are forwarded with --internal only.`),
      )
    : Effect.void

/** Follows the feed and forwards each event, in order, until the user ends it. */
export const listen = Command.make(
  "listen",
  flags,
  Effect.fnUntraced(function* ({ forwardTo, events, since, internal, printSecret, retry }) {
    const { paint, tell } = yield* Output
    const session = yield* openSession()
    const secret = signingSecretOf(session.apiKey)
    if (printSecret) return yield* tell({ json: { line: "secret", secret }, text: secret })
    if (forwardTo === undefined) {
      return yield* usageFailure("forward-to", "--forward-to is missing. See corrente listen --help.")
    }
    const types = yield* readTypes("events", events)
    yield* checkInternal(types, internal)
    yield* checkSince(since)
    const receiver = yield* openReceiver(forwardTo, secret)
    const tally = new Tally(since)
    const tellConnection = makeConnectionTold({ secret, url: forwardTo, mode: session.mode }, tally)
    const handle = (item: Event | ReplayGap) => {
      if (item.type === "replay_gap") {
        const { requested, oldest_event_id } = item
        const json = { line: "replay_gap", requested, oldest_event_id }
        return tell({ json, text: paint("yellow", gapText(item)) })
      }
      if (internal || !item.internal) return forward(item, { receiver, isRetried: retry, tally })
      tally.lastEventId = item.id
      return Effect.void
    }
    const following = Effect.gen(function* () {
      const after = since ?? (yield* readBeginning(session))
      tally.lastEventId = after ?? undefined
      yield* Stream.runForEach(followFeed(session, { types, after }, tellConnection), handle)
    })
    yield* Effect.raceFirst(following, yield* StopRequest).pipe(Effect.ensuring(tellSummary(tally)))
  }),
).pipe(
  Command.withDescription(
    "Post each event to a receiver on your machine as deliveries do, signed with a secret that stays the same for a key.",
  ),
  Command.withExamples([
    { command: "corrente listen --forward-to http://localhost:4000", description: "Forward every event" },
  ]),
)

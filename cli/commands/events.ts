import { Effect, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import type { ConnectionState, Event, ReplayGap, SubscribeOptions } from "../../client/src/index.ts"
import { optionalFlag, switchFlag, textFlag } from "../../src/ops/parameters.ts"
import { usageFailure } from "../failure.ts"
import { followFeed, readTypes, StopRequest } from "../feed.ts"
import { Output } from "../output.ts"
import { openSession, type Session } from "../session.ts"
import { brokenText, eventText, gapText } from "../texts.ts"

const limitDefault = 20
const limitMax = 100

const tellEvent = Effect.fnUntraced(function* (event: Event) {
  const output = yield* Output
  yield* output.tell({ json: event, text: eventText(output, event) })
})

const tellItem = Effect.fnUntraced(function* (item: Event | ReplayGap) {
  if (item.type !== "replay_gap") return yield* tellEvent(item)
  const { paint, tell } = yield* Output
  yield* tell({ json: item, text: paint("yellow", gapText(item)) })
})

const tellConnection = Effect.fnUntraced(function* (state: ConnectionState) {
  const { paint, tell } = yield* Output
  if (state.isOpen) return
  const json = { type: "disconnected", retry_millis: state.retryMillis }
  yield* tell({ json, text: paint("yellow", brokenText(state)) })
})

/** The newest events, newest first. A page of few types may be short of them or empty, and have a next one all the same. */
const readNewest = ({ call }: Session, types: SubscribeOptions["types"], limit: number) =>
  call(async ({ events }, options) => {
    const newest: Array<Event> = []
    if (limit === 0) return newest
    for await (const event of events.list({ limit, types }, options)) {
      newest.push(event)
      if (newest.length === limit) break
    }
    return newest
  })

/** Lists the newest events, oldest first, and follows the feed from there. */
export const events = Command.make(
  "events",
  {
    types: optionalFlag(
      textFlag(
        "types",
        "TYPES",
        "Types and families, such as transaction.paid,withdrawal.*; all by default.",
      ),
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withDefault(limitDefault),
      Flag.withMetavar("COUNT"),
      Flag.withDescription(
        `How many of the newest are listed: 0 to ${limitMax}, ${limitDefault} by default.`,
      ),
    ),
    follow: switchFlag("follow", "Go on with those that happen, until Ctrl-C."),
  },
  Effect.fnUntraced(function* ({ types: text, limit, follow }) {
    const types = yield* readTypes("types", text)
    if (limit < 0 || limit > limitMax) {
      return yield* usageFailure("limit", `--limit must be a number from 0 to ${limitMax}.`)
    }
    const session = yield* openSession()
    // Whatever its type, and before the list is read: what happens from then on comes, while the stream is being opened too.
    const last = follow ? yield* readNewest(session, undefined, 1) : []
    const newest = yield* readNewest(session, types, limit)
    yield* Effect.forEach(newest.toReversed(), tellEvent, { discard: true })
    if (!follow) return
    const listedSeq = newest[0]?.seq ?? 0
    const feed = followFeed(session, { types, after: last[0]?.id ?? null }, tellConnection).pipe(
      Stream.filter((item) => item.type === "replay_gap" || item.seq > listedSeq),
    )
    const following = Stream.runForEach(feed, tellItem)
    yield* Effect.raceFirst(following, yield* StopRequest)
  }),
).pipe(Command.withDescription("List the newest events of the feed, and follow it."))

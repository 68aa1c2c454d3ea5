import { Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { SweepStore } from "../../../actors/ports/sweepStore.ts"
import { ApiError, validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { lineOf } from "../../../schema/text.ts"
import { OperatorLog } from "../../accounts/operatorLog.ts"
import { answer } from "../answer.ts"
import { textFlag } from "../parameters.ts"
import { fields } from "../text/blocks.ts"
import { acceptedFields, shownAccepted } from "./sweepShow.ts"

const isDigest = Schema.is(Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)))
const isReason = Schema.is(lineOf(1, limits.exceptionReasonLengthMax))

const full = new ApiError({
  code: "invalid_state",
  message: `${limits.sweepAcceptedMax} items are accepted already: the adapter has to learn to read them.`,
})
const notMet = (digest: string): ApiError<"resource_not_found"> =>
  new ApiError({
    code: "resource_not_found",
    message: `The last sweeps met no unreadable item ${digest}. Its content may have changed: see \`ops sweep show\`.`,
  })

/** What is known of an item: the account whose books have it, and where it is open or accepted. */
const findItem = Effect.fnUntraced(function* (digest: string) {
  const store = yield* SweepStore
  for (const account of yield* store.accounts) {
    const { open, accepted } = yield* store.unread(account)
    const openItem = open.find((item) => item.digest === digest)
    const acceptedItem = accepted.find((item) => item.digest === digest)
    if (openItem !== undefined || acceptedItem !== undefined) return { account, openItem, acceptedItem }
  }
  return undefined
})

const accept = Effect.fnUntraced(function* ({
  item: digest,
  reason,
}: {
  readonly item: string
  readonly reason: string
}) {
  if (!isDigest(digest)) {
    return yield* validationFailed(
      "item",
      "item must be a digest of `ops sweep show`: 64 characters 0-9 and a-f.",
    )
  }
  if (!isReason(reason)) {
    return yield* validationFailed(
      "reason",
      `reason must be one line of 1 to ${limits.exceptionReasonLengthMax} characters.`,
    )
  }
  const store = yield* SweepStore
  const log = yield* OperatorLog
  const found = yield* findItem(digest)
  if (found === undefined) return yield* notMet(digest)
  const { account, openItem, acceptedItem } = found
  // A command whose answer was lost may be repeated.
  if (acceptedItem !== undefined) return { account, ...shownAccepted(acceptedItem) }
  if (openItem === undefined) return yield* notMet(digest)
  yield* log.append({
    operatorId: undefined,
    action: "sweep.item_accepted",
    resourceType: "sweep",
    resourceId: account,
    details: { item: digest, list: openItem.list, end_to_end_id: openItem.endToEndId ?? null, reason },
  })
  const { kind } = yield* store.accept(account, openItem, reason)
  if (kind === "full") return yield* full
  if (kind === "unknown") return yield* notMet(digest)
  yield* store.request(account)
  const acceptedMillis = yield* store.now
  return { account, ...shownAccepted({ ...openItem, acceptedMillis, reason }) }
})

export const sweepAccept = Command.make(
  "accept",
  {
    item: textFlag("item", "DIGEST", "The item's digest, as `ops sweep show` prints it."),
    reason: textFlag("reason", "TEXT", "Why it needs no comparison; kept in the operators' log."),
  },
  answer(accept, ({ account, ...item }) => [fields(["Account", account]), ...acceptedFields(item)]),
).pipe(
  Command.withDescription(
    "Let sweeps pass over an item of the acquirer's books that they cannot read, for as long as its content stays as it is. Look it up at the acquirer first: it is compared with nothing.",
  ),
)

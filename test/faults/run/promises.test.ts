import { describe, expect, it } from "vitest"
import { type Journal, makeJournal, type Told } from "./journal.ts"
import { type FeedState, judge, type State } from "./promises.ts"

const ids = {
  txidOf: (id: string) => id.replace("txn_", ""),
  payoutIdOf: (id: string) => id.replace("wd_", ""),
}
const feed = "sel_1:live"

const event = (seq: number, type: string, resourceId: string) => ({
  id: `evt_${seq}`,
  seq,
  type,
  resourceId,
  isInternal: type === "transaction.created",
})

const events = [
  event(1, "transaction.created", "txn_1"),
  event(2, "transaction.paid", "txn_1"),
  event(3, "withdrawal.approved", "wd_1"),
  event(4, "withdrawal.processing", "wd_1"),
  event(5, "withdrawal.successful", "wd_1"),
]
const feedState: FeedState = {
  events,
  charges: [{ id: "txn_1", amount: 500, status: "paid", key: "a" }],
  withdrawals: [{ id: "wd_1", amount: 100, status: "successful", key: "b" }],
}
const state: State = {
  feeds: new Map([[feed, feedState]]),
  executions: new Map([["1", 1]]),
  auditProblem: undefined,
  unsettled: [],
}

const frame = (seq: number): Told => {
  const { id, type, resourceId } = events[seq - 1] ?? event(seq, "transaction.paid", "txn_9")
  return { kind: "frame", feed, follower: "follower", id, seq, type, resourceId }
}
const webhook = (seq: number): Told => {
  const { id, type, resourceId } = events[seq - 1] ?? event(seq, "transaction.paid", "txn_9")
  return { kind: "webhook", feed, id, type, resourceId }
}
const charge: Told = { kind: "charge", feed, key: "a", id: "txn_1", amount: 500, status: "pending" }

/** All that was told of a run in which every promise was kept. */
const told: ReadonlyArray<Told> = [
  { kind: "bankCharge", id: "1", key: "a" },
  charge,
  { kind: "read", feed, key: "txn_1", id: "txn_1", amount: 500, status: "paid" },
  { kind: "withdrawal", feed, key: "b", id: "wd_1", amount: 100, status: "approved" },
  { kind: "bankPayout", id: "1" },
  ...[1, 2, 3, 4, 5].map(frame),
  ...[2, 3, 4, 5].map(webhook),
]

const journalOf = (all: ReadonlyArray<Told>): Journal => {
  const journal = makeJournal()
  for (const one of all) journal.tell(one)
  return journal
}

/** The promises that were broken. */
const brokenBy = (
  more: ReadonlyArray<Told>,
  changes: Partial<State> = {},
  kept = told,
): ReadonlyArray<string> =>
  judge(journalOf([...kept, ...more]), { ...state, ...changes }, ids)
    .filter(({ broken }) => broken.length > 0)
    .map(({ promise }) => promise)

const withFeed = (changes: Partial<FeedState>): Partial<State> => ({
  feeds: new Map([[feed, { ...feedState, ...changes }]]),
})

describe("what was told and what there is", () => {
  it("breaks no promise where both agree", () => {
    expect(brokenBy([])).toEqual([])
  })

  it("excuses a charge of the bank whose request was refused, because the bank was late", () => {
    const late: Told = { kind: "bankCharge", id: "2", key: "c" }
    expect(brokenBy([late, { kind: "refusal", feed, key: "c" }])).toEqual([])
  })

  it.for<readonly [what: string, more: ReadonlyArray<Told>, changes: Partial<State>, promise: RegExp]>([
    ["an answered charge that is missing", [{ ...charge, id: "txn_2", key: "c" }], {}, /answered charge/],
    ["a charge with another amount", [{ ...charge, amount: 501 }], {}, /answered charge/],
    [
      "a charge that was read as paid and is not",
      [],
      withFeed({ charges: [{ id: "txn_1", amount: 500, status: "pending", key: "a" }] }),
      /answered charge/,
    ],
    [
      "an answered withdrawal that is missing",
      [{ kind: "withdrawal", feed, key: "d", id: "wd_2", amount: 100, status: "approved" }],
      {},
      /answered withdrawal/,
    ],
    ["two answers to one key", [{ ...charge, id: "txn_2" }], {}, /one key/],
    [
      "two charges of one key",
      [],
      withFeed({ charges: ["txn_1", "txn_2"].map((id) => ({ id, amount: 500, status: "paid", key: "a" })) }),
      /one key/,
    ],
    ["a frame whose event is missing", [frame(6)], {}, /stream showed/],
    [
      "a seq that meant another event before",
      [
        {
          kind: "frame",
          feed,
          follower: "other",
          id: "evt_9",
          seq: 5,
          type: "transaction.paid",
          resourceId: "txn_1",
        },
      ],
      {},
      /no second meaning/,
    ],
    ["a gap in seq", [], withFeed({ events: events.filter(({ seq }) => seq !== 3) }), /no second meaning/],
    ["a frame that a follower got twice", [frame(5)], {}, /follower sees/],
    ["a follower that ended too early", [{ ...frame(1), follower: "early" } as Told], {}, /follower sees/],
    ["a replay_gap", [{ kind: "gap", feed, follower: "follower" }], {}, /replay_gap/],
    [
      "a transition with two events",
      [],
      withFeed({ events: [...events, event(6, "transaction.paid", "txn_1")] }),
      /transition/,
    ],
    ["a webhook whose event is missing", [webhook(9)], {}, /webhook's event/],
    [
      "an event that was never delivered",
      [],
      withFeed({ events: [...events, event(6, "x", "y")] }),
      /reaches/,
    ],
    ["a payout that our books do not have", [{ kind: "bankPayout", id: "2" }], {}, /bank was asked/],
    [
      "a charge of the bank that our books do not have",
      [{ kind: "bankCharge", id: "2", key: "c" }],
      {},
      /bank was asked/,
    ],
    ["a payout that was made twice", [], { executions: new Map([["1", 2]]) }, /paid once/],
    ["a withdrawal that nobody paid", [], { executions: new Map() }, /paid once/],
    ["a difference that the audit finds", [], { auditProblem: "balance" }, /audit/],
    ["what does not come to its end", [], { unsettled: ["txn_1"] }, /comes to its end/],
  ])("finds %s", ([, more, changes, promise]) => {
    expect(brokenBy(more, changes)).toContainEqual(expect.stringMatching(promise))
  })
})

import type { FeedName, Journal } from "./journal.ts"

/** An event as the list of events has it. */
export interface ListedEvent {
  readonly id: string
  readonly seq: number
  readonly type: string
  readonly resourceId: string
  /** Whether endpoints do not get it. */
  readonly isInternal: boolean
}

/** A charge or a withdrawal as its list has it. */
export interface Listed {
  readonly id: string
  readonly amount: number
  readonly status: string
  /** The Idempotency-Key that made it. */
  readonly key: string
}

/** What a feed's seller reads of it after a run. */
export interface FeedState {
  /** Oldest first. */
  readonly events: ReadonlyArray<ListedEvent>
  readonly charges: ReadonlyArray<Listed>
  readonly withdrawals: ReadonlyArray<Listed>
}

/** Everything that there is after a run. */
export interface State {
  readonly feeds: ReadonlyMap<FeedName, FeedState>
  /** How often the bank executed each payout, by idEnvio. */
  readonly executions: ReadonlyMap<string, number>
  /** What `ops audit verify` finds wrong; undefined: nothing. */
  readonly auditProblem: string | undefined
  /** What should have come to an end after the faults, and has not. */
  readonly unsettled: ReadonlyArray<string>
}

/** Whether a promise was kept. */
export interface Verdict {
  readonly promise: string
  /** How many things were looked at. */
  readonly checked: number
  /** Each case in which it was broken. */
  readonly broken: ReadonlyArray<string>
}

/** How ids of the bank follow from ours. */
export interface BankIds {
  readonly txidOf: (chargeId: string) => string
  readonly payoutIdOf: (withdrawalId: string) => string
}

/** Every status that a charge may have been seen in before it has one. */
const before: Readonly<Record<string, ReadonlyArray<string>>> = {
  pending: ["pending"],
  paid: ["pending", "paid"],
}
const hasCome = (from: string, to: string): boolean => from === to || (before[to]?.includes(from) ?? false)

const byId = <Item extends { readonly id: string }>(items: ReadonlyArray<Item>): ReadonlyMap<string, Item> =>
  new Map(items.map((item) => [item.id, item]))

/** Groups the ids by key, and returns the keys with more than one. */
const doubled = (items: ReadonlyArray<{ readonly key: string; readonly id: string }>) => {
  const ids = new Map<string, Set<string>>()
  for (const { key, id } of items) ids.set(key, (ids.get(key) ?? new Set()).add(id))
  return [...ids].filter(([, set]) => set.size > 1).map(([key, set]) => `${key}: ${[...set].join(", ")}`)
}

const groupsOf = <Item>(
  items: ReadonlyArray<Item>,
  nameOf: (item: Item) => string,
): ReadonlyMap<string, ReadonlyArray<Item>> => {
  const groups = new Map<string, Array<Item>>()
  for (const item of items) {
    const name = nameOf(item)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [item])
    else group.push(item)
  }
  return groups
}

const emptyFeed: FeedState = { events: [], charges: [], withdrawals: [] }

const answered = (journal: Journal, state: State): Verdict => {
  const told = [...journal.of("charge"), ...journal.of("read")]
  const known = new Map([...state.feeds].map(([feed, { charges }]) => [feed, byId(charges)]))
  const broken = told.flatMap(({ kind, feed, key, id, amount, status }) => {
    const found = known.get(feed)?.get(id)
    if (found === undefined) return [`${key} was answered with ${id}, which is missing`]
    if (found.amount !== amount) return [`${id} has ${found.amount}, and was told with ${amount}`]
    // A repeated request is answered as the first was.
    return hasCome(status, found.status) || kind === "charge"
      ? []
      : [`${id} is ${found.status}, and was told as ${status}`]
  })
  return { promise: "an answered charge is there, as it was answered", checked: told.length, broken }
}

const withdrawn = (journal: Journal, state: State): Verdict => {
  const told = journal.of("withdrawal")
  const broken = told.flatMap(({ feed, key, id, amount }) => {
    const found = state.feeds.get(feed)?.withdrawals.find((withdrawal) => withdrawal.id === id)
    return found?.amount === amount ? [] : [`${key} was answered with ${id}, which is missing or other`]
  })
  return { promise: "an answered withdrawal is there, as it was answered", checked: told.length, broken }
}

const oncePerKey = (journal: Journal, state: State): Verdict => {
  const listed = [...state.feeds.values()].flatMap(({ charges, withdrawals }) => [...charges, ...withdrawals])
  const told = [...journal.of("charge"), ...journal.of("withdrawal")]
  return {
    promise: "one key makes one charge or withdrawal, whatever is lost or repeated",
    checked: listed.length,
    broken: [...new Set([...doubled(listed), ...doubled(told)])],
  }
}

const shown = (journal: Journal, state: State): Verdict => {
  const frames = journal.of("frame")
  const known = new Map([...state.feeds].map(([feed, { events }]) => [feed, byId(events)]))
  const broken = frames.flatMap(({ feed, id, seq, type, resourceId }) => {
    const found = known.get(feed)?.get(id)
    if (found === undefined) return [`${feed}: frame ${seq}, ${id} ${type}, is missing`]
    return found.seq === seq && found.type === type && found.resourceId === resourceId
      ? []
      : [`${feed}: ${id} was shown as ${seq} ${type}, and is ${found.seq} ${found.type}`]
  })
  return {
    promise: "an event that a stream showed is in the list, as it was shown",
    checked: frames.length,
    broken,
  }
}

const counted = (journal: Journal, state: State): Verdict => {
  const broken: Array<string> = []
  let checked = 0
  for (const [feed, { events }] of state.feeds) {
    checked += events.length
    for (const [i, { seq, id }] of events.entries()) {
      if (seq !== i + 1) broken.push(`${feed}: event ${i + 1}, ${id}, has seq ${seq}`)
    }
  }
  const meanings = new Map<string, string>()
  for (const { feed, seq, id } of journal.of("frame")) {
    const place = `${feed} ${seq}`
    const meant = meanings.get(place) ?? id
    if (meant !== id) broken.push(`seq ${place} was ${meant}, and then ${id}`)
    meanings.set(place, meant)
  }
  return { promise: "seq counts the events from 1, and has no second meaning", checked, broken }
}

const followed = (journal: Journal, state: State): Verdict => {
  const frames = groupsOf(journal.of("frame"), ({ follower }) => follower)
  const broken = [...frames].flatMap(([follower, seen]) => {
    const feed = seen[0]?.feed ?? ""
    const first = seen[0]?.seq ?? 1
    const { events } = state.feeds.get(feed) ?? emptyFeed
    const wrong = seen.findIndex(({ seq }, i) => seq !== first + i)
    if (wrong >= 0) return [`${follower}: after ${seen[wrong - 1]?.seq} came ${seen[wrong]?.seq}`]
    const last = seen.at(-1)?.seq ?? 0
    return last === events.length ? [] : [`${follower}: ended at ${last} of ${events.length}`]
  })
  return { promise: "a follower sees every event once, in order", checked: frames.size, broken }
}

const noGaps = (journal: Journal): Verdict => {
  const gaps = journal.of("gap")
  const broken = gaps.map(({ follower }) => `${follower} had a replay_gap`)
  return { promise: "no stream has a replay_gap", checked: journal.of("frame").length, broken }
}

/** The events that a charge or a withdrawal has had once it has a status. */
const eventsUpTo: Readonly<Record<string, ReadonlyArray<string>>> = {
  pending: ["transaction.created"],
  paid: ["transaction.created", "transaction.paid"],
  approved: ["withdrawal.approved"],
  processing: ["withdrawal.approved", "withdrawal.processing"],
  successful: ["withdrawal.approved", "withdrawal.processing", "withdrawal.successful"],
}

const oncePerTransition = (state: State): Verdict => {
  const broken: Array<string> = []
  let checked = 0
  for (const { events, charges, withdrawals } of state.feeds.values()) {
    const types = groupsOf(events, ({ resourceId }) => resourceId)
    for (const { id, status } of [...charges, ...withdrawals]) {
      checked += 1
      const has = (types.get(id) ?? []).map(({ type }) => type).join(" ")
      if (has !== eventsUpTo[status]?.join(" ")) broken.push(`${id} is ${status}, with events ${has}`)
    }
  }
  return { promise: "a transition has one event", checked, broken }
}

const sent = (journal: Journal, state: State): Verdict => {
  const webhooks = journal.of("webhook")
  const known = new Map([...state.feeds].map(([feed, { events }]) => [feed, byId(events)]))
  const broken = webhooks.flatMap(({ feed, id, type, resourceId }) => {
    const found = known.get(feed)?.get(id)
    return found?.type === type && found.resourceId === resourceId
      ? []
      : [`${feed}: ${type} ${id} was sent, and is missing`]
  })
  return { promise: "a webhook's event is in the list, as it was sent", checked: webhooks.length, broken }
}

const delivered = (journal: Journal, state: State): Verdict => {
  const ids = new Set(journal.of("webhook").map(({ id }) => id))
  const owed = [...state.feeds.values()].flatMap(({ events }) =>
    events.filter(({ isInternal }) => !isInternal),
  )
  const broken = owed
    .filter(({ id }) => !ids.has(id))
    .map(({ id, type }) => `${type} ${id} was never delivered`)
  return { promise: "every event reaches its endpoint", checked: owed.length, broken }
}

const askedOfBank = (journal: Journal, state: State, ids: BankIds): Verdict => {
  const feeds = [...state.feeds.values()]
  const payouts = new Set(feeds.flatMap(({ withdrawals }) => withdrawals.map(({ id }) => ids.payoutIdOf(id))))
  const charges = new Set(feeds.flatMap((feed) => feed.charges.map(({ id }) => ids.txidOf(id))))
  // A charge that the bank makes too late for us leaves none here (docs/contract/transactions.md#create).
  const refused = new Set(journal.of("refusal").map(({ key }) => key))
  const asked = { payouts: journal.of("bankPayout"), charges: journal.of("bankCharge") }
  const strangePayouts = asked.payouts.filter(({ id }) => !payouts.has(id))
  const strangeCharges = asked.charges.filter(({ id, key }) => !charges.has(id) && !refused.has(key))
  const broken = [
    ...strangePayouts.map(({ id }) => `payout ${id} is none of ours`),
    ...strangeCharges.map(({ id, key }) => `charge ${id} of ${key} is none of ours`),
  ]
  return {
    promise: "what the bank was asked for is in our books",
    checked: asked.payouts.length + asked.charges.length,
    broken: [...new Set(broken)],
  }
}

const paidOnce = (state: State, ids: BankIds): Verdict => {
  const withdrawals = [...state.feeds.values()].flatMap((feed) => feed.withdrawals)
  const broken = withdrawals.flatMap(({ id, status }) => {
    const count = state.executions.get(ids.payoutIdOf(id)) ?? 0
    return count === (status === "successful" ? 1 : 0)
      ? []
      : [`${id} is ${status}, and was paid ${count} times`]
  })
  return { promise: "a withdrawal is paid once", checked: withdrawals.length, broken }
}

/**
 * Compares all that anybody was told with what there is afterwards, promise by promise (docs/promises.md#what-holds-them). Pure: the
 * same journal and state give the same verdicts.
 */
export const judge = (journal: Journal, state: State, ids: BankIds): ReadonlyArray<Verdict> => [
  answered(journal, state),
  withdrawn(journal, state),
  oncePerKey(journal, state),
  shown(journal, state),
  counted(journal, state),
  followed(journal, state),
  noGaps(journal),
  oncePerTransition(state),
  sent(journal, state),
  delivered(journal, state),
  askedOfBank(journal, state, ids),
  paidOnce(state, ids),
  {
    promise: "ops audit verify finds no difference",
    checked: 1,
    broken: state.auditProblem === undefined ? [] : [state.auditProblem],
  },
  { promise: "everything comes to its end once faults are over", checked: 1, broken: state.unsettled },
]

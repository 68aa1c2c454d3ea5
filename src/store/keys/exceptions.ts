import type { Mode } from "../../../schema/ids.ts"
import {
  type ExceptionKind,
  type ExceptionState,
  exceptionKinds,
  exceptionStates,
} from "../../../schema/resources/exception.ts"
import { claimsTag } from "../tags.ts"
import { byId } from "./byIds.ts"
import { key } from "./keyKind.ts"

/** What the acquirer's books say differently from ours, and the sweeps that find it. */
export const exceptionKeys = {
  exception: key(["tag", "id"], (tag, id) => `exception:${tag}:${id}`, {
    family: "exception",
    type: "hash",
    holds: "one exception",
    details:
      "`fact` (what the [exception](contract/exceptions.md) is the record of), `kind`, `state`, `mode`, `seller`, " +
      "`account`, `document` (JSON), `version`, and `pending`, an act that awaits a second operator or is under way (JSON); " +
      "once an act has moved money, `movement`, its entry in the ledger",
    lifetime: "kept",
  }),
  exceptionFacts: key(["tag"], (tag) => `exception-facts:${tag}`, {
    family: "exception facts",
    type: "hash",
    holds: "what is recorded as an exception, and which credits sellers got",
    details:
      "fact -> the exception that records it, so that none is recorded twice; and `credited:<exception>` -> " +
      "`<seller>:<mode>:<event>:<movement>`, the entries of the credit to a seller of the partition",
    lifetime: "kept",
  }),
  exceptions: key(["tag", "state"], (tag, state) => `exceptions:${tag}:${state}`, {
    family: "exceptions",
    type: "set by id",
    holds: "ids of the partition's exceptions of one state",
    details: "For operators' lists and for the [freeze](contract/exceptions.md#freeze)",
    lifetime: "kept",
    values: { state: exceptionStates },
  }),
  exceptionsOfKind: key(
    ["tag", "state", "kind", "mode"],
    (tag, state, kind, mode) => `exceptions:${tag}:${state}:${kind}:${mode}`,
    {
      family: "exceptions",
      type: "set by id",
      holds: "ids of the partition's exceptions of one state, kind and mode",
      details: "For the same",
      lifetime: "kept",
      values: { state: exceptionStates, kind: exceptionKinds },
    },
  ),
  pixClaims: key(["claims", "account"], (claims, account) => `pix-claims:${claims}:${account}`, {
    family: "pix claims",
    type: "hash",
    holds: "which charge or exception has each Pix that an acquirer account received",
    details:
      "end-to-end id of the Pix -> the charge or exception [that has it](decisions/0101-pix-are-claimed-before-they-count.md). " +
      "The first eight bits of the id's SHA-256 in hex choose the slot `{cXX}`",
    lifetime: "kept",
  }),
  // All accounts share a slot, so that with a cluster the clock of one node dates all sweeps.
  sweep: key(["account"], (account) => `sweep:{sweeps}:${account}`, {
    family: "sweep",
    type: "hash",
    holds: "the sweeps of an acquirer account's books, and who runs them",
    details:
      "`began` and `completed_to` of the last complete one, `long_began` of the last daily one, `wanted` (when one " +
      "was last asked for at once), `unread`, how many items the last one could not read, and the lease: `holder`, " +
      "`lease_until`, `fence`. Times are in ms",
    lifetime: "kept",
  }),
  sweepAccounts: key([], () => "sweep-accounts:{sweeps}", {
    family: "sweep-accounts",
    type: "set",
    holds: "acquirer accounts that were ever swept",
    lifetime: "kept",
  }),
  unread: key(["account"], (account) => `sweep-unread:{sweeps}:${account}`, {
    family: "sweep-unread",
    type: "hash",
    holds: "items of the books that the last sweep could not read",
    details:
      "SHA-256 in hex of an item -> where the last sweep [could not read](partner.md#unreadable-items) it (JSON), at most 100",
    lifetime: "until a sweep can read it, or an operator accepts it",
  }),
  unconfirmed: key(["account"], (account) => `sweep-unconfirmed:{sweeps}:${account}`, {
    family: "sweep-unconfirmed",
    type: "hash",
    holds: "items of the lists that no query confirms yet",
    details:
      "what an item is about and what the list says -> an item that the acquirer's query [does not " +
      "confirm](partner.md#unconfirmed-items), since when (ms) and how many sweeps asked about it (JSON); at most 1,000",
    lifetime:
      "until a query confirms it, the list no longer has it, or an operator has resolved its exception",
  }),
  accepted: key(["account"], (account) => `sweep-accepted:{sweeps}:${account}`, {
    family: "sweep-accepted",
    type: "hash",
    holds: "items that an operator lets sweeps pass over",
    details: "SHA-256 in hex -> when (ms), a space, and the item, with the reason (JSON); at most 1,000",
    lifetime: "kept; those older than 100 days make room for others",
  }),
}

/** Acquirers' notices. */
export const inboxKeys = {
  notice: key(["tag", "id"], (tag, id) => `inb:${tag}:${id}`, {
    family: "notice",
    type: "hash",
    holds: "one notice of an acquirer; its body and headers are ciphertext",
    details:
      "`acquirer`, `provider_event_id`, `event_type`, `signature_valid`, `received_at`, `transaction`, `withdrawal`, " +
      "`end_to_end_id`, `refund_id`, `body_hash`, `attempts`, `processed_at`, `error`, `reprocessed_at`, and `body` and " +
      "`headers` (ciphertext). If one body carried several notices, `body_of` names the notice that keeps it",
    lifetime: "the retention; processed ones are evicted earlier when `INBOX_BYTES_MAX` is reached",
  }),
  notices: key(["tag"], (tag) => `inbox:${tag}`, {
    family: "inbox",
    type: "set by id",
    holds: "ids of all notices",
    lifetime: "trimmed to the retention",
  }),
  noticesOfState: key(["tag", "state"], (tag, state) => `inbox:${tag}:${state}`, {
    family: "inbox",
    type: "set by id",
    holds: "ids of the notices of one state",
    details:
      "`unprocessed` (waiting or given up), `done`, or `unsigned` (with a bad signature; the newest 20)",
    lifetime: "trimmed to the retention",
    values: { state: ["unprocessed", "done", "unsigned"] },
  }),
  inboxBytes: key(["tag"], (tag) => `inbox-bytes:${tag}`, {
    family: "inbox bytes",
    type: "hash",
    holds: "bytes that the correctly signed notices take",
    details: "id -> bytes of each, and the sums `open` and `done` that `INBOX_BYTES_MAX` bounds",
    lifetime: "follows the notices",
  }),
  noticeSeen: key(
    ["tag", "acquirer", "event"],
    (tag, acquirer, event) => `inbox-seen:${tag}:${acquirer}:${event}`,
    {
      family: "notice seen",
      type: "string",
      holds: "the notice that first reported an acquirer's event",
      lifetime: "the retention",
    },
  ),
}

export const exceptionKey = byId(exceptionKeys.exception.name)
export const exceptionFactsKey = exceptionKeys.exceptionFacts.name
export const exceptionsKey = (tag: string, state: ExceptionState): string =>
  exceptionKeys.exceptions.name(tag, state)
export const exceptionsOfKindKey = (
  tag: string,
  state: ExceptionState,
  kind: ExceptionKind,
  mode: Mode,
): string => exceptionKeys.exceptionsOfKind.name(tag, state, kind, mode)
export const pixClaimsKey = (account: string, endToEndId: string): string =>
  exceptionKeys.pixClaims.name(claimsTag(endToEndId), account)
export const sweepKey = exceptionKeys.sweep.name
export const sweepAccountsKey = exceptionKeys.sweepAccounts.name()
export const unreadKey = exceptionKeys.unread.name
export const unconfirmedKey = exceptionKeys.unconfirmed.name
export const acceptedKey = exceptionKeys.accepted.name

export const noticeKey = byId(inboxKeys.notice.name)
/** The index of all notices, or that of one state. */
export const noticesKey = (tag: string, state?: "unprocessed" | "done" | "unsigned"): string =>
  state === undefined ? inboxKeys.notices.name(tag) : inboxKeys.noticesOfState.name(tag, state)
export const inboxBytesKey = inboxKeys.inboxBytes.name
export const noticeSeenKey = inboxKeys.noticeSeen.name

import { accountKeys, sellerKeys } from "./accounts.ts"
import { channels } from "./channels.ts"
import { chargeKeys, customerKeys, paymentLinkKeys, refundKeys, reportKeys } from "./charges.ts"
import { deliveryKeys } from "./deliveries.ts"
import { exceptionKeys, inboxKeys } from "./exceptions.ts"
import { feedKeys } from "./feeds.ts"
import type { KeyKind } from "./keyKind.ts"
import { closingKeys, ledgerKeys, pixKeyKeys, withdrawalKeys } from "./money.ts"
import { runtimeKeys, serviceKeys } from "./service.ts"

type Kinds = Readonly<Record<string, KeyKind>>

/** Every kind of keys and channels, by the sections of docs/redis-keys.md. */
export const keyTable: Readonly<Record<string, Kinds>> = {
  "Events and feeds": feedKeys,
  Charges: { ...chargeKeys, ...customerKeys, ...paymentLinkKeys },
  Money: { ...ledgerKeys, ...withdrawalKeys, ...refundKeys, ...pixKeyKeys },
  "Exceptions and sweeps": exceptionKeys,
  Closings: closingKeys,
  Deliveries: deliveryKeys,
  "Reports by mail": reportKeys,
  "Inbox of acquirers' notices": inboxKeys,
  "Time and processes": runtimeKeys,
  "Sellers and API keys": sellerKeys,
  Accounts: accountKeys,
  "The service itself": serviceKeys,
  Channels: channels,
}

/** The same without sections: the name of each kind, and the kind. */
export const keyKinds: ReadonlyArray<readonly [name: string, kind: KeyKind]> = Object.values(
  keyTable,
).flatMap((kinds) => Object.entries(kinds))

/** A name as a template: each part as `<part>`. No name has a `<` of its own. */
export const templateOf = ({ name, parts }: KeyKind): string => name(...parts.map((part) => `<${part}>`))

/** A kind's name in Lua: `dead_attempts` of `deadAttempts`. */
export const luaNameOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const luaFunction = (name: string, kind: KeyKind): string => {
  const pieces = templateOf(kind).match(/<\w+>|[^<]+/g) ?? []
  const terms = pieces.map((piece) => (piece.startsWith("<") ? piece.slice(1, -1) : `'${piece}'`))
  return `function key_names.${luaNameOf(name)}(${kind.parts.join(", ")}) return ${terms.join(" .. ")} end`
}

/**
 * The Lua source of `key_names`, a table with a function for each kind that makes a name of its parts, and of `tag_of`, which
 * returns the hash tag of a key: `key_names.queue(tag_of(events), destination)`.
 */
export const luaKeyNames = (): string =>
  [
    "local key_names = {}",
    ...keyKinds.map(([name, kind]) => luaFunction(name, kind)),
    "local function tag_of(key) return string.match(key, '{[^}]*}') end",
    "",
  ].join("\n")

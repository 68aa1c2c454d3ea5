import { Option, type Redacted, Schema, SchemaGetter } from "effect"
import * as kind from "../../env/settingKinds.ts"
import type { SettingReader } from "../../env/settingReader.ts"
import { type BankProfile, bankNames, bankProfiles, payoutForms, tokenForms } from "./bankProfiles.ts"

/** The bank, and what of its profile is set otherwise (docs/partner.md#settings-of-a-bank). */
export interface BankSettings {
  readonly bank: BankProfile
  readonly appKey: Redacted.Redacted<string> | undefined
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>> | undefined
}

/** Scopes of RFC 6749 3.3, separated by single spaces. */
const scopeKind: kind.SettingKind<string> = {
  codec: kind.textThat((value) => value.length <= 1_024 && /^[!#-[\]-~]+( [!#-[\]-~]+)*$/.test(value)),
  mustBe: "scopes separated by single spaces, 1024 characters at most",
}

/** A window of a year covers the longest list that is asked for. */
const listWindowDaysMax = 366

const headersMax = 20
/** A name of RFC 9110 5.1. */
const headerNamePattern = /^[!#$%&'*+.^_`|~0-9a-z-]{1,64}$/
const headerValuePattern = /^[!-~]([ -~]{0,1022}[!-~])?$/
/** What the adapter or the connection sets itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...["authorization", "accept", "content-type", "content-length", "traceparent"],
  ...["host", "connection", "keep-alive", "transfer-encoding", "upgrade", "expect", "te", "trailer"],
])

const parseHeaders = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)),
)

/** The headers of a JSON object by names in lower case; undefined where one of them cannot be sent. */
const headersIn = (json: string): Readonly<Record<string, string>> | undefined => {
  const parsed = Option.getOrUndefined(parseHeaders(json))
  if (parsed === undefined) return undefined
  const given = Object.entries(parsed).map(([name, value]) => [name.toLowerCase(), value] as const)
  const isUsable = given.every(
    ([name, value]) =>
      headerNamePattern.test(name) && !ownHeaders.has(name) && headerValuePattern.test(value),
  )
  const headers = Object.fromEntries(given)
  const isDistinct = Object.keys(headers).length === given.length
  return isUsable && isDistinct && given.length <= headersMax ? headers : undefined
}

const headersKind: kind.SettingKind<Readonly<Record<string, string>>> = {
  codec: kind
    .textThat((value) => headersIn(value) !== undefined)
    .pipe(
      Schema.decodeTo(Schema.Record(Schema.String, Schema.String), {
        decode: SchemaGetter.transform((value) => headersIn(value) ?? {}),
        encode: SchemaGetter.forbiddenEncoding,
      }),
    ),
  mustBe: `a JSON object of at most ${headersMax} headers, each a name and a value of 1 to 1024 ASCII characters, none of which the service sets itself`,
}

const readProfile = (reader: SettingReader): BankProfile => {
  const name = reader.value("API_PIX_BANK", kind.oneOf(...bankNames), "efi", "Leave it out for Efí.")
  const profile: BankProfile = bankProfiles[name]
  const own = `Leave it out to do as API_PIX_BANK=${name}.`
  const payouts = reader.value("API_PIX_PAYOUTS", kind.oneOf(...payoutForms), profile.payouts, own)
  return {
    ...profile,
    tokenForm: reader.value("API_PIX_TOKEN_AUTH", kind.oneOf(...tokenForms), profile.tokenForm, own),
    scope: reader.optional("API_PIX_SCOPE", scopeKind, own) ?? profile.scope,
    listWindowDays: reader.value(
      "API_PIX_LIST_WINDOW_DAYS",
      kind.wholeNumber(1, listWindowDaysMax),
      profile.listWindowDays,
      own,
    ),
    payouts,
    hasSentList: profile.hasSentList || payouts !== "manual",
  }
}

/** Reads which bank it is, and each part of its profile that is set by itself. */
export const readBankSettings = (reader: SettingReader): BankSettings => {
  const bank = readProfile(reader)
  const appKey = reader.secret(
    "API_PIX_APP_KEY",
    kind.tokenText(1, 512),
    "It is the key of your application at Banco do Brasil.",
  )
  if (bank.hasAppKey && !reader.isSecretSet("API_PIX_APP_KEY")) {
    reader.refuse("API_PIX_APP_KEY is not set, and API_PIX_BANK=bb needs it.")
  }
  const headers = reader.secret("API_PIX_HEADERS", headersKind, 'Set it like {"x-conta-corrente":"123456"}.')
  return { bank, appKey, headers }
}

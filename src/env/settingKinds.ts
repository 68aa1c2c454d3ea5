import { isIP } from "node:net"
import { type LogLevel, Schema, SchemaGetter } from "effect"

/** How a setting is read: its codec, and the words that complete "must be …" in an error. */
export interface SettingKind<A> {
  readonly codec: Schema.Codec<A, string>
  readonly mustBe: string
}

/** Text that passes the check, kept as it is. */
export const textThat = (accepts: (value: string) => boolean): Schema.Codec<string, string> =>
  Schema.String.check(Schema.makeFilter(accepts))

/** Applies `change` to the text before `codec`. Decodes only: nothing writes settings. */
const after = <A, E>(change: (value: string) => E, codec: Schema.Codec<A, E>): Schema.Codec<A, string> =>
  Schema.String.pipe(
    Schema.decodeTo(codec, {
      decode: SchemaGetter.transform(change),
      encode: SchemaGetter.forbiddenEncoding,
    }),
  )

const urlOf = (value: string): URL | undefined => (URL.canParse(value) ? new URL(value) : undefined)

/** Whether a text is a URL of one of the schemes, without user or password. */
const isPlainUrl = (value: string, ...schemes: ReadonlyArray<"http" | "https" | "rediss">): boolean => {
  const url = urlOf(value)
  return (
    url !== undefined &&
    schemes.some((scheme) => url.protocol === `${scheme}:`) &&
    url.username === "" &&
    url.password === ""
  )
}

/** An integer from `min` to `max`, both inclusive. */
export const wholeNumber = (min: number, max: number): SettingKind<number> => ({
  codec: textThat((value) => /^\d{1,15}$/.test(value)).pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: min, maximum: max })), {
      decode: SchemaGetter.Number(),
      encode: SchemaGetter.String(),
    }),
  ),
  mustBe: `a whole number from ${min} to ${max}`,
})

/** Exactly `count` numbers of seconds from 0.01 to `max`, comma-separated; read as milliseconds. */
export const secondsList = (count: number, max: number): SettingKind<ReadonlyArray<number>> => ({
  codec: after(
    (value) =>
      value
        .split(",")
        .map((part) => (/^\s*\d+(\.\d+)?\s*$/.test(part) ? Math.round(Number(part) * 1000) : Number.NaN)),
    Schema.Array(Schema.Finite.check(Schema.isBetween({ minimum: 10, maximum: max * 1000 }))).check(
      Schema.makeFilter((delays) => delays.length === count),
    ),
  ),
  mustBe: `${count} numbers of seconds from 0.01 to ${max}, separated by commas`,
})

/** One of `words`. */
export const oneOf = <const W extends ReadonlyArray<string>>(...words: W): SettingKind<W[number]> => ({
  codec: Schema.Literals(words),
  mustBe: words.length === 1 ? `${words[0]}` : `one of ${words.join(", ")}`,
})

/** Text of 1 to `lengthMax` characters without control characters. */
export const plainText = (lengthMax: number): SettingKind<string> => ({
  codec: textThat((value) => value.length <= lengthMax && !/\p{Cc}/u.test(value)),
  mustBe: `1 to ${lengthMax} characters`,
})

/** A token of `lengthMin` to `lengthMax` characters, sent in a header as it is. */
export const tokenText = (lengthMin: number, lengthMax: number): SettingKind<string> => ({
  codec: textThat(
    (value) => value.length >= lengthMin && value.length <= lengthMax && /^[!-~]+$/.test(value),
  ),
  mustBe: `${lengthMin} to ${lengthMax} ASCII characters without spaces`,
})

/** A merchant's name or city in a BR Code (docs/contract/transactions.md#pix-code). */
export const asciiText = (lengthMax: number): SettingKind<string> => ({
  codec: textThat((value) => value.length <= lengthMax && /^[ -~]+$/.test(value)),
  mustBe: `1 to ${lengthMax} ASCII characters, without accents`,
})

/** A host name of at most `lengthMax` characters, without scheme, port or path; converted to lower case. */
export const hostName = (lengthMax: number): SettingKind<string> => ({
  codec: after(
    (value) => value.toLowerCase(),
    textThat(
      (value) =>
        value.length <= lengthMax &&
        value.split(".").every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)),
    ),
  ),
  mustBe: `a host name of at most ${lengthMax} characters, without scheme, port or path`,
})

/** An address to listen on: an IP address or a host name. */
export const listenHost: SettingKind<string> = {
  codec: Schema.Union([textThat((value) => isIP(value) !== 0), hostName(253).codec]),
  mustBe: "an IP address or a host name of this machine",
}

/** The service's public address; a trailing slash is dropped. */
export const publicUrl: SettingKind<string> = {
  codec: after(
    (value) => value.replace(/\/+$/, ""),
    textThat((value) => isPlainUrl(value, "http", "https") && !/[?#]/.test(value)),
  ),
  mustBe: "an http or https URL without user, query or fragment",
}

/** The address of a page that browsers open. */
export const pageUrl: SettingKind<string> = {
  codec: textThat((value) => isPlainUrl(value, "http", "https") && value.length <= 2_048),
  mustBe: "an http or https URL of at most 2048 characters without user",
}

/** An acquirer's address; a trailing slash is dropped. */
export const httpsUrl: SettingKind<string> = {
  codec: after(
    (value) => value.replace(/\/+$/, ""),
    textThat((value) => isPlainUrl(value, "https") && !/[?#]/.test(value)),
  ),
  mustBe: "an https URL without user, query or fragment",
}

/** The mail server that sends our mails. */
export const smtpUrl: SettingKind<string> = {
  codec: textThat((value) => {
    const url = urlOf(value)
    return url !== undefined && ["smtp:", "smtps:"].includes(url.protocol) && url.hostname !== ""
  }),
  mustBe: "an smtp:// or smtps:// URL with a host",
}

/** 32 bytes in base64. */
export const keyOf32Bytes: SettingKind<Uint8Array> = {
  codec: textThat((value) => /^[A-Za-z0-9+/]{43}=$/.test(value)).pipe(
    Schema.decodeTo(Schema.Uint8ArrayFromBase64),
  ),
  mustBe: "32 bytes in base64 (44 characters)",
}

/** A comma-separated list; whitespace around items, empty items and duplicates are ignored. */
const commaList = (accepts: (item: string) => boolean, normal: (item: string) => string) =>
  after((value) => {
    const items = value.split(",").map((item) => item.trim())
    return [
      ...new Set(items.filter((item) => item !== "").map((item) => (accepts(item) ? normal(item) : ""))),
    ]
  }, Schema.Array(Schema.NonEmptyString))

/** Whether a URL is an origin and nothing more; of Redis with its port, which has no default in the URL standard. */
const isOrigin = (text: string): boolean => {
  const { protocol, pathname, port } = new URL(text)
  return /^\/?$/.test(pathname) && !/[?#]/.test(text) && (protocol !== "rediss:" || port !== "")
}

const originOf = (text: string): string => {
  const { protocol, host, origin } = new URL(text)
  return protocol === "rediss:" ? `${protocol}//${host.toLowerCase()}` : origin
}

/** Origins with one of `schemes`, normalized to `scheme://host`, plus the port unless it is the scheme's default. */
export const originList = (
  ...schemes: ReadonlyArray<"http" | "https" | "rediss">
): SettingKind<ReadonlyArray<string>> => ({
  codec: commaList((item) => isPlainUrl(item, ...schemes) && isOrigin(item), originOf),
  mustBe: `origins like ${schemes.map((scheme) => `${scheme}://host:port`).join(" or ")}, separated by commas`,
})

/** IP addresses and CIDR ranges. */
export const addressRangeList: SettingKind<ReadonlyArray<string>> = {
  codec: commaList(
    (item) => {
      const [address = "", prefix, ...rest] = item.split("/")
      const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
      const prefixFits = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
      return bits > 0 && prefixFits && rest.length === 0
    },
    (item) => item.toLowerCase(),
  ),
  mustBe: "IP addresses or CIDR ranges like 10.0.0.0/8, separated by commas",
}

/** A share, from 0 to 1. */
export const ratio: SettingKind<number> = {
  codec: textThat((value) => /^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(value)).pipe(
    Schema.decodeTo(Schema.Finite, { decode: SchemaGetter.Number(), encode: SchemaGetter.String() }),
  ),
  mustBe: "a number from 0 to 1",
}

const headerPairsMax = 20

/** Headers as `name=value,name=value`, values percent-encoded (OpenTelemetry's OTLP exporter specification); undefined if wrong. */
const headerPairsIn = (text: string): Readonly<Record<string, string>> | undefined => {
  const headers: Record<string, string> = {}
  for (const pair of text.split(",")) {
    const [, name, encoded] =
      /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64})\s*=\s*([!-~]{1,4096})\s*$/.exec(pair) ?? []
    if (name === undefined || encoded === undefined) return undefined
    if (/%(?![0-9A-Fa-f]{2})/.test(encoded)) return undefined
    const value = encoded.replace(/%([0-9A-Fa-f]{2})/g, (_, hex) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    if (!/^[!-~]([ -~]*[!-~])?$/.test(value)) return undefined
    headers[name.toLowerCase()] = value
  }
  return Object.keys(headers).length <= headerPairsMax ? headers : undefined
}

/** Headers of requests, as OpenTelemetry's settings write them. */
export const headerPairs: SettingKind<Readonly<Record<string, string>>> = {
  codec: textThat((value) => headerPairsIn(value) !== undefined).pipe(
    Schema.decodeTo(Schema.Record(Schema.String, Schema.String), {
      decode: SchemaGetter.transform((value) => headerPairsIn(value) ?? {}),
      encode: SchemaGetter.forbiddenEncoding,
    }),
  ),
  mustBe: `at most ${headerPairsMax} headers like name=value, separated by commas, with percent-encoded values`,
}

const logLevels = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  none: "None",
} as const

/** The least severe level that is logged. */
export const logLevel: SettingKind<LogLevel.LogLevel> = {
  codec: after(
    (value) => Object.entries(logLevels).find(([word]) => word === value.toLowerCase())?.[1] ?? value,
    Schema.Literals(Object.values(logLevels)),
  ),
  mustBe: `one of ${Object.keys(logLevels).join(", ")}`,
}

import { Effect, Schema, SchemaGetter } from "effect"
import { AcquirerUnavailable } from "../../../actors/ports/acquirer.ts"
import { centavosOf, decimalOf, decimalPattern } from "./amounts.ts"
import type { Answer } from "./client.ts"

/** Ids of acquirers: endToEndId, txid, idEnvio and devolução ids are all shorter and simpler. */
export const idPattern = /^[A-Za-z0-9_-]{1,64}$/

/** An id that is safe in a key, a path or a log. */
export const WireId = Schema.String.check(Schema.isPattern(idPattern))

/** An amount: text on the wire, centavos here. */
const WireAmount = Schema.String.check(Schema.isPattern(decimalPattern)).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((text) => centavosOf(text) ?? Number.NaN),
    encode: SchemaGetter.transform(decimalOf),
  }),
)

/** A field that acquirers omit or set to null. */
export const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optional(Schema.NullOr(schema))

/** BCB `Devolucao`: money going back, sent by us or taken by a bank (MED). */
export const WireRefund = Schema.Struct({
  id: WireId,
  valor: WireAmount,
  natureza: maybe(Schema.String),
  /** When it was asked for and settled; no form of it makes the return unreadable. */
  horario: Schema.optional(Schema.Unknown),
  status: Schema.String,
  /** The return's own end-to-end id. */
  rtrId: maybe(Schema.String),
  /** Why it is in its state: a code or a sentence. */
  motivo: maybe(Schema.String),
})
export type WireRefund = typeof WireRefund.Type

/** BCB `Pix`: a transfer to us. */
export const WirePix = Schema.Struct({
  endToEndId: WireId,
  txid: maybe(Schema.String),
  valor: WireAmount,
  devolucoes: maybe(Schema.Array(WireRefund)),
})
export type WirePix = typeof WirePix.Type

/** BCB `CobGerada` and `CobCompleta`: a charge. */
export const WireCharge = Schema.Struct({
  txid: Schema.String,
  status: Schema.String,
  valor: Schema.Struct({ original: WireAmount }),
  location: maybe(Schema.String),
  loc: maybe(Schema.Struct({ location: maybe(Schema.String) })),
  /** Its BR Code; the location is optional where this is there. */
  pixCopiaECola: maybe(Schema.String),
  pix: maybe(Schema.Array(WirePix)),
})
export type WireCharge = typeof WireCharge.Type

const WireFault = Schema.Struct({
  codigo: maybe(Schema.String),
  motivo: maybe(Schema.String),
})

/** Money of a payout that its receiver's bank gave back. */
const WirePayoutReturn = Schema.Struct({ valor: WireAmount, status: Schema.String })

/** A payout as Efí reports it; the transfer is `e2eId` when sent and `endToEndId` when queried. */
export const WirePayout = Schema.Struct({
  idEnvio: maybe(Schema.String),
  endToEndId: maybe(WireId),
  e2eId: maybe(WireId),
  valor: WireAmount,
  status: Schema.String,
  motivo: maybe(Schema.String),
  erro: maybe(WireFault),
  gnExtras: maybe(Schema.Struct({ erro: maybe(WireFault) })),
  devolucoes: maybe(Schema.Array(WirePayoutReturn)),
})
export type WirePayout = typeof WirePayout.Type

/** Decodes the body of an answer; one that does not match is inconclusive. */
export const readBody = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return (operation: string, { statusCode, body }: Answer): Effect.Effect<S["Type"], AcquirerUnavailable> =>
    Effect.mapError(
      decode(body),
      () =>
        new AcquirerUnavailable({
          operation,
          reason: `answered ${statusCode} with a body of an unexpected shape`,
        }),
    )
}

/** The members of RFC 7807, as BCB uses it, and of Efí's own form. */
const problemNames = ["type", "detail", "title", "mensagem", "nome", "codigo"] as const

/** The members of an object; none for anything else. */
const membersOf = (json: unknown): Readonly<Record<string, unknown>> =>
  typeof json === "object" && json !== null ? (json as Readonly<Record<string, unknown>>) : {}

/** A problem's texts; a member of another type is as if it were not there. Banco do Brasil has a list, `erros`. */
const problemTexts = (body: unknown): Partial<Record<(typeof problemNames)[number], string>> => {
  const { erros, ...own } = membersOf(body)
  const members = Array.isArray(erros) ? membersOf(erros[0]) : own
  return Object.fromEntries(
    problemNames.flatMap((name) => (typeof members[name] === "string" ? [[name, members[name]]] : [])),
  )
}

/** Enough for a sentence; sellers see it. */
const reasonLengthMax = 200

/** The Central Bank's problem types: `https://pix.bcb.gov.br/api/v2/error/PixDevolucaoInvalida`. */
const problemTypePattern = /\/error\/(\w{1,64})$/

/** The text of a problem body as one line of at most 200 characters; undefined if there is none. */
export const problemOf = (body: unknown): string | undefined => {
  const { detail, mensagem, title, nome, type } = problemTexts(body)
  const kind = problemTypePattern.exec(type ?? "")?.[1]
  return [detail, mensagem, title, nome, kind].map(oneLine).find((text) => text !== "")
}

/** ISO 20022's code for it, and the words of problem types, names and sentences: `SaldoInsuficiente`, `saldo_insuficiente`. */
const withoutFundsPattern = /^AM04\b|saldo[\s_]*(?:\S+[\s_]+){0,4}insuficiente\b/i

/** Whether one of an acquirer's codes, names or sentences says that our account there lacks the money. */
export const isWithoutFunds = (texts: ReadonlyArray<string | null | undefined>): boolean =>
  texts.some((text) => withoutFundsPattern.test(text ?? ""))

/** Whether a problem body says that our account lacks the money. */
export const isProblemWithoutFunds = (body: unknown): boolean =>
  isWithoutFunds(Object.values(problemTexts(body)))

/** Endings of the names for "not found": the Central Bank's problem types, and Efí's names. */
const notFoundTypePattern = /NaoEncontrad[oa]$/
const notFoundNamePattern = /_nao_encontrado$/

/**
 * Whether the acquirer itself does not know the resource: a 404 with its own name for that. Proxies, gateways and
 * wrong paths answer 404 too, which says nothing about what the acquirer knows.
 */
export const isNotFound = ({ statusCode, body }: Answer): boolean => {
  if (statusCode !== 404) return false
  const { type, nome } = problemTexts(body)
  return notFoundTypePattern.test(type ?? "") || notFoundNamePattern.test(nome ?? "")
}

/** Text of an acquirer as one line that is safe to show and store. */
export const oneLine = (text: string | null | undefined): string =>
  [...(text ?? "").replaceAll(/[\p{C}\s]+/gu, " ").trim()].slice(0, reasonLengthMax).join("")

/** A time of RFC 3339 (section 5.6): `T` and `Z` may be lower case, and a space may stand for `T`. */
const timePattern = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/** The milliseconds of a time as API Pix writes it, cut off below; undefined for anything else. */
export const millisOf = (time: unknown): number | undefined => {
  const parts = typeof time === "string" ? timePattern.exec(time) : null
  if (parts === null) return undefined
  const [, date, minute, second = "", fraction = "", zone = ""] = parts
  // A leap second, which JavaScript does not know.
  const isLeap = second === "60"
  const whole = `${date}T${minute}:${isLeap ? "59" : second}${fraction.slice(0, 4)}${zone.toUpperCase()}`
  const millis = Date.parse(whole) + (isLeap ? 1_000 : 0)
  return Number.isNaN(millis) ? undefined : millis
}

/** Names this acquirer in settings, paths and records. */
export const apiPixSlug = "api-pix"

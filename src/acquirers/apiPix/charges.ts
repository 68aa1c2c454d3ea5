import { Effect, Result, Schema } from "effect"
import {
  type Acquirer,
  AcquirerRefused,
  AcquirerUnavailable,
  type ChargeAccepted,
  type ChargeQuery,
  type ChargeRequest,
} from "../../../actors/ports/acquirer.ts"
import { readBankCode } from "../../pixCode/bankCode.ts"
import { decimalOf } from "./amounts.ts"
import { readReceived } from "./books.ts"
import { chargeReport, contradictionOf, firstAskMillis, listedTransfers } from "./chargeReport.ts"
import { type Answer, type ApiPixClient, lookUpTimeoutMillis } from "./client.ts"
import { isNotFound, problemOf, readBody, WireCharge, WirePix } from "./wire.ts"

/** What charge calls need. */
export interface ChargeCalls {
  readonly client: ApiPixClient
  /** Where `/cob` and `/pix` are, without a trailing slash. */
  readonly baseUrl: string
  /** Where charges are removed: elsewhere at some banks. */
  readonly removalUrl: string
  /** The PIX key that collects. */
  readonly pixKey: string
}

/** The longest location that fits BR Code field 26-25 (docs/contract/transactions.md#pix-code). */
const locationPattern = /^[\x21-\x7e]{1,77}$/

/** Status codes that refuse a removal: the charge is removed or paid already, or was never there. */
const removalRefusals: ReadonlySet<number> = new Set([400, 404, 409, 410, 422])

const readCharge = readBody(WireCharge)
const readTransfer = readBody(WirePix)

const isOk = ({ statusCode }: Answer): boolean => statusCode >= 200 && statusCode < 300

const unavailable = (operation: string, reason: string) => new AcquirerUnavailable({ operation, reason })

/** A refusal with the acquirer's own reason, if it gives one. */
const refusal = ({ statusCode, body }: Answer) =>
  new AcquirerRefused({ reason: problemOf(body) ?? `the acquirer answered ${statusCode}` })

/** Whether the acquirer says that it has no such charge or transfer, or no longer (BCB `PermanentementeRemovido`). */
const isNotThere = (answer: Answer): boolean =>
  isNotFound(answer) || (answer.statusCode === 410 && problemOf(answer.body) !== undefined)

/** Whether the acquirer says that a transfer does not exist; 400 means that a notice named something that is not an id. */
const isNoTransfer = (answer: Answer): boolean => isNotThere(answer) || answer.statusCode === 400

/** Looks something up by its id; undefined if the acquirer does not know it. */
const lookUp = Effect.fnUntraced(function* <A>(
  { client }: ChargeCalls,
  operation: string,
  url: string,
  read: (operation: string, answer: Answer) => Effect.Effect<A, AcquirerUnavailable>,
  options: { readonly timeoutMillis?: number; readonly isUnknown?: (answer: Answer) => boolean } = {},
) {
  const { timeoutMillis, isUnknown = isNotThere } = options
  const answer = yield* client.call({
    operation,
    method: "GET",
    url,
    isRepeatable: true,
    ...(timeoutMillis === undefined ? {} : { timeoutMillis }),
  })
  if (isOk(answer)) return yield* read(operation, answer)
  if (isUnknown(answer)) return undefined
  return yield* unavailable(operation, `answered ${answer.statusCode} to a lookup`)
})

const chargeUrl = ({ baseUrl }: Pick<ChargeCalls, "baseUrl">, txid: string) =>
  `${baseUrl}/cob/${encodeURIComponent(txid)}`
const transferUrl = ({ baseUrl }: ChargeCalls, endToEndId: string) =>
  `${baseUrl}/pix/${encodeURIComponent(endToEndId)}`

const chargeBody = ({ pixKey }: ChargeCalls, { amount, customer, expiresInSeconds }: ChargeRequest) => ({
  calendario: { expiracao: expiresInSeconds },
  devedor: {
    [customer.document.length === 11 ? "cpf" : "cnpj"]: customer.document,
    nome: customer.name,
  },
  valor: { original: decimalOf(amount) },
  chave: pixKey,
})

/** Whether the charge is the requested one and can be or has been paid. */
const isTheSame = (request: ChargeRequest, charge: WireCharge): boolean =>
  charge.txid === request.txid &&
  charge.valor.original === request.amount &&
  (charge.status === "ATIVA" || charge.status === "CONCLUIDA")

/** A charge by its location or, where it has none that fits, by the bank's own BR Code. */
const accepted = (charge: WireCharge): Effect.Effect<ChargeAccepted, AcquirerUnavailable> => {
  const location = (charge.location ?? charge.loc?.location ?? "").replace(/^https?:\/\//i, "")
  if (locationPattern.test(location)) return Effect.succeed({ location, askAfterMillis: firstAskMillis })
  const brCode = charge.pixCopiaECola ?? ""
  if (brCode === "")
    return Effect.fail(unavailable("createCharge", "answered without a location that fits a BR Code"))
  const reading = readBankCode(brCode, charge.valor.original)
  return Result.isSuccess(reading)
    ? Effect.succeed({ location: reading.success, brCode, askAfterMillis: firstAskMillis })
    : Effect.fail(unavailable("createCharge", `answered with a pixCopiaECola that ${reading.failure}`))
}

/** PUT /cob/{txid}; asks by GET if the answer leaves the outcome open (docs/architecture.md#rule-7). */
export const createCharge = (calls: ChargeCalls): Acquirer["createCharge"] =>
  Effect.fnUntraced(function* (request) {
    const operation = "createCharge"
    const url = chargeUrl(calls, request.txid)
    const put = Effect.gen(function* () {
      const body = chargeBody(calls, request)
      const answer = yield* calls.client.call({ operation, method: "PUT", url, body, isRepeatable: true })
      if (!isOk(answer)) return yield* refusal(answer)
      const made = yield* readCharge(operation, answer)
      if (!isTheSame(request, made)) {
        return yield* unavailable(operation, "answered with something other than requested")
      }
      return yield* accepted(made)
    })
    const result = yield* Effect.result(put)
    if (Result.isSuccess(result)) return result.success
    // An earlier call, or this one unnoticed, may have created it.
    const found = yield* lookUp(calls, operation, url, readCharge, { timeoutMillis: lookUpTimeoutMillis })
    return yield* found !== undefined && isTheSame(request, found)
      ? accepted(found)
      : Effect.fail(result.failure)
  })

/** Whether a transfer is the charge's: by its txid or, where it has none, because the charge has it. */
const isOfCharge = (
  { txid, endToEndId }: ChargeQuery,
  listed: ReadonlyArray<WirePix>,
  transfer: WirePix,
): boolean => {
  if (typeof transfer.txid === "string") return transfer.txid === txid
  const known = [endToEndId, ...listed.map((pix) => pix.endToEndId)]
  return known.includes(transfer.endToEndId)
}

/** GET /cob/{txid}, and GET /pix/{e2eid} for known and noticed transfers. */
export const queryCharge = (calls: ChargeCalls): Acquirer["queryCharge"] => {
  const operation = "queryCharge"
  const transferOf = (endToEndId: string) =>
    Effect.map(
      lookUp(calls, operation, transferUrl(calls, endToEndId), readTransfer, { isUnknown: isNoTransfer }),
      (transfer): ReadonlyArray<WirePix> => (transfer?.endToEndId === endToEndId ? [transfer] : []),
    )
  return Effect.fnUntraced(function* (query) {
    const named = new Set([query.endToEndId, query.noticedEndToEndId].filter((id) => typeof id === "string"))
    const { charge, transfers } = yield* Effect.all(
      {
        charge: lookUp(calls, operation, chargeUrl(calls, query.txid), readCharge),
        transfers: Effect.forEach(named, transferOf, { concurrency: "unbounded" }),
      },
      { concurrency: "unbounded" },
    )
    if (charge !== undefined && charge.txid !== query.txid) {
      return yield* unavailable(operation, "answered with another charge")
    }
    const listed = listedTransfers(query.txid, charge)
    const found = transfers.flat().filter((transfer) => isOfCharge(query, listed, transfer))
    const contradiction = contradictionOf([...listed, ...found])
    if (contradiction !== undefined) return yield* unavailable(operation, contradiction)
    return chargeReport(query, charge, found)
  })
}

const readPix = (operation: string, { body }: Answer) => {
  const reading = readReceived(body)
  return Result.isSuccess(reading)
    ? Effect.succeed(reading.success)
    : Effect.fail(unavailable(operation, `answered with a Pix that cannot be read: ${reading.failure}`))
}

/** GET /pix/{e2eid}; an answer about another Pix says nothing about this one. */
export const queryPix =
  (calls: ChargeCalls): NonNullable<Acquirer["queryPix"]> =>
  (endToEndId) => {
    const url = transferUrl(calls, endToEndId)
    return Effect.map(lookUp(calls, "queryPix", url, readPix, { isUnknown: isNoTransfer }), (pix) =>
      pix?.endToEndId === endToEndId ? pix : undefined,
    )
  }

/** Some acquirers accept the removal of a paid charge, leave it as it is, and show that in the answer. */
const isStillThere = (answer: Answer): boolean => {
  const charge = Schema.decodeUnknownOption(WireCharge)(answer.body)
  return charge._tag === "Some" && charge.value.status === "CONCLUIDA"
}

/** PATCH /cob/{txid} */
export const cancelCharge = (calls: ChargeCalls): Acquirer["cancelCharge"] =>
  Effect.fnUntraced(function* (txid) {
    const operation = "cancelCharge"
    const answer = yield* calls.client.call({
      operation,
      method: "PATCH",
      url: chargeUrl({ baseUrl: calls.removalUrl }, txid),
      body: { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" },
      isRepeatable: true,
    })
    if (isOk(answer)) return isStillThere(answer) ? "refused" : "removed"
    if (removalRefusals.has(answer.statusCode)) return "refused"
    return yield* unavailable(operation, `answered ${answer.statusCode}`)
  })

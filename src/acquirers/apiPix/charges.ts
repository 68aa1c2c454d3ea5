import { Effect, Result } from "effect"
import {
  type Acquirer,
  AcquirerRefused,
  AcquirerUnavailable,
  type ChargeAccepted,
  type ChargeRequest,
} from "../../../actors/ports/acquirer.ts"
import { decimalOf } from "./amounts.ts"
import { chargeReport, firstAskMillis, refundReport } from "./chargeReport.ts"
import { type Answer, type ApiPixClient, lookUpTimeoutMillis } from "./client.ts"
import { problemOf, readBody, WireCharge, WirePix, WireRefund } from "./wire.ts"

/** What the calls of charges need. */
export interface ChargeCalls {
  readonly client: ApiPixClient
  /** Where `/cob` and `/pix` are, without a slash at the end. */
  readonly baseUrl: string
  /** The PIX key that collects. */
  readonly pixKey: string
}

/** BR Code field 26-25 holds at most so many characters (decisions 2). */
const locationPattern = /^[\x21-\x7e]{1,77}$/

/** BCB: answers by which a removal is over: it is removed or paid already, or was never there. */
const removalIsOver: ReadonlySet<number> = new Set([400, 404, 409, 410, 422])

const readCharge = readBody(WireCharge)
const readTransfer = readBody(WirePix)
const readRefund = readBody(WireRefund)

const isOk = ({ statusCode }: Answer): boolean => statusCode >= 200 && statusCode < 300

const unavailable = (operation: string, reason: string) => new AcquirerUnavailable({ operation, reason })

/** A refusal with the partner's own words, if it has some. */
const refusal = ({ statusCode, body }: Answer) =>
  new AcquirerRefused({ reason: problemOf(body) ?? `the partner answered ${statusCode}` })

/** BCB: answers by which something is not there; 400 where the partner takes the id for none at all. */
const isNotThere: ReadonlySet<number> = new Set([400, 404])

/** Looks something up by its id: undefined where the partner does not know it. */
const lookUp = Effect.fnUntraced(function* <A>(
  { client }: ChargeCalls,
  operation: string,
  url: string,
  read: (operation: string, answer: Answer) => Effect.Effect<A, AcquirerUnavailable>,
  timeoutMillis?: number,
) {
  const answer = yield* client.call({
    operation,
    method: "GET",
    url,
    isRepeatable: true,
    ...(timeoutMillis === undefined ? {} : { timeoutMillis }),
  })
  if (isOk(answer)) return yield* read(operation, answer)
  if (isNotThere.has(answer.statusCode)) return undefined
  return yield* unavailable(operation, `answered ${answer.statusCode} to a look-up`)
})

const chargeUrl = ({ baseUrl }: ChargeCalls, txid: string) => `${baseUrl}/cob/${encodeURIComponent(txid)}`
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

/** Whether a charge of the partner is the one that was asked for, and can be paid or is. */
const isTheSame = (request: ChargeRequest, charge: WireCharge): boolean =>
  charge.txid === request.txid &&
  charge.valor.original === request.amount &&
  (charge.status === "ATIVA" || charge.status === "CONCLUIDA")

const accepted = (charge: WireCharge): Effect.Effect<ChargeAccepted, AcquirerUnavailable> => {
  const location = (charge.location ?? charge.loc?.location ?? "").replace(/^https?:\/\//i, "")
  return locationPattern.test(location)
    ? Effect.succeed({ location, askAfterMillis: firstAskMillis })
    : Effect.fail(unavailable("createCharge", "answered without a location that fits a BR Code"))
}

/** A PUT under our own id, how its answer is read, and which of what is found by GET is what was asked for. */
interface OwnPut<A, Report> {
  readonly operation: string
  readonly url: string
  readonly body: unknown
  readonly read: (operation: string, answer: Answer) => Effect.Effect<A, AcquirerUnavailable>
  readonly isOurs: (found: A) => boolean
  readonly report: (found: A) => Effect.Effect<Report, AcquirerUnavailable>
}

/** Does it, and asks by GET for what the answer does not tell: unknown is not failed (rule 7). */
const putOrFind = Effect.fnUntraced(function* <A, Report>(calls: ChargeCalls, own: OwnPut<A, Report>) {
  const { operation, url, body, read } = own
  const put = Effect.gen(function* () {
    const answer = yield* calls.client.call({ operation, method: "PUT", url, body, isRepeatable: true })
    if (!isOk(answer)) return yield* refusal(answer)
    const made = yield* read(operation, answer)
    if (!own.isOurs(made)) return yield* unavailable(operation, "answered with other than was asked for")
    return yield* own.report(made)
  })
  const result = yield* Effect.result(put)
  if (Result.isSuccess(result)) return result.success
  // It may be there from an earlier call, or from this one without our knowing.
  const found = yield* lookUp(calls, operation, url, read, lookUpTimeoutMillis)
  return yield* found !== undefined && own.isOurs(found) ? own.report(found) : Effect.fail(result.failure)
})

/** PUT /cob/{txid} */
export const createCharge =
  (calls: ChargeCalls): Acquirer["createCharge"] =>
  (request) =>
    putOrFind(calls, {
      operation: "createCharge",
      url: chargeUrl(calls, request.txid),
      body: chargeBody(calls, request),
      read: readCharge,
      isOurs: (charge) => isTheSame(request, charge),
      report: accepted,
    })

/** GET /cob/{txid}, and GET /pix/{e2eid} for the transfers that we know of or were told of. */
export const queryCharge = (calls: ChargeCalls): Acquirer["queryCharge"] => {
  const operation = "queryCharge"
  const transferOf = (txid: string, endToEndId: string) =>
    Effect.map(
      lookUp(calls, operation, transferUrl(calls, endToEndId), readTransfer),
      (transfer): ReadonlyArray<WirePix> =>
        transfer?.endToEndId === endToEndId && transfer.txid === txid ? [transfer] : [],
    )
  return Effect.fnUntraced(function* (query) {
    const named = new Set([query.endToEndId, query.noticedEndToEndId].filter((id) => typeof id === "string"))
    const { charge, transfers } = yield* Effect.all(
      {
        charge: lookUp(calls, operation, chargeUrl(calls, query.txid), readCharge),
        transfers: Effect.forEach(named, (endToEndId) => transferOf(query.txid, endToEndId), {
          concurrency: "unbounded",
        }),
      },
      { concurrency: "unbounded" },
    )
    if (charge !== undefined && charge.txid !== query.txid) {
      return yield* unavailable(operation, "answered with another charge than was asked for")
    }
    return chargeReport(query, charge, transfers.flat())
  })
}

/** PATCH /cob/{txid}; one that cannot be removed any more is left as it is. */
export const cancelCharge = (calls: ChargeCalls): Acquirer["cancelCharge"] =>
  Effect.fnUntraced(function* (txid) {
    const operation = "cancelCharge"
    const answer = yield* calls.client.call({
      operation,
      method: "PATCH",
      url: chargeUrl(calls, txid),
      body: { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" },
      isRepeatable: true,
    })
    if (isOk(answer) || removalIsOver.has(answer.statusCode)) return
    return yield* unavailable(operation, `answered ${answer.statusCode}`)
  })

/** PUT /pix/{e2eid}/devolucao/{id} */
export const refund =
  (calls: ChargeCalls): Acquirer["refund"] =>
  ({ endToEndId, refundId, amount }) =>
    putOrFind(calls, {
      operation: "refund",
      url: `${transferUrl(calls, endToEndId)}/devolucao/${encodeURIComponent(refundId)}`,
      body: { valor: decimalOf(amount) },
      read: readRefund,
      isOurs: ({ id, valor }) => id === refundId && valor === amount,
      report: (told) => Effect.succeed(refundReport(told)),
    })

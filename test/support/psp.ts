import { createHmac, randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer, type Server } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createAuthority } from "./certificates.ts"
import { asksAsTheBankWants, bankOf, type PspBankName, type PspClient } from "./pspBanks.ts"
import {
  changeRefund,
  emptyBooks,
  makePayout,
  type PspBooks,
  type PspCharge,
  type PspLists,
  type PspPayment,
  type PspPayout,
  type PspStrangePayout,
  type PspTotals,
  type PspTransfer,
  payCharge,
  type RefundChange,
  receiveTransfer,
  removeCharge,
  returnPayout,
  settlePayout,
  totalsOf,
} from "./pspBooks.ts"
import { answerWith, makeFaults, type PspAnswer, type PspFault } from "./pspFaults.ts"

export type { PspFault } from "./pspFaults.ts"

import { route } from "./pspRoutes.ts"
import { until } from "./until.ts"

/** A request as received. One without a trusted client certificate does not get this far. */
export interface PspRequest {
  readonly method: string
  /** As sent, base path included. */
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface PspOptions {
  /** Where `/cob` and `/pix` are; default as the bank has them. */
  readonly basePath?: string
  /** The bank whose forms of tokens and calls it demands; default `efi`. */
  readonly bank?: PspBankName
  /** Called with each request before it is worked on. */
  readonly onRequest?: (request: PspRequest) => void
}

/** A PSP on this machine: OAuth2, mutual TLS, API Pix v2 and Efí's payouts, with its books in memory. */
export interface Psp {
  readonly baseUrl: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** The key of our application there, for a bank that wants one. */
  readonly appKey: string
  /** Whose forms it demands. */
  readonly bank: PspBankName
  /** Our PIX key at the PSP. */
  readonly pixKey: string
  /** PEM files: our certificate and its key, and the authority of the PSP's certificate. */
  readonly certFile: string
  readonly keyFile: string
  readonly caFile: string
  /** The same in PEM texts. */
  readonly pem: { readonly cert: string; readonly key: string; readonly ca: string }
  /** A client certificate from an authority that the PSP does not trust. */
  readonly strangerPem: { readonly cert: string; readonly key: string }
  /** All requests received, oldest first, those for tokens included. */
  readonly requests: ReadonlyArray<PspRequest>
  /** The requests whose `METHOD /path`, without the base path, begins with `beginning`, such as `PUT /cob`. */
  readonly requestsOf: (beginning: string) => ReadonlyArray<PspRequest>
  /** Waits until `count` of those came. Fails after 20 s. */
  readonly waitFor: (beginning: string, count: number) => Promise<void>
  readonly charge: (txid: string) => PspCharge | undefined
  /** Makes a payer pay a charge; returns the endToEndId. */
  readonly pay: (txid: string, options?: PspPayment) => string
  /** Receives a transfer that pays no charge of its books; returns the endToEndId. */
  readonly receive: (transfer: PspPayment & { readonly amount: number; readonly txid?: string }) => string
  readonly transfer: (endToEndId: string) => PspTransfer | undefined
  /** Makes or changes a refund of a transfer; returns its id. */
  readonly refundOf: (endToEndId: string, change?: RefundChange) => string
  /** Makes the PSP remove a charge. */
  readonly remove: (txid: string) => void
  readonly payout: (idEnvio: string) => PspPayout | undefined
  readonly payoutResult: (idEnvio: string, status: PspPayout["status"], code?: string) => void
  /** Makes a payout that nobody asked it for here; returns the endToEndId. */
  readonly payOut: (payout: PspStrangePayout) => string
  /** The receiver's bank gives back a payout, or `amount` centavos of it. */
  readonly payoutReturn: (
    idEnvio: string,
    change?: { readonly amount?: number; readonly status?: PspPayout["status"] },
  ) => void
  /** How its lists show its books: change it as the test needs. */
  readonly lists: PspLists
  /** How often each payout was executed, by idEnvio: more than once would be a defect. */
  readonly payouts: ReadonlyMap<string, number>
  /** How many returns it made, of all transfers. */
  readonly returns: () => number
  /** All the money that has moved. */
  readonly totals: () => PspTotals
  /** Applies a fault to the next `times` (default 1) requests that begin with `beginning`, or match it. */
  readonly fail: (beginning: string | RegExp, fault: PspFault, times?: number) => void
  readonly heal: () => void
  /** Sets the lifetime of new tokens; default an hour. `null` omits `expires_in`, text is sent as text. */
  readonly setTokenSeconds: (seconds: number | string | null) => void
  /** Sets the status of answers that have a token; default 200. */
  readonly setTokenStatus: (status: number) => void
  /** Revokes all tokens issued so far. */
  readonly revokeTokens: () => void
  /** The body of its notice of a transfer with its refunds, or of a payout. */
  readonly notice: (about: { readonly endToEndId: string } | { readonly idEnvio: string }) => string
  /** Posts the body of a notice, signed where a secret is given. */
  readonly notify: (url: string, body: string, secret?: string) => Promise<Response>
  /** Stops at once and cuts what is open. */
  readonly close: () => Promise<void>
}

const writePems = (pems: Readonly<Record<"cert" | "key" | "ca", string>>) => {
  const directory = mkdtempSync(join(tmpdir(), "corrente-test-psp-"))
  const write = (name: string, pem: string) => {
    const file = join(directory, name)
    writeFileSync(file, pem, { mode: 0o600 })
    return file
  }
  const files = {
    certFile: write("client.pem", pems.cert),
    keyFile: write("client-key.pem", pems.key),
    caFile: write("ca.pem", pems.ca),
  }
  return { files, remove: () => rmSync(directory, { recursive: true, force: true }) }
}

const readText = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

const parseBody = (text: string): Readonly<Record<string, unknown>> => {
  const parsed: unknown = text === "" ? {} : JSON.parse(text)
  return typeof parsed === "object" && parsed !== null ? { ...parsed } : {}
}

/** OAuth2 client credentials: issues tokens as the bank does, and says whether a request has a valid one. */
const makeGate = (bank: ReturnType<typeof bankOf>, client: PspClient) => {
  const tokens = new Set<string>()
  const gate: { seconds: number | string | null; status: number } = { seconds: 3_600, status: 200 }
  const issue = (request: PspRequest): PspAnswer => {
    if (!asksAsTheBankWants(bank, request, client)) return { status: 401, body: { error: "invalid_client" } }
    const token = randomBytes(24).toString("base64url")
    tokens.add(token)
    const life = gate.seconds === null ? {} : { expires_in: gate.seconds }
    const body = { access_token: token, token_type: "Bearer", ...life, scope: "cob.write" }
    return { status: gate.status, body }
  }
  const isOpenTo = (request: PspRequest): boolean =>
    tokens.has(request.headers.authorization?.replace(/^Bearer /, "") ?? "") &&
    (bank.hasItsParts?.(request, client) ?? true)
  return { gate, issue, isOpenTo, revoke: () => tokens.clear() }
}

const noticeBody = (books: PspBooks, about: Parameters<Psp["notice"]>[0]): string => {
  const horario = new Date().toISOString()
  if ("idEnvio" in about) {
    const payout = books.payouts.get(about.idEnvio)
    if (payout === undefined) throw new Error(`the PSP knows no payout ${about.idEnvio}`)
    const { endToEndId, valor, status, idEnvio, devolucoes } = payout
    return JSON.stringify({
      pix: [{ endToEndId, valor, horario, status, tipo: "SOLICITACAO", devolucoes, gnExtras: { idEnvio } }],
    })
  }
  const transfer = books.transfers.get(about.endToEndId)
  if (transfer === undefined) throw new Error(`the PSP knows no transfer ${about.endToEndId}`)
  const { devolucoes, ...rest } = transfer
  return JSON.stringify({ pix: [devolucoes.length === 0 ? rest : transfer] })
}

const sendNotice: Psp["notify"] = (url, body, secret) =>
  fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(secret === undefined
        ? {}
        : { "x-webhook-signature": createHmac("sha256", secret).update(body).digest("hex") }),
    },
    body,
  })

/** Starts a PSP that requires a client certificate, on a free port. */
export const startPsp = async (options: PspOptions = {}): Promise<Psp> => {
  const bank = bankOf(options.bank ?? "efi")
  const basePath = options.basePath ?? bank.basePath
  const authority = createAuthority("Corrente test PSP")
  const own = authority.issue({ names: ["localhost", "127.0.0.1"] })
  const client = authority.issue({ names: ["corrente"] })
  const stranger = createAuthority("Some other authority").issue({ names: ["corrente"] })
  const pem = { cert: client.certificatePem, key: client.privateKeyPem, ca: authority.certificatePem }
  const pems = writePems(pem)
  const books = emptyBooks()
  books.lists.windowDaysMax = bank.windowDaysMax
  books.lists.hasWholeSeconds = bank.hasWholeSeconds ?? false
  const faults = makeFaults()
  const secrets = [16, 16].map((bytes) => randomBytes(bytes).toString("hex"))
  const [clientSecret = "", appKey = ""] = secrets
  const credentials = { clientId: "corrente-client", clientSecret, appKey }
  const gate = makeGate(bank, credentials)
  const requests: Array<PspRequest> = []

  const isOwn = (path: string): boolean => /^\/(v\d\/gn|banking)\//.test(path)
  /** A removal at another place than the bank's is at none. */
  const pathOf = ({ method, path }: Pick<PspRequest, "method" | "path">) => {
    const base = method === "PATCH" ? (bank.removalBasePath ?? basePath) : basePath
    return path.startsWith(`${base}/`) && !isOwn(path) ? path.slice(base.length) : path
  }
  const lineOf = (request: PspRequest) => `${request.method} ${pathOf(request)}`
  const requestsOf = (beginning: string) =>
    requests.filter((request) => lineOf(request).startsWith(beginning))

  const work = (request: PspRequest): PspAnswer => {
    if (request.path.split("?")[0] === "/oauth/token") return gate.issue(request)
    if (!gate.isOpenTo(request)) return { status: 401, body: { mensagem: "Invalid token" } }
    const { method, body } = request
    return route(books, { method, path: pathOf(request), body: parseBody(body) }, `localhost:${port}`)
  }
  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request: PspRequest = {
      method: incoming.method ?? "",
      path: incoming.url ?? "",
      headers: Object.fromEntries(
        Object.entries(incoming.headers).map(([name, value]) => [name, `${value}`]),
      ),
      body: await readText(incoming),
    }
    requests.push(request)
    options.onRequest?.(request)
    answerWith(faults.take(lineOf(request)), response, () => work(request))
  }
  const server = createServer({
    cert: own.certificatePem,
    key: own.privateKeyPem,
    ca: authority.certificatePem,
    requestCert: true,
    rejectUnauthorized: true,
  })
  server.on("request", (incoming, response) => {
    serve(incoming, response).catch(() => response.destroy())
  })
  const port = await listen(server)
  return {
    baseUrl: `https://localhost:${port}${basePath}`,
    tokenUrl: `https://localhost:${port}/oauth/token`,
    ...credentials,
    bank: options.bank ?? "efi",
    pixKey: "7f3b0a52-6b1e-4c57-9f0a-2d8a3e1c5b40",
    ...pems.files,
    pem,
    strangerPem: { cert: stranger.certificatePem, key: stranger.privateKeyPem },
    requests,
    requestsOf,
    waitFor: (beginning, count) =>
      until(
        () => `${count} of ${beginning}, ${requestsOf(beginning).length} came`,
        () => requestsOf(beginning).length >= count,
      ),
    charge: (txid) => books.charges.get(txid),
    pay: (txid, paid) => payCharge(books, txid, paid),
    receive: (transfer) => receiveTransfer(books, transfer),
    transfer: (endToEndId) => books.transfers.get(endToEndId),
    refundOf: (endToEndId, change) => changeRefund(books, endToEndId, change),
    remove: (txid) => removeCharge(books, txid),
    payout: (idEnvio) => books.payouts.get(idEnvio),
    payoutResult: (idEnvio, status, code) => settlePayout(books, idEnvio, status, code),
    payOut: (payout) => makePayout(books, payout),
    payoutReturn: (idEnvio, change) => returnPayout(books, idEnvio, change),
    lists: books.lists,
    payouts: books.executions,
    returns: () =>
      [...books.transfers.values()]
        .flatMap(({ devolucoes }) => devolucoes)
        .filter(({ status }) => status === "DEVOLVIDO").length,
    totals: () => totalsOf(books),
    fail: faults.add,
    heal: faults.clear,
    setTokenSeconds: (seconds) => {
      gate.gate.seconds = seconds
    },
    setTokenStatus: (status) => {
      gate.gate.status = status
    },
    revokeTokens: gate.revoke,
    notice: (about) => noticeBody(books, about),
    notify: sendNotice,
    close: async () => {
      await closeServer(server)
      pems.remove()
    },
  }
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    // Tests have clients refused or cut on purpose.
    server.on("tlsClientError", () => {})
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") reject(new Error("not listening"))
      else resolve(address.port)
    })
  })

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

import { randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { txidOf } from "../../schema/ids.ts"
import { createAuthority } from "../../test/support/certificates.ts"
import { amount, chargeIdOf, endToEndIdOf } from "./charges.ts"

/** The books of the bank: `pixCount` Pix, spread evenly over `chargeCount` charges of before `endMillis`. */
export interface BankBooks {
  readonly pixCount: number
  readonly chargeCount: number
  readonly endMillis: number
}

/** How the service reaches the bank. */
export interface BankAccess {
  readonly origin: string
  readonly clientSecret: string
  readonly cert: string
  readonly key: string
  readonly ca: string
}

/** A bank that lists received Pix over mutual TLS, and counts its requests. */
export interface Bank extends BankAccess {
  readonly requests: () => number
  readonly stop: () => Promise<void>
}

const pixOf = (i: number, { pixCount, chargeCount, endMillis }: BankBooks): object => {
  const n = Math.floor((i * chargeCount) / pixCount)
  return {
    endToEndId: endToEndIdOf(n),
    txid: txidOf(chargeIdOf(n, endMillis)),
    valor: (amount / 100).toFixed(2),
    chave: "7f3b0a52-6b1e-4c57-9f0a-2d8a3e1c5b40",
    horario: new Date(endMillis).toISOString(),
    pagador: { nome: "Maria Aparecida de Souza", cpf: "52998224725" },
    infoPagador: "Pedido 2026-0001234",
  }
}

/** A page of a list with `count` items (BCB `PixConsultados`). */
const pageOf = (query: URLSearchParams, count: number, itemOf: (i: number) => object): string => {
  const [paginaAtual, itensPorPagina] = ["paginaAtual", "itensPorPagina"].map((name) =>
    Number(query.get(`paginacao.${name}`)),
  ) as [number, number]
  const begin = paginaAtual * itensPorPagina
  const length = Math.max(0, Math.min(count - begin, itensPorPagina))
  const quantidadeDePaginas = Math.ceil(count / itensPorPagina)
  const paginacao = { paginaAtual, itensPorPagina, quantidadeDePaginas, quantidadeTotalDeItens: count }
  return JSON.stringify({
    parametros: { paginacao },
    pix: Array.from({ length }, (_, at) => itemOf(begin + at)),
  })
}

/** Starts a bank on a free port; its books are made as they are asked for, so they take no memory. */
export const startBank = async (books: BankBooks): Promise<Bank> => {
  const authority = createAuthority("Corrente bench bank")
  const own = authority.issue({ names: ["127.0.0.1"] })
  const client = authority.issue({ names: ["corrente"] })
  let requests = 0
  const answerOf = (url: URL): string => {
    if (url.pathname === "/oauth/token") return JSON.stringify({ access_token: "bench", expires_in: 3_600 })
    return pageOf(url.searchParams, url.pathname === "/v2/pix" ? books.pixCount : 0, (i) => pixOf(i, books))
  }
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    requests += 1
    request.resume()
    response.setHeader("content-type", "application/json")
    response.end(answerOf(new URL(request.url ?? "/", "https://127.0.0.1")))
  }
  const tls = { cert: own.certificatePem, key: own.privateKeyPem, ca: authority.certificatePem }
  const server = createServer({ ...tls, requestCert: true, rejectUnauthorized: true }, serve)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `https://127.0.0.1:${port}`,
    clientSecret: randomBytes(16).toString("hex"),
    cert: client.certificatePem,
    key: client.privateKeyPem,
    ca: authority.certificatePem,
    requests: () => requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

import { randomBytes } from "node:crypto"

/** BCB `Devolucao`, as the PSP keeps it. */
export interface PspRefund {
  readonly id: string
  readonly valor: string
  readonly natureza: string
  readonly status: "EM_PROCESSAMENTO" | "DEVOLVIDO" | "NAO_REALIZADO"
}

/** BCB `Pix`: a transfer that was made to a charge. */
export interface PspTransfer {
  readonly endToEndId: string
  readonly txid: string
  readonly valor: string
  readonly horario: string
  devolucoes: ReadonlyArray<PspRefund>
}

/** BCB `Cob`. */
export interface PspCharge {
  readonly txid: string
  status: "ATIVA" | "CONCLUIDA" | "REMOVIDA_PELO_USUARIO_RECEBEDOR" | "REMOVIDA_PELO_PSP"
  readonly location: string
  /** As it was sent to us. */
  readonly asked: Readonly<Record<string, unknown>>
  readonly valor: { readonly original: string }
  pix: ReadonlyArray<PspTransfer>
}

/** A payout: a transfer that was made once, whatever becomes of it. */
export interface PspPayout {
  readonly idEnvio: string
  readonly endToEndId: string
  readonly valor: string
  readonly chave: string
  status: "EM_PROCESSAMENTO" | "REALIZADO" | "NAO_REALIZADO"
  /** Why not, if not. */
  code: string | undefined
}

/** What a PSP keeps of its customer, in memory. */
export interface PspBooks {
  readonly charges: Map<string, PspCharge>
  readonly transfers: Map<string, PspTransfer>
  readonly payouts: Map<string, PspPayout>
  /** How often money left, by idEnvio. */
  readonly executions: Map<string, number>
}

/** Nothing kept yet. */
export const emptyBooks = (): PspBooks => ({
  charges: new Map(),
  transfers: new Map(),
  payouts: new Map(),
  executions: new Map(),
})

/** The simulated PSP's bank. */
const ispb = "12345678"

/** A new identifier of a transfer: `E`, ISPB, minute and 11 characters (BCB). */
export const newEndToEndId = (): string => {
  const minute = new Date().toISOString().slice(0, 16).replaceAll(/[-T:]/g, "")
  return `E${ispb}${minute}${randomBytes(8).toString("hex").slice(0, 11)}`
}

const decimal = (centavos: number): string =>
  `${Math.floor(centavos / 100)}.${String(centavos % 100).padStart(2, "0")}`

const must = <A>(found: A | undefined, what: string): A => {
  if (found === undefined) throw new Error(`the PSP knows no ${what}`)
  return found
}

/** A payer pays; by default what is asked for. Answers the transfer's endToEndId. */
export const payCharge = (
  books: PspBooks,
  txid: string,
  options: { readonly amount?: number; readonly endToEndId?: string } = {},
): string => {
  const charge = must(books.charges.get(txid), `charge ${txid}`)
  if (charge.status.startsWith("REMOVIDA")) throw new Error(`the charge ${txid} was removed`)
  const transfer: PspTransfer = {
    endToEndId: options.endToEndId ?? newEndToEndId(),
    txid,
    valor: options.amount === undefined ? charge.valor.original : decimal(options.amount),
    horario: new Date().toISOString(),
    devolucoes: [],
  }
  charge.status = "CONCLUIDA"
  charge.pix = [...charge.pix, transfer]
  books.transfers.set(transfer.endToEndId, transfer)
  return transfer.endToEndId
}

/** What a refund is made of, or what becomes of it; `amount` is all of the transfer's by default. */
export interface RefundChange {
  readonly id?: string
  readonly amount?: number
  readonly status?: PspRefund["status"]
  /** `MED_FRAUDE` and the like for what the payer's bank takes back; default `ORIGINAL`. */
  readonly natureza?: string
}

/** Makes a refund of a transfer, or changes the one with that id. Answers its id. */
export const changeRefund = (books: PspBooks, endToEndId: string, change: RefundChange = {}): string => {
  const transfer = must(books.transfers.get(endToEndId), `transfer ${endToEndId}`)
  const id = change.id ?? `D${randomBytes(8).toString("hex")}`
  const known = transfer.devolucoes.find((refund) => refund.id === id)
  const refund: PspRefund = {
    id,
    valor: change.amount === undefined ? (known?.valor ?? transfer.valor) : decimal(change.amount),
    natureza: change.natureza ?? known?.natureza ?? "ORIGINAL",
    status: change.status ?? "DEVOLVIDO",
  }
  const others = transfer.devolucoes.filter((other) => other.id !== id)
  transfer.devolucoes = [...others, refund]
  return id
}

/** What becomes of a payout. */
export const settlePayout = (
  books: PspBooks,
  idEnvio: string,
  status: PspPayout["status"],
  code?: string,
): void => {
  const payout = must(books.payouts.get(idEnvio), `payout ${idEnvio}`)
  payout.status = status
  payout.code = code
}

/** The PSP takes an unpaid charge back. */
export const removeCharge = (books: PspBooks, txid: string): void => {
  must(books.charges.get(txid), `charge ${txid}`).status = "REMOVIDA_PELO_PSP"
}

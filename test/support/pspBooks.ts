import { createHash, randomBytes } from "node:crypto"

/** BCB `Devolucao` in the PSP's books. */
export interface PspRefund {
  readonly id: string
  readonly valor: string
  readonly natureza: string
  readonly horario: { readonly solicitacao: string; readonly liquidacao?: string }
  readonly status: "EM_PROCESSAMENTO" | "DEVOLVIDO" | "NAO_REALIZADO"
  /** The return's own end-to-end id, once the money has gone back. */
  readonly rtrId?: string
  /** Why it was not made. */
  readonly motivo?: string
}

/** BCB `Pix`: a transfer that was made to a charge, or to our PIX key without one. */
export interface PspTransfer {
  readonly endToEndId: string
  readonly txid?: string
  readonly valor: string
  readonly horario: string
  devolucoes: ReadonlyArray<PspRefund>
}

/** BCB `Cob`. */
export interface PspCharge {
  readonly txid: string
  status: "ATIVA" | "CONCLUIDA" | "REMOVIDA_PELO_USUARIO_RECEBEDOR" | "REMOVIDA_PELO_PSP"
  readonly location: string
  /** The body of the request that made it. */
  readonly asked: Readonly<Record<string, unknown>>
  readonly valor: { readonly original: string }
  pix: ReadonlyArray<PspTransfer>
}

/** What the receiver's bank gave back of a payout. */
export interface PspPayoutReturn {
  readonly id: string
  readonly valor: string
  readonly status: "DEVOLVIDO"
  readonly rtrId: string
}

/** A payout, requested once under its idEnvio, however it ends. One that was made elsewhere may have no idEnvio. */
export interface PspPayout {
  readonly idEnvio?: string
  readonly endToEndId: string
  readonly valor: string
  readonly chave: string
  readonly horario: { readonly solicitacao: string }
  status: "EM_PROCESSAMENTO" | "REALIZADO" | "NAO_REALIZADO" | "DEVOLVIDO"
  /** The reason why it was not paid, if any. */
  code: string | undefined
  devolucoes?: ReadonlyArray<PspPayoutReturn>
}

/** The books of a PSP on its customer, in memory. */
export interface PspBooks {
  readonly charges: Map<string, PspCharge>
  readonly transfers: Map<string, PspTransfer>
  /** By idEnvio, or by endToEndId where there is none. */
  readonly payouts: Map<string, PspPayout>
  /** How the lists show the books. */
  readonly lists: PspLists
  /** What was registered for each PIX key (BCB `PUT /webhook/{chave}`). */
  readonly webhooks: Map<string, Readonly<Record<string, unknown>>>
  /** How often each payout was executed, by idEnvio. */
  readonly executions: Map<string, number>
}

/** How the PSP's lists show its books. */
export interface PspLists {
  /** The most items of a page, whatever is asked for. */
  itemsMax: number
  /** Whether each page begins with the last item of the page before. */
  isRepeating: boolean
  /** Whether they show nothing at all. */
  isEmpty: boolean
  /** The longest window, in days; a longer one is refused. Undefined for any. */
  windowDaysMax: number | undefined
  /** Whether times with a fraction of a second are refused. */
  hasWholeSeconds: boolean
  /** Whether it knows `devolucaoPresente`; otherwise it lists all. */
  hasReturnFilter: boolean
  /** Transfers and payouts that lists do not show yet, by endToEndId. */
  readonly lagging: Set<string>
}

/** Books without any entry. */
export const emptyBooks = (): PspBooks => ({
  charges: new Map(),
  transfers: new Map(),
  payouts: new Map(),
  lists: {
    itemsMax: 1_000,
    isRepeating: false,
    isEmpty: false,
    windowDaysMax: undefined,
    hasWholeSeconds: false,
    hasReturnFilter: true,
    lagging: new Set(),
  },
  webhooks: new Map(),
  executions: new Map(),
})

/** The ISPB code of the PSP. */
const ispb = "12345678"

/** A new endToEndId, as BCB defines it: `E`, ISPB, minute and 11 characters. */
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

/** What a payer pays to a charge: by default its amount, now. `at`: when, as ISO text. */
export interface PspPayment {
  readonly amount?: number
  readonly endToEndId?: string
  readonly at?: string
}

/** Pays a charge. Returns the transfer's endToEndId. */
export const payCharge = (books: PspBooks, txid: string, options: PspPayment = {}): string => {
  const charge = must(books.charges.get(txid), `charge ${txid}`)
  if (charge.status.startsWith("REMOVIDA")) throw new Error(`the charge ${txid} was removed`)
  const transfer: PspTransfer = {
    endToEndId: options.endToEndId ?? newEndToEndId(),
    txid,
    valor: options.amount === undefined ? charge.valor.original : decimal(options.amount),
    horario: options.at ?? new Date().toISOString(),
    devolucoes: [],
  }
  charge.status = "CONCLUIDA"
  charge.pix = [...charge.pix, transfer]
  books.transfers.set(transfer.endToEndId, transfer)
  return transfer.endToEndId
}

/** A transfer to our PIX key that pays no charge of the PSP. Returns its endToEndId. */
export const receiveTransfer = (
  books: PspBooks,
  { amount, txid, endToEndId = newEndToEndId(), at }: PspPayment & { amount: number; txid?: string },
): string => {
  books.transfers.set(endToEndId, {
    endToEndId,
    ...(txid === undefined ? {} : { txid }),
    valor: decimal(amount),
    horario: at ?? new Date().toISOString(),
    devolucoes: [],
  })
  return endToEndId
}

/** A payout that we did not ask for, or asked for before a backup was restored; already paid by default. */
export interface PspStrangePayout {
  readonly amount: number
  readonly idEnvio?: string
  readonly endToEndId?: string
  readonly status?: PspPayout["status"]
  readonly at?: string
}

/** Makes a payout out of nothing. Returns its endToEndId. */
export const makePayout = (
  books: PspBooks,
  { amount, idEnvio, endToEndId = newEndToEndId(), status = "REALIZADO", at }: PspStrangePayout,
): string => {
  books.payouts.set(idEnvio ?? endToEndId, {
    ...(idEnvio === undefined ? {} : { idEnvio }),
    endToEndId,
    valor: decimal(amount),
    chave: "someone@example.com",
    horario: { solicitacao: at ?? new Date().toISOString() },
    status,
    code: undefined,
  })
  return endToEndId
}

/** The receiver's bank gives back centavos of a payout: all by default, shown as `status`. */
export const returnPayout = (
  books: PspBooks,
  idEnvio: string,
  { amount, status = "REALIZADO" }: { readonly amount?: number; readonly status?: PspPayout["status"] } = {},
): void => {
  const payout = must(books.payouts.get(idEnvio), `payout ${idEnvio}`)
  const id = `D${randomBytes(8).toString("hex")}`
  const valor = amount === undefined ? payout.valor : decimal(amount)
  payout.status = status
  payout.devolucoes = [
    ...(payout.devolucoes ?? []),
    { id, valor, status: "DEVOLVIDO", rtrId: returnIdOf(payout.endToEndId, id) },
  ]
}

/** The fields of a new refund, or changes of one. `amount` is in centavos; by default that of the transfer. */
export interface RefundChange {
  readonly id?: string
  readonly amount?: number
  readonly status?: PspRefund["status"]
  /** `ORIGINAL` by default; `MED_FRAUDE` and the like where the payer's bank takes the money back. */
  readonly natureza?: string
  /** Why it was not made. */
  readonly motivo?: string
  /** When it was settled, as ISO text; now by default. */
  readonly at?: string
}

/** The end-to-end id of a return, which tells them apart as the refund's id does. */
export const returnIdOf = (endToEndId: string, refundId: string): string =>
  `D${ispb}${createHash("sha256").update(`${endToEndId}:${refundId}`).digest("hex").slice(0, 23)}`

/** Makes a refund of a transfer, or changes the one with that id. Returns its id. */
export const changeRefund = (books: PspBooks, endToEndId: string, change: RefundChange = {}): string => {
  const transfer = must(books.transfers.get(endToEndId), `transfer ${endToEndId}`)
  const id = change.id ?? `D${randomBytes(8).toString("hex")}`
  const known = transfer.devolucoes.find((refund) => refund.id === id)
  const status = change.status ?? "DEVOLVIDO"
  const at = change.at ?? new Date().toISOString()
  const solicitacao = known?.horario.solicitacao ?? at
  const refund: PspRefund = {
    id,
    valor: change.amount === undefined ? (known?.valor ?? transfer.valor) : decimal(change.amount),
    natureza: change.natureza ?? known?.natureza ?? "ORIGINAL",
    horario: status === "DEVOLVIDO" ? { solicitacao, liquidacao: at } : { solicitacao },
    status,
    ...(status === "DEVOLVIDO" ? { rtrId: returnIdOf(endToEndId, id) } : {}),
    ...(change.motivo === undefined ? {} : { motivo: change.motivo }),
  }
  const others = transfer.devolucoes.filter((other) => other.id !== id)
  transfer.devolucoes = [...others, refund]
  return id
}

/** Sets the status of a payout, with the code of its failure. */
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

/** Removes a charge as the PSP does. */
export const removeCharge = (books: PspBooks, txid: string): void => {
  must(books.charges.get(txid), `charge ${txid}`).status = "REMOVIDA_PELO_PSP"
}

/** All the money that has moved, in centavos. */
export interface PspTotals {
  /** What payers paid, and what went back to them. */
  readonly received: number
  readonly refunded: number
  /** What was paid out, and what the receivers' banks gave back of it. */
  readonly sent: number
  readonly returned: number
}

const centavosOf = (entries: ReadonlyArray<{ readonly valor: string }>): number =>
  entries.reduce((sum, { valor }) => sum + Number(valor.replace(".", "")), 0)

const given = (
  entries: ReadonlyArray<{ readonly devolucoes?: ReadonlyArray<PspRefund | PspPayoutReturn> }>,
) => entries.flatMap(({ devolucoes = [] }) => devolucoes).filter(({ status }) => status === "DEVOLVIDO")

/** Adds the books up: only what has moved counts. */
export const totalsOf = (books: PspBooks): PspTotals => {
  const transfers = [...books.transfers.values()]
  const payouts = [...books.payouts.values()].filter(
    ({ status }) => status === "REALIZADO" || status === "DEVOLVIDO",
  )
  return {
    received: centavosOf(transfers),
    refunded: centavosOf(given(transfers)),
    sent: centavosOf(payouts),
    returned: centavosOf(given(payouts)),
  }
}

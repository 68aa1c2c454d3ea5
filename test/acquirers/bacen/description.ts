/**
 * What the Central Bank's description of API Pix (OpenAPI, version 2.9.0) says of the answers that the adapter reads. A
 * schema has the name that it has there, and its members their names, so that both can be read side by side. `must`
 * marks what `required` lists; every other member may be absent. Members that a bank adds are allowed everywhere.
 *
 * One deviation: `PixConsultados` requires a member `cobs` that no schema declares, and does not require `pix`.
 */
export type Form =
  | { readonly kind: "matching"; readonly pattern: RegExp }
  | { readonly kind: "words"; readonly most: number }
  | { readonly kind: "oneOf"; readonly values: ReadonlyArray<string> }
  | { readonly kind: "integer"; readonly least: number; readonly most: number }
  | { readonly kind: "amount" | "time" | "boolean" | "uri" }
  | { readonly kind: "list"; readonly of: Form }
  | { readonly kind: "object"; readonly members: Members }

export interface Member {
  readonly form: Form
  readonly isRequired: boolean
}
export type Members = Readonly<Record<string, Member>>

export const must = (form: Form): Member => ({ form, isRequired: true })
export const may = (form: Form): Member => ({ form, isRequired: false })

export const matching = (pattern: RegExp): Form => ({ kind: "matching", pattern })
export const words = (most: number): Form => ({ kind: "words", most })
export const oneOf = (...values: ReadonlyArray<string>): Form => ({ kind: "oneOf", values })
const integer = (least: number, most = 2_147_483_647): Form => ({ kind: "integer", least, most })
export const list = (of: Form): Form => ({ kind: "list", of })
export const object = (members: Members): Form => ({ kind: "object", members })
/** `\d{1,10}\.\d{2}` */
export const amount: Form = { kind: "amount" }
/** `date-time`: RFC 3339 */
export const time: Form = { kind: "time" }
const boolean: Form = { kind: "boolean" }
const uri: Form = { kind: "uri" }

/** The pattern of a `TxId` that makes a charge; that of a received Pix may be shorter. */
const txId = matching(/^[a-zA-Z0-9]{26,35}$/)
const txIdOfPix = matching(/^[a-zA-Z0-9]{1,35}$/)
export const endToEndId = matching(/^[a-zA-Z0-9]{32}$/)
const cpf = matching(/^\d{11}$/)
const cnpj = matching(/^[0-9A-Z]{14}$/)

export const Devolucao: Members = {
  id: must(matching(/^[a-zA-Z0-9]{1,35}$/)),
  rtrId: must(matching(/^[a-zA-Z0-9]{32}$/)),
  valor: must(amount),
  natureza: may(oneOf("ORIGINAL", "RETIRADA", "MED_OPERACIONAL", "MED_FRAUDE", "MED_PIX_AUTOMATICO")),
  descricao: may(words(140)),
  horario: must(object({ solicitacao: may(time), liquidacao: may(time) })),
  status: must(oneOf("EM_PROCESSAMENTO", "DEVOLVIDO", "NAO_REALIZADO")),
  motivo: may(words(140)),
}

const withValor = object({ valor: must(amount) })
const withAgent = object({
  valor: must(amount),
  modalidadeAgente: must(oneOf("AGTEC", "AGTOT", "AGPSS")),
  prestadorDoServicoDeSaque: must(matching(/^[0-9A-Z]{8}$/)),
})

const Pix: Members = {
  endToEndId: must(endToEndId),
  txid: may(txIdOfPix),
  valor: must(amount),
  componentesValor: may(
    object({
      original: may(withValor),
      saque: may(withAgent),
      troco: may(withAgent),
      juros: may(withValor),
      multa: may(withValor),
      abatimento: may(withValor),
      desconto: may(withValor),
    }),
  ),
  chave: may(words(77)),
  horario: must(time),
  infoPagador: may(words(140)),
  devolucoes: may(list(object(Devolucao))),
}

const CobGerada: Members = {
  calendario: must(object({ criacao: must(time), expiracao: must(integer(1)) })),
  txid: must(txId),
  revisao: must(integer(0)),
  devedor: may(object({ cpf: may(cpf), cnpj: may(cnpj), nome: must(words(200)) })),
  loc: may(
    object({
      id: must(integer(0)),
      txid: must(txId),
      location: must(uri),
      tipoCob: must(oneOf("cob", "cobv")),
      criacao: must(time),
    }),
  ),
  location: may(uri),
  status: must(oneOf("ATIVA", "CONCLUIDA", "REMOVIDA_PELO_USUARIO_RECEBEDOR", "REMOVIDA_PELO_PSP")),
  valor: must(object({ original: must(amount), modalidadeAlteracao: may(integer(0, 1)) })),
  pixCopiaECola: may(words(512)),
  chave: must(words(77)),
  solicitacaoPagador: may(words(140)),
  infoAdicionais: may(list(object({ nome: must(words(50)), valor: must(words(200)) }))),
}

const CobCompleta: Members = { ...CobGerada, pix: may(list(object(Pix))) }

const Paginacao: Members = {
  paginaAtual: must(integer(0)),
  itensPorPagina: must(integer(1)),
  quantidadeDePaginas: must(integer(1)),
  quantidadeTotalDeItens: must(integer(0)),
}

const ParametrosConsultaPix: Members = {
  inicio: must(time),
  fim: must(time),
  txid: may(txIdOfPix),
  txIdPresente: may(boolean),
  devolucaoPresente: may(boolean),
  cpf: may(cpf),
  cnpj: may(cnpj),
  paginacao: must(object(Paginacao)),
}

const PixConsultados: Members = {
  parametros: must(object(ParametrosConsultaPix)),
  pix: may(list(object(Pix))),
}

const Problema: Members = {
  type: must(
    oneOf(
      ...[
        "AcessoNegado",
        "CobOperacaoInvalida",
        "NaoEncontrado",
        "PixDevolucaoInvalida",
        "ServicoIndisponivel",
      ].map((name) => `https://pix.bcb.gov.br/api/v2/error/${name}`),
    ),
  ),
  title: must(words(60)),
  status: must(integer(400, 599)),
  detail: may(words(300)),
  correlationId: may(words(60)),
  violacoes: may(list(object({ razao: may(words(60)), propriedade: may(words(60)), valor: may(words(60)) }))),
}

/** The body of a notice (`requestBodies/WebhookPixBody`). */
const WebhookPixBody: Members = { pix: may(list(object(Pix))) }

export const schemas = {
  CobGerada,
  CobCompleta,
  Pix,
  PixConsultados,
  Devolucao,
  Problema,
  WebhookPixBody,
} as const
export type SchemaName = keyof typeof schemas

/** The schema of the success of every operation that the adapter calls; each failure is a `Problema`. */
export const operations = {
  "PUT /cob/{txid}": { success: 201, schema: "CobGerada", failures: [400, 403, 404, 503] },
  "PATCH /cob/{txid}": { success: 200, schema: "CobGerada", failures: [400, 403, 404, 503] },
  "GET /cob/{txid}": { success: 200, schema: "CobCompleta", failures: [403, 404, 503] },
  "GET /pix/{e2eid}": { success: 200, schema: "Pix", failures: [403, 404, 503] },
  "GET /pix": { success: 200, schema: "PixConsultados", failures: [403, 503] },
  "PUT /pix/{e2eid}/devolucao/{id}": { success: 201, schema: "Devolucao", failures: [400, 403, 404, 503] },
  "GET /pix/{e2eid}/devolucao/{id}": { success: 200, schema: "Devolucao", failures: [403, 404, 503] },
} as const satisfies Record<
  string,
  { readonly success: number; readonly schema: SchemaName; readonly failures: ReadonlyArray<number> }
>

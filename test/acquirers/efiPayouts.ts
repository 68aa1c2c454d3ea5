import {
  amount,
  Devolucao,
  endToEndId,
  list,
  type Members,
  matching,
  may,
  must,
  object,
  oneOf,
  time,
  words,
} from "./bacen/description.ts"

const status = oneOf("EM_PROCESSAMENTO", "REALIZADO", "NAO_REALIZADO")
const idEnvio = matching(/^[a-zA-Z0-9]{1,35}$/)

/** What Efí answers to `PUT /v3/gn/pix/{idEnvio}`, by the types of its own client (sdk-node-apis-efi 1.2.25). */
export const PixSendResponse: Members = {
  idEnvio: must(idEnvio),
  e2eId: must(endToEndId),
  valor: must(amount),
  horario: must(object({ solicitacao: must(time) })),
  status: must(status),
}

/**
 * What it answers about a payout, by itself and in its list. `liquidacao` is there once it is made, whatever those types say, and the
 * types have neither `devolucoes` nor the state `DEVOLVIDO`, which the Central Bank has for a Pix.
 */
export const PixSendDetail: Members = {
  endToEndId: must(endToEndId),
  idEnvio: may(idEnvio),
  valor: must(amount),
  chave: may(words(77)),
  status: must(oneOf("EM_PROCESSAMENTO", "REALIZADO", "NAO_REALIZADO", "DEVOLVIDO")),
  infoPagador: may(words(140)),
  horario: may(object({ solicitacao: may(time), liquidacao: may(time) })),
  favorecido: may(object({ chave: may(words(77)), identificacao: may(object({ nome: must(words(60)) })) })),
  devolucoes: may(list(object(Devolucao))),
  motivo: may(words(140)),
  erro: may(object({ codigo: may(words(20)), motivo: may(words(60)) })),
}

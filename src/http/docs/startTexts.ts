import type { Language } from "../server/language.ts"

/** A step of the start: a heading, sentences, and a command or the programs of a first charge below them. */
interface Step {
  readonly title: string
  readonly text: ReadonlyArray<string>
  /** A page of the dashboard that the step begins on, below `/app`. */
  readonly page?: { readonly path: string; readonly name: string }
  readonly code?: "charge" | "listen" | "stream" | "refund"
}

/** The words of `/docs` in one language. */
export interface StartTexts {
  readonly title: string
  readonly lead: string
  readonly contents: string
  readonly otherLanguage: { readonly name: string; readonly path: string; readonly tag: Language }
  readonly dashboard: string
  readonly reference: string
  readonly events: string
  readonly tryIt: string
  readonly programs: string
  readonly steps: ReadonlyArray<Step>
  readonly routes: string
  readonly routesText: string
}

const portuguese: StartTexts = {
  title: "Cobre com Pix em dez minutos",
  lead: "Tudo aqui acontece no modo de teste: nenhum dinheiro é movimentado.",
  contents: "Conteúdo",
  otherLanguage: { name: "English", path: "en", tag: "en" },
  dashboard: "Abrir o painel",
  reference: "Referência",
  events: "Eventos",
  tryIt: "Testar no navegador",
  programs: "Linguagem",
  steps: [
    {
      title: "Crie uma chave",
      text: [
        "No painel, em Chaves de API, crie uma chave de teste. Ela começa com `sk_test_` e aparece uma vez só: guarde-a na variável de ambiente `CORRENTE_API_KEY`.",
        "A chave diz quem é a loja e qual é o modo, e vai em cada requisição.",
      ],
      page: { path: "developers", name: "Criar uma chave" },
    },
    {
      title: "Faça uma cobrança",
      text: [
        "Valores são números inteiros de centavos: `12990` é R$ 129,90. Com uma `Idempotency-Key` sua, repetir a requisição depois de uma conexão perdida nunca cobra duas vezes.",
      ],
      code: "charge",
    },
    {
      title: "Mande o link, ou mostre o código",
      text: [
        "A resposta traz `payment_url`, a página de pagamento pronta; `pix.payload`, o código copia e cola; e `pix.qr_base64`, o QR Code em PNG. Uma cobrança de teste é paga sozinha depois de três segundos.",
        "Os dois últimos dígitos do valor escolhem outro fim: `01` expira, `02` falha, `04` é devolvida e `05` é contestada.",
      ],
    },
    {
      title: "Receba o pagamento por webhook",
      text: [
        "Cadastre no painel o endereço que recebe os eventos. Confira a assinatura do corpo antes de ler o JSON, com as bibliotecas de Standard Webhooks ou da Stripe, responda 2xx em até 10 segundos, e ignore um `X-Event-Id` que você já viu.",
        "No seu computador, a linha de comando traz os eventos para um endereço local, assinados, sem abrir porta:",
      ],
      page: { path: "webhooks", name: "Cadastrar um endpoint" },
      code: "listen",
    },
    {
      title: "Ou leia os eventos",
      text: [
        "Cada mudança é um evento com o recurso inteiro. Quem volta com `Last-Event-ID` não perde nenhum.",
      ],
      code: "stream",
    },
    {
      title: "Devolva",
      text: ["Uma devolução manda de volta uma parte ou, sem `amount`, tudo o que resta."],
      code: "refund",
    },
    {
      title: "Vá para produção",
      text: [
        "Em Configurações, envie a identificação da loja. Depois de aprovada, crie uma chave `sk_live_`: o programa é o mesmo.",
      ],
      page: { path: "settings", name: "Enviar a identificação" },
    },
  ],
  routes: "Todas as rotas de uma chave",
  routesText: "Campos, respostas e erros de cada uma estão na referência, em inglês.",
}

const english: StartTexts = {
  title: "Charge with Pix in ten minutes",
  lead: "All of this happens in test mode: no money moves.",
  contents: "Contents",
  otherLanguage: { name: "Português", path: "pt", tag: "pt-BR" },
  dashboard: "Open the dashboard",
  reference: "Reference",
  events: "Events",
  tryIt: "Try it in the browser",
  programs: "Language",
  steps: [
    {
      title: "Create a key",
      text: [
        "In the dashboard, under API keys, create a test key. It begins with `sk_test_` and is shown once: keep it in the environment variable `CORRENTE_API_KEY`.",
        "The key names the shop and the mode, and goes into every request.",
      ],
      page: { path: "developers", name: "Create a key" },
    },
    {
      title: "Make a charge",
      text: [
        "Amounts are integers in centavos: `12990` is R$ 129.90. With an `Idempotency-Key` of your own, a request that is repeated after a lost connection never charges twice.",
      ],
      code: "charge",
    },
    {
      title: "Send the link, or show the code",
      text: [
        "The answer has `payment_url`, a payment page that is ready to send; `pix.payload`, the code to copy and paste; and `pix.qr_base64`, the QR code as a PNG. A test charge is paid by itself after three seconds.",
        "The last two digits of the amount choose another end: `01` expires, `02` fails, `04` is refunded and `05` is charged back.",
      ],
    },
    {
      title: "Receive the payment by webhook",
      text: [
        "Register the address that receives events in the dashboard. Verify the signature of the raw body before you parse it, with the libraries of Standard Webhooks or of Stripe, answer 2xx within 10 seconds, and ignore an `X-Event-Id` that you have seen.",
        "On your machine, the command line brings events to a local address, signed, without opening a port:",
      ],
      page: { path: "webhooks", name: "Register an endpoint" },
      code: "listen",
    },
    {
      title: "Or read the events",
      text: [
        "Every change is an event with the whole resource. Whoever comes back with `Last-Event-ID` misses none.",
      ],
      code: "stream",
    },
    {
      title: "Refund",
      text: ["A refund gives back a part or, without an `amount`, all that is left."],
      code: "refund",
    },
    {
      title: "Go live",
      text: [
        "Under Settings, submit the shop's identification. Once it is approved, create a `sk_live_` key: the program stays the same.",
      ],
      page: { path: "settings", name: "Submit the identification" },
    },
  ],
  routes: "All routes of a key",
  routesText: "Fields, answers and errors of each are in the reference.",
}

/** The words of `/docs`. */
export const startTexts: Readonly<Record<Language, StartTexts>> = { "pt-BR": portuguese, en: english }

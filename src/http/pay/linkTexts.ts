import type { LinkClosure } from "../../../actors/seller/decisions/paymentLinkDecisions.ts"
import type { Language } from "../server/language.ts"

interface Said {
  readonly heading: string
  readonly sentence: string
}

/** A field of the form, and what it says of a text that it does not take. */
interface FieldTexts {
  readonly label: string
  readonly wrong: string
}

/** The words of the pages of payment links in one language. */
export interface LinkTexts {
  readonly amountLabel: string
  /** With the bounds. */
  readonly amountBetween: (least: string, most: string) => string
  readonly amountFrom: (least: string) => string
  readonly amountWrong: string
  readonly name: FieldTexts
  readonly email: FieldTexts
  readonly document: FieldTexts
  readonly pay: string
  readonly payAmount: (amount: string) => string
  readonly privacy: string
  readonly seeFields: string
  readonly closed: Readonly<Record<LinkClosure, Said>>
  readonly unknown: Said
  readonly tooMany: Said
  readonly failed: Said
  readonly again: string
}

const portuguese: LinkTexts = {
  amountLabel: "Quanto você quer pagar?",
  amountBetween: (least, most) => `De ${least} a ${most}`,
  amountFrom: (least) => `A partir de ${least}`,
  amountWrong: "Escreva um valor como 25,00.",
  name: { label: "Nome completo", wrong: "Escreva seu nome, com 2 a 120 letras." },
  email: { label: "E-mail", wrong: "Escreva um e-mail válido, como ana@exemplo.com.br." },
  document: { label: "CPF ou CNPJ", wrong: "Confira os números: este não é um CPF ou CNPJ válido." },
  pay: "Pagar com Pix",
  payAmount: (amount) => `Pagar ${amount} com Pix`,
  privacy: "Seus dados vão só para quem recebe e para o banco, com o pagamento.",
  seeFields: "Confira os campos marcados.",
  closed: {
    inactive: {
      heading: "Este link não está recebendo pagamentos",
      sentence: "Quem o enviou o desativou. Peça um novo, se ainda quiser pagar.",
    },
    expired: {
      heading: "Este link expirou",
      sentence: "O prazo para pagar terminou. Peça um novo link a quem enviou.",
    },
    full: {
      heading: "Não há mais vagas",
      sentence:
        "Todos os pagamentos deste link já foram feitos ou estão em andamento. Se alguém não concluir o seu, uma vaga volta em até 30 minutos.",
    },
  },
  unknown: {
    heading: "Link não encontrado",
    sentence:
      "Este link de pagamento não existe. Confira se ele está completo ou peça um novo a quem enviou.",
  },
  tooMany: {
    heading: "Muitas tentativas",
    sentence: "Foram feitas muitas cobranças em pouco tempo. Espere alguns minutos e tente novamente.",
  },
  failed: {
    heading: "Não foi possível gerar o Pix",
    sentence: "Nada foi cobrado. Tente novamente em instantes ou fale com quem enviou o link.",
  },
  again: "Tentar novamente",
}

const english: LinkTexts = {
  amountLabel: "How much do you want to pay?",
  amountBetween: (least, most) => `From ${least} to ${most}`,
  amountFrom: (least) => `From ${least}`,
  amountWrong: "Enter an amount such as 25.00.",
  name: { label: "Full name", wrong: "Enter your name, with 2 to 120 letters." },
  email: { label: "E-mail", wrong: "Enter a valid e-mail address, such as ana@example.com." },
  document: { label: "CPF or CNPJ", wrong: "Check the numbers: this is no valid CPF or CNPJ." },
  pay: "Pay with Pix",
  payAmount: (amount) => `Pay ${amount} with Pix`,
  privacy: "Your data goes only to the payee and the bank, with the payment.",
  seeFields: "Check the marked fields.",
  closed: {
    inactive: {
      heading: "This link takes no payments",
      sentence: "Whoever sent it has switched it off. Ask for a new one if you still want to pay.",
    },
    expired: {
      heading: "This link has expired",
      sentence: "The time to pay is over. Ask whoever sent it for a new link.",
    },
    full: {
      heading: "No places left",
      sentence:
        "All payments of this link are made, or under way. If somebody does not finish theirs, a place comes free within 30 minutes.",
    },
  },
  unknown: {
    heading: "Link not found",
    sentence:
      "There is no such payment link. Check that it is complete, or ask whoever sent it for a new one.",
  },
  tooMany: {
    heading: "Too many tries",
    sentence: "Many charges were made in a short time. Wait a few minutes and try again.",
  },
  failed: {
    heading: "The Pix could not be made",
    sentence: "Nothing was charged. Try again in a moment, or ask whoever sent you the link.",
  },
  again: "Try again",
}

/** The words of the pages of payment links. */
export const linkTexts: Readonly<Record<Language, LinkTexts>> = { "pt-BR": portuguese, en: english }

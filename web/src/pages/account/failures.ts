import type { CorrenteError } from "../../../../client/src/errors.ts"
import type { ErrorCode } from "../../../../schema/errorCodes.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import { failureOf } from "../../api/resource.ts"
import { explain } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"

const texts = textsOf({
  "pt-BR": {
    wrongPassword: "Senha incorreta.",
    weakPassword:
      "Essa senha é fácil de adivinhar: é curta, muito comum, o seu próprio e-mail ou só nomes e números. Escolha outra, como quatro palavras ao acaso.",
    deadLink: "Este link não vale mais: expirou ou já foi usado.",
    deadInvite: "Este convite não vale mais: expirou, foi cancelado ou já foi usado. Peça um novo.",
    taken: "Já existe uma conta com este e-mail. Entre com ela.",
    badDocument: "CPF ou CNPJ inválido. Confira os números.",
    badName: `Use um nome de 1 a ${formLimits.nameLengthMax} caracteres, em uma linha.`,
    badPasskeyName: `Use um nome de 1 a ${formLimits.passkeyNameLengthMax} caracteres, em uma linha.`,
    badEmail: "Use um endereço de e-mail válido.",
    othersInvite: "Este convite foi enviado a outro e-mail. Crie a conta com o endereço que o recebeu.",
    badCode: "Código incorreto. Digite o código mais recente do aplicativo.",
    badMailCode: `Este código não vale: confira os ${formLimits.mailCodeDigits} dígitos do e-mail mais recente, ou envie outro código.`,
  },
  en: {
    wrongPassword: "The password is wrong.",
    weakPassword:
      "That password is easy to guess: it is short, very common, your own e-mail address, or only names and numbers. Choose another, such as four random words.",
    deadLink: "This link is no longer valid: it has expired or was used.",
    deadInvite: "This invite is no longer valid: it has expired, was revoked or used. Ask for a new one.",
    taken: "There is an account with this e-mail address. Sign in to it.",
    badDocument: "This CPF or CNPJ is not valid. Check its digits.",
    badName: `Use a name of 1 to ${formLimits.nameLengthMax} characters, on one line.`,
    badPasskeyName: `Use a name of 1 to ${formLimits.passkeyNameLengthMax} characters, on one line.`,
    badEmail: "Use a valid e-mail address.",
    othersInvite: "This invite was sent to another e-mail address. Sign up with the one that received it.",
    badCode: "The code is wrong. Enter the newest one of the app.",
    badMailCode: `This code does not count: check the ${formLimits.mailCodeDigits} digits of the newest mail, or send another code.`,
  },
})

type Words = keyof typeof texts.value

/** Words by the code, or by the code and the field. */
type WordsByCode = Readonly<Partial<Record<ErrorCode | `${ErrorCode} ${string}`, Words>>>

/** Words by what was wrong with which field. */
const wordsByParam: WordsByCode = {
  "validation_failed password": "weakPassword",
  "validation_failed newPassword": "weakPassword",
  "validation_failed token": "deadLink",
  "invalid_mfa_code token": "deadLink",
  "validation_failed invite_token": "deadInvite",
  "validation_failed email": "badEmail",
  "validation_failed document": "badDocument",
  "validation_failed name": "badName",
  "validation_failed legal_name": "badName",
  "invalid_state email": "taken",
}

/** Runs a request of an account, and says in words of its page why it was refused. `words` are those of its own, by code, or by code and param. */
export const inWords = async <A>(request: Promise<A>, words: WordsByCode = {}): Promise<A> => {
  try {
    return await request
  } catch (cause) {
    throw explained(failureOf(cause), words)
  }
}

const explained = (error: CorrenteError, words: WordsByCode): CorrenteError => {
  const code = error.code as ErrorCode
  const field = `${code} ${error.param ?? ""}` as const
  const name = words[field] ?? words[code] ?? wordsByParam[field]
  return name === undefined ? error : explain(error, texts.value[name])
}

import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import { call } from "../../api/http.ts"
import { failureOf } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { failureText } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { hourMillis, minuteMillis } from "../../text/spans.ts"
import { Button } from "../../ui/button.tsx"
import { Form, textOf } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { inWords } from "./failures.ts"
import { EmailField, PasswordField, passwordIn, useFirstField } from "./fields.tsx"
import { Frame } from "./frame.tsx"

const texts = textsOf({
  "pt-BR": {
    password: {
      title: "Esqueci minha senha",
      why: "Informe o e-mail da sua conta. Enviaremos um link para você escolher uma nova senha.",
      life: `O link vale por ${formLimits.resetTokenMillis / minuteMillis} minutos.`,
    },
    "second-factor": {
      title: "Perdi a verificação em duas etapas",
      why: `Sem o aplicativo autenticador nem os códigos de reserva, confirme e-mail e senha. Enviaremos um link que desativa a verificação em duas etapas. Por segurança, ele bloqueia saques por ${formLimits.recoveryLockMillis / hourMillis} horas.`,
      life: `O link vale por ${formLimits.recoveryTokenMillis / minuteMillis} minutos.`,
    },
    verification: {
      title: "Confirmar e-mail",
      why: "Não recebeu o e-mail de confirmação, ou o link venceu? Informe o e-mail da sua conta e enviaremos outro.",
      life: `O link vale por ${formLimits.verifyEmailTokenMillis / hourMillis} horas.`,
    },
    send: "Enviar link",
    again: "Enviar de novo",
    sent: "Link enviado, se os dados estiverem corretos.",
    check: "Confira sua caixa de entrada",
    ifRight: "Se os dados estiverem corretos, você receberá um e-mail em instantes. Confira também o spam.",
    back: "Voltar para a entrada",
  },
  en: {
    password: {
      title: "I forgot my password",
      why: "Enter the e-mail address of your account. We send you a link to choose a new password.",
      life: `The link is good for ${formLimits.resetTokenMillis / minuteMillis} minutes.`,
    },
    "second-factor": {
      title: "I lost access to two-factor authentication",
      why: `Without your authenticator app and backup codes, confirm your e-mail address and password. We send you a link that turns two-factor authentication off. For safety, it locks withdrawals for ${formLimits.recoveryLockMillis / hourMillis} hours.`,
      life: `The link is good for ${formLimits.recoveryTokenMillis / minuteMillis} minutes.`,
    },
    verification: {
      title: "Confirm the e-mail address",
      why: "Did the mail that confirms your address not arrive, or is its link too old? Enter the address of your account, and we send you another.",
      life: `The link is good for ${formLimits.verifyEmailTokenMillis / hourMillis} hours.`,
    },
    send: "Send the link",
    again: "Send it again",
    sent: "The link is on its way, if what you entered is right.",
    check: "Check your inbox",
    ifRight: "If what you entered is right, a mail arrives in a moment. Look into the spam folder, too.",
    back: "Back to sign-in",
  },
})

/** What a mail can be asked for on the sign-in page, as `?ask=` names it. */
export type Asked = "password" | "second-factor" | "verification"

/** Reads `?ask=`. */
export const askedOf = (text: string | null): Asked | undefined =>
  text === "password" || text === "second-factor" || text === "verification" ? text : undefined

/** Mails the link that confirms an address again, if there is an account that needs it. */
const sendVerification = (email: string): Promise<unknown> =>
  inWords(call("POST /v1/me/auth/send-verification-email", { body: { email } }))

const send = (asked: Asked, values: FormData): Promise<unknown> => {
  const email = textOf(values, "email")
  if (asked === "verification") return sendVerification(email)
  return asked === "password"
    ? call("POST /v1/me/auth/request-password-reset", { body: { email } })
    : call("POST /v1/me/auth/two-factor/recovery/request", { body: { email, password: passwordIn(values) } })
}

/** Asks for a mailed link; the answer does not reveal whether there is such an account. */
export const AskMail = ({ asked, email }: { readonly asked: Asked; readonly email: string }) => {
  const [isSent, setSent] = useState(false)
  useFirstField(asked)
  const { value } = texts
  const { title, why, life } = value[asked]
  return (
    <Frame title={title}>
      {isSent ? (
        <div class="account-note good">
          <strong>{value.check}</strong>
          <p>
            {value.ifRight} {life}
          </p>
        </div>
      ) : (
        <p>{why}</p>
      )}
      <Form
        submit={isSent ? value.again : value.send}
        onSubmit={async (values) => {
          await inWords(send(asked, values))
          setSent(true)
          notify(texts.value.sent)
        }}
      >
        <EmailField defaultValue={email} />
        {asked === "second-factor" && <PasswordField />}
      </Form>
      <Link to="/sign-in">{value.back}</Link>
    </Frame>
  )
}

const hours = formLimits.verifyEmailTokenMillis / hourMillis

const againTexts = textsOf({
  "pt-BR": {
    again: "Enviar o e-mail de confirmação de novo",
    sent: `E-mail enviado. O link vale por ${hours} horas. Confira também o spam.`,
  },
  en: {
    again: "Send the confirmation mail again",
    sent: `The mail is on its way. Its link is good for ${hours} hours. Look into the spam folder, too.`,
  },
})

/** Mails the signed-in user the link that confirms their address again. */
export const SendAgain = ({ email }: { readonly email: string }) => (
  <Button
    data-testid="verification-again"
    onClick={async () => {
      try {
        await sendVerification(email)
        notify(againTexts.value.sent)
      } catch (error) {
        notify(failureText(failureOf(error)))
      }
    }}
  >
    {againTexts.value.again}
  </Button>
)

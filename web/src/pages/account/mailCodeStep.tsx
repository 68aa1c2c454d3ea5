import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import { call } from "../../api/http.ts"
import { failureOf } from "../../api/resource.ts"
import type { Answer } from "../../api/routes.ts"
import { failureText } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { hourMillis, minuteMillis } from "../../text/spans.ts"
import { Field, Form, textOf } from "../../ui/form.tsx"
import { inWords } from "./failures.ts"
import { useFirstField } from "./fields.tsx"

const texts = textsOf({
  "pt-BR": {
    why: `Enviamos um código ao seu e-mail, para ter certeza de que é você. Ao ativar, os saques ficam bloqueados por ${formLimits.recoveryLockMillis / hourMillis} horas.`,
    code: "Código enviado por e-mail",
    hint: `Os ${formLimits.mailCodeDigits} dígitos do e-mail mais recente. Vale por ${formLimits.mailCodeMillis / minuteMillis} minutos. Confira também o spam.`,
    next: "Continuar",
    again: "Enviar outro código",
    sent: "Se o último e-mail tem mais de um minuto, outro código está a caminho. Use o mais recente.",
  },
  en: {
    why: `We sent a code to your e-mail address, to be sure that it is you. Once this is on, withdrawals are locked for ${formLimits.recoveryLockMillis / hourMillis} hours.`,
    code: "Code from the mail",
    hint: `The ${formLimits.mailCodeDigits} digits of the newest mail, good for ${formLimits.mailCodeMillis / minuteMillis} minutes. Look into the spam folder, too.`,
    next: "Continue",
    again: "Send another code",
    sent: "If the last mail is more than a minute old, another code is on its way. Use the newest one.",
  },
})

/** What begins to turn 2FA on returns, once. */
export type NewTwoFactor = Answer<"POST /v1/me/auth/two-factor/enable">

/**
 * Begins to turn 2FA on; undefined where the service mailed a code first. Its own 403 must not ask for what is only being turned
 * on.
 */
export const beginEnrolment = async (
  password: string,
  mailCode?: string,
): Promise<NewTwoFactor | undefined> => {
  const body = { password, ...(mailCode === undefined ? {} : { mail_code: mailCode }) }
  const request = call("POST /v1/me/auth/two-factor/enable", { body, asksStepUp: false })
  try {
    return await inWords(request, {
      invalid_credentials: "wrongPassword",
      "invalid_mfa_code mail_code": "badMailCode",
    })
  } catch (cause) {
    if (failureOf(cause).code !== "mail_code_required") throw cause
    return undefined
  }
}

interface MailCodeStepProps {
  readonly password: string
  readonly onBegun: (begun: NewTwoFactor) => void
}

/** Asks for the code that was mailed (`docs/contract/accounts.md#mailed-code`), and mails another one on request. */
export const MailCodeStep = ({ password, onBegun }: MailCodeStepProps) => {
  useFirstField("mail_code")
  const [said, setSaid] = useState("")
  const { value } = texts
  const send = async (values: FormData) => {
    setSaid("")
    const begun = await beginEnrolment(password, textOf(values, "mail_code"))
    if (begun !== undefined) onBegun(begun)
  }
  const sendAgain = async () => {
    try {
      const begun = await beginEnrolment(password)
      if (begun !== undefined) onBegun(begun)
      else setSaid(value.sent)
    } catch (cause) {
      setSaid(failureText(failureOf(cause)))
    }
  }
  return (
    <Form submit={value.next} onSubmit={send}>
      <p>{value.why}</p>
      <Field
        label={value.code}
        hint={value.hint}
        name="mail_code"
        autocomplete="one-time-code"
        inputMode="numeric"
        required
        maxLength={formLimits.mailCodeLengthMax}
        data-testid="mail-code-input"
      />
      <button type="button" class="as-link" data-testid="mail-code-again" onClick={sendAgain}>
        {value.again}
      </button>
      <p class="muted" role="status" data-testid="mail-code-said">
        {said}
      </p>
    </Form>
  )
}

import { useEffect, useState } from "preact/hooks"
import { call } from "../../api/http.ts"
import { secondFactorMethods, user } from "../../api/session.ts"
import { textsOf } from "../../text/i18n.ts"
import { Form, textOf } from "../../ui/form.tsx"
import { Copy } from "../../ui/values.tsx"
import { BackupCodes } from "./backupCodes.tsx"
import { inWords } from "./failures.ts"
import { CodeField, PasswordField, passwordIn, useFirstField } from "./fields.tsx"
import { beginEnrolment, MailCodeStep, type NewTwoFactor } from "./mailCodeStep.tsx"
import { groupedSecret } from "./rules.ts"
import "../../styles/account.css"

const texts = textsOf({
  "pt-BR": {
    password: "Confirme sua senha",
    next: "Continuar",
    scan: "Leia o QR code com um aplicativo autenticador, como Google Authenticator, Microsoft Authenticator ou 1Password.",
    qr: "QR code para o aplicativo autenticador",
    open: "Abrir no aplicativo deste dispositivo",
    secret: "Ou digite esta chave no aplicativo:",
    code: "Os 6 dígitos que o aplicativo mostra agora.",
    enable: "Ativar",
    operator:
      "A verificação em duas etapas de um operador é definida no servidor, com “ops admin reset-two-factor”.",
  },
  en: {
    password: "Confirm your password",
    next: "Continue",
    scan: "Scan the QR code with an authenticator app, such as Google Authenticator, Microsoft Authenticator or 1Password.",
    qr: "QR code for the authenticator app",
    open: "Open in the app of this device",
    secret: "Or enter this key in the app:",
    code: "The 6 digits that the app shows now.",
    enable: "Turn on",
    operator: "An operator's second factor is set up on the server, by “ops admin reset-two-factor”.",
  },
})

const TotpQr = ({ uri }: { readonly uri: string }) => {
  const [image, setImage] = useState<string>()
  useEffect(() => {
    import("qr").then(
      ({ encodeQR }) =>
        setImage(`data:image/svg+xml,${encodeURIComponent(encodeQR(uri, "svg", { border: 4 }))}`),
      // The key below the picture does as well.
      () => setImage(undefined),
    )
  }, [uri])
  return (
    <div class="totp-qr">
      {image !== undefined && <img src={image} alt={texts.value.qr} width={200} height={200} />}
    </div>
  )
}

interface CodeStepProps {
  readonly uri: string
  readonly onEnabled: () => void
}

const CodeStep = ({ uri, onEnabled }: CodeStepProps) => {
  useFirstField("code")
  const { value } = texts
  const secret = groupedSecret(uri)
  const send = async (values: FormData) => {
    const body = { code: textOf(values, "code").replace(/\s/g, "") }
    // Its own 403 `mfa_required` must not ask for what is only being turned on.
    const request = call("POST /v1/me/auth/two-factor/verify-totp", { body, asksStepUp: false })
    const answer = await inWords(request, { invalid_mfa_code: "badCode" })
    user.value = answer.user
    secondFactorMethods.value = ["totp"]
    onEnabled()
  }
  return (
    <Form submit={value.enable} onSubmit={send}>
      <p>{value.scan}</p>
      <TotpQr uri={uri} />
      <a href={uri} class="totp-open">
        {value.open}
      </a>
      <div class="totp-key">
        <span>{value.secret}</span>
        <code data-testid="totp-secret">{secret}</code>
        <Copy text={secret.replaceAll(" ", "")} />
      </div>
      <CodeField hint={value.code} />
    </Form>
  )
}

interface PasswordStepProps {
  readonly password: string
  readonly onBegun: (begun: NewTwoFactor) => void
  /** Told that a code was mailed first. */
  readonly onMailed: (password: string) => void
}

const PasswordStep = ({ password, onBegun, onMailed }: PasswordStepProps) => {
  useFirstField("password")
  const send = async (values: FormData) => {
    const given = passwordIn(values)
    const begun = await beginEnrolment(given)
    if (begun === undefined) onMailed(given)
    else onBegun(begun)
  }
  return (
    <Form submit={texts.value.next} onSubmit={send}>
      <PasswordField label={texts.value.password} defaultValue={password} />
    </Form>
  )
}

interface EnrolmentProps {
  /** The password, where it was given a moment ago. */
  readonly password?: string
  /** Told once 2FA is on, while the backup codes are still shown. */
  readonly onEnabled: () => void
  /** Told when the user has put the backup codes away. */
  readonly onDone: () => void
}

/**
 * Turns 2FA on: the password, later than sign-up a mailed code, a code of the app, then the backup codes
 * (`docs/contract/accounts.md#two-factor`). Operators are told where theirs is set up.
 */
export const Enrolment = ({ password = "", onEnabled, onDone }: EnrolmentProps) => {
  const [begun, setBegun] = useState<NewTwoFactor>()
  /** The password that a code was mailed for. */
  const [mailedFor, setMailedFor] = useState<string>()
  const [isEnabled, setEnabled] = useState(false)
  if (user.value?.role === "admin") return <p>{texts.value.operator}</p>
  if (begun === undefined && mailedFor !== undefined)
    return <MailCodeStep password={mailedFor} onBegun={setBegun} />
  if (begun === undefined)
    return <PasswordStep password={password} onBegun={setBegun} onMailed={setMailedFor} />
  if (isEnabled) return <BackupCodes codes={begun.backupCodes} onDone={onDone} />
  return (
    <CodeStep
      uri={begun.totpURI}
      onEnabled={() => {
        setEnabled(true)
        onEnabled()
      }}
    />
  )
}

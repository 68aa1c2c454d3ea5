import { useEffect, useState } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { User } from "../../../../schema/resources/account.ts"
import { call } from "../../api/http.ts"
import { failureOf } from "../../api/resource.ts"
import { hasLostSession, offersPasskey, secondFactorMethods, user } from "../../api/session.ts"
import { Link, navigate, query } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { dayMillis } from "../../text/spans.ts"
import { Button } from "../../ui/button.tsx"
import { FormError } from "../../ui/feedback.tsx"
import { Checkbox, Form, textOf } from "../../ui/form.tsx"
import { LoadingPage } from "../../ui/page.tsx"
import { AskMail, askedOf } from "./askMail.tsx"
import { inWords } from "./failures.ts"
import { CodeField, EmailField, PasswordField, passwordIn, useFirstField } from "./fields.tsx"
import { Frame, Note } from "./frame.tsx"
import { nextPage, readCode } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Entrar",
    submit: "Entrar",
    remember: `Continuar conectado por ${formLimits.rememberedSessionMillis / dayMillis} dias neste navegador`,
    forgot: "Esqueci minha senha",
    ended: "Sua sessão terminou. Entre de novo para continuar de onde parou.",
    first: "Entre para abrir essa página.",
    late: "O tempo ou as tentativas para digitar o código acabaram. Entre de novo.",
    secondTitle: "Verificação em duas etapas",
    trust: `Confiar neste dispositivo: não pedir código na entrada por ${formLimits.trustedDeviceMillis / dayMillis} dias`,
    confirm: "Confirmar",
    usePasskey: "Usar passkey",
    lost: "Perdi a verificação em duas etapas",
    unconfirmed: "Não recebi o e-mail de confirmação",
    back: "Entrar com outra conta",
    byInvite: "Ainda não tem conta? O cadastro é por convite: abra o link do e-mail que você recebeu.",
  },
  en: {
    title: "Sign in",
    submit: "Sign in",
    remember: `Stay signed in for ${formLimits.rememberedSessionMillis / dayMillis} days in this browser`,
    forgot: "I forgot my password",
    ended: "Your session has ended. Sign in again to go on where you were.",
    first: "Sign in to open that page.",
    late: "The time or the tries for the code are over. Sign in again.",
    secondTitle: "Two-factor authentication",
    trust: `Trust this device: do not ask for a code at sign-in for ${formLimits.trustedDeviceMillis / dayMillis} days`,
    confirm: "Confirm",
    usePasskey: "Use a passkey",
    lost: "I lost access to two-factor authentication",
    unconfirmed: "I did not get the mail that confirms my address",
    back: "Sign in to another account",
    byInvite: "No account yet? Sign-up is by invite: open the link in the e-mail that you received.",
  },
})

/** Where the sign-in is; the e-mail address is kept between its steps. */
type Step =
  | { readonly kind: "password"; readonly email: string; readonly isLate: boolean }
  | { readonly kind: "code"; readonly email: string }

interface StepProps {
  readonly email: string
  readonly onStep: (step: Step) => void
}

const welcome = (who: User) => {
  hasLostSession.value = false
  user.value = who
}

const WhySignIn = ({ isLate }: { readonly isLate: boolean }) => {
  const { value } = texts
  if (isLate) return <Note tone="waiting">{value.late}</Note>
  if (hasLostSession.value) return <Note tone="waiting">{value.ended}</Note>
  return query.value.has("next") ? <Note>{value.first}</Note> : null
}

const PasswordStep = ({ email, onStep, isLate }: StepProps & { readonly isLate: boolean }) => {
  useFirstField("password")
  const { value } = texts
  const send = async (values: FormData) => {
    const given = textOf(values, "email")
    const body = { email: given, password: passwordIn(values), rememberMe: values.has("rememberMe") }
    const answer = await inWords(call("POST /v1/me/auth/sign-in/email", { body, isRepeatable: true }))
    if ("user" in answer) {
      const session = answer.user.twoFactorEnabled ? await call("GET /v1/me/auth/get-session") : null
      secondFactorMethods.value = session?.session.twoFactorMethods ?? []
      return welcome(answer.user)
    }
    secondFactorMethods.value = answer.twoFactorMethods
    onStep({ kind: "code", email: given })
  }
  return (
    <Frame title={value.title}>
      <WhySignIn isLate={isLate} />
      <Form submit={value.submit} onSubmit={send}>
        <EmailField defaultValue={email} />
        <PasswordField />
        <Checkbox label={value.remember} name="rememberMe" />
      </Form>
      <Link to="/sign-in?ask=password" data-testid="forgot-password">
        {value.forgot}
      </Link>
      <Link to="/sign-in?ask=second-factor" data-testid="lost-second-factor">
        {value.lost}
      </Link>
      <Link to="/sign-in?ask=verification" data-testid="ask-verification">
        {value.unconfirmed}
      </Link>
      <p class="muted">{value.byInvite}</p>
    </Frame>
  )
}

const CodeStep = ({ email, onStep }: StepProps) => {
  useFirstField("code")
  const { value } = texts
  const [isTrusted, setTrusted] = useState(false)
  const [error, setError] = useState<CorrenteError>()
  /** Goes on as the answer says, or back to the password where the sign-in is over. */
  const complete = async (answering: Promise<{ readonly user: User }>) => {
    try {
      welcome((await answering).user)
    } catch (cause) {
      if (failureOf(cause).code !== "session_required") throw cause
      onStep({ kind: "password", email, isLate: true })
    }
  }
  const givePasskey = async () => {
    setError(undefined)
    try {
      const { usePasskey } = await import("../../api/passkeys.ts")
      await complete(usePasskey(isTrusted))
    } catch (cause) {
      setError(failureOf(cause))
    }
  }
  const send = async (values: FormData) => {
    setError(undefined)
    const { kind, code } = readCode(textOf(values, "code"))
    const step = kind === "totp" ? "verify-totp" : "verify-backup-code"
    const body = { code, trustDevice: isTrusted }
    await complete(call(`POST /v1/me/auth/two-factor/${step}`, { body, asksStepUp: false }))
  }
  return (
    <Frame title={value.secondTitle}>
      <Form submit={value.confirm} onSubmit={send}>
        {/* Above the code, whose last digit sends the form. */}
        <Checkbox
          label={value.trust}
          name="trustDevice"
          checked={isTrusted}
          onChange={(event) => setTrusted(event.currentTarget.checked)}
        />
        <CodeField />
      </Form>
      {offersPasskey.value && (
        <Button data-testid="use-passkey" onClick={givePasskey}>
          {value.usePasskey}
        </Button>
      )}
      <FormError error={error} />
      <Link to="/sign-in?ask=second-factor" data-testid="lost-second-factor">
        {value.lost}
      </Link>
      <button
        type="button"
        class="as-link"
        onClick={() => onStep({ kind: "password", email, isLate: false })}
      >
        {value.back}
      </button>
    </Frame>
  )
}

/** Signs in, with the second step where the account has one; asks for mailed links; leads on who is signed in already. */
export default () => {
  const [step, setStep] = useState<Step>({ kind: "password", email: "", isLate: false })
  const asked = askedOf(query.value.get("ask"))
  const isSignedIn = Boolean(user.value)
  const next = nextPage(query.value.get("next"))
  useEffect(() => {
    if (isSignedIn) navigate(next, { replace: true })
  }, [isSignedIn, next])
  useEffect(() => {
    // Back from asking for a mail, the sign-in begins anew.
    if (asked !== undefined) setStep(({ email }) => ({ kind: "password", email, isLate: false }))
  }, [asked])
  if (isSignedIn) return <LoadingPage />
  if (asked !== undefined) return <AskMail key={asked} asked={asked} email={step.email} />
  return step.kind === "code" ? (
    <CodeStep email={step.email} onStep={setStep} />
  ) : (
    <PasswordStep email={step.email} onStep={setStep} isLate={step.isLate} />
  )
}

import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { User } from "../../../../schema/resources/account.ts"
import { call } from "../../api/http.ts"
import { failureOf, type Resource, useResource } from "../../api/resource.ts"
import type { Answer } from "../../api/routes.ts"
import { hasLostSession, user } from "../../api/session.ts"
import { Link, navigate, query, setQuery } from "../../app/router.tsx"
import { failureText } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { ReadError } from "../../ui/feedback.tsx"
import { Field, Form, textOf } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { Foreign } from "../../ui/values.tsx"
import { Enrolment } from "./enrolment.tsx"
import { inWords } from "./failures.ts"
import { EmailField, PasswordField, passwordIn, useFirstField } from "./fields.tsx"
import { Frame, Note } from "./frame.tsx"
import { TermsCheckbox } from "./termsParts.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Criar conta",
    name: "Seu nome ou o da sua loja",
    submit: "Criar conta",
    noInvite: "Para criar uma conta é preciso um convite. Abra o link do e-mail de convite, ou peça um.",
    deadInvite:
      "Este convite não vale: expirou, foi cancelado ou já foi usado. Peça um novo a quem o enviou.",
    have: "Já tenho conta",
    signedIn: "Você já entrou como",
    leave: "Sair e usar o convite",
    home: "Ir para o painel",
    welcome: "Conta criada",
    created: "Sua conta foi criada. Enviamos um link para confirmar o seu e-mail.",
    mailed: "Enviamos um link de confirmação para",
    safeTitle: "Proteja sua conta",
    safe: "Ative a verificação em duas etapas com um aplicativo autenticador. Saques, devoluções, chaves de API e webhooks pedem um código dele.",
    enable: "Ativar verificação em duas etapas",
    later: "Agora não",
    enabled: "A verificação em duas etapas está ativa.",
  },
  en: {
    title: "Create your account",
    name: "Your name, or your store's",
    submit: "Create the account",
    noInvite: "Accounts are created by invite. Open the link of the invitation mail, or ask for one.",
    deadInvite:
      "This invite is not valid: it has expired, was revoked or used. Ask whoever sent it for a new one.",
    have: "I have an account",
    signedIn: "You are signed in as",
    leave: "Sign out and use the invite",
    home: "Go to the dashboard",
    welcome: "Account created",
    created: "Your account has been created. We sent a link to confirm your e-mail address.",
    mailed: "We sent a link to confirm your address to",
    safeTitle: "Protect your account",
    safe: "Turn on two-factor authentication with an authenticator app. Withdrawals, refunds, API keys and webhooks ask for its codes.",
    enable: "Turn on two-factor authentication",
    later: "Not now",
    enabled: "Two-factor authentication is on.",
  },
})

type Invite = Answer<"GET /v1/me/auth/invites/:token">

const signOut = async () => {
  try {
    await call("POST /v1/me/auth/sign-out")
    user.value = null
  } catch (error) {
    notify(failureText(failureOf(error)))
  }
}

/** Somebody is signed in already: an invite is for somebody who has no account. */
const SignedIn = ({ who }: { readonly who: User }) => (
  <Frame title={texts.value.title}>
    <p>
      {texts.value.signedIn} <Foreign>{who.email}</Foreign>.
    </p>
    <Link to="/" class="button primary">
      {texts.value.home}
    </Link>
    <Button onClick={signOut}>{texts.value.leave}</Button>
  </Frame>
)

/** After the sign-up: the mail that is on its way, and turning 2FA on. */
export const Welcome = ({ who, password }: { readonly who: User; readonly password: string }) => {
  const [step, setStep] = useState<"offer" | "enrolment" | "done">("offer")
  const { value } = texts
  const leave = () => navigate("/", { replace: true })
  return (
    <Frame title={step === "enrolment" ? value.enable : value.welcome}>
      {step !== "enrolment" && !who.emailVerified && (
        <Note tone="good">
          <p>
            {value.mailed} <Foreign>{who.email}</Foreign>.
          </p>
        </Note>
      )}
      {step === "offer" && (
        <>
          <h2>{value.safeTitle}</h2>
          <p>{value.safe}</p>
          <Button kind="primary" data-testid="two-factor-enable" onClick={() => setStep("enrolment")}>
            {value.enable}
          </Button>
          <Button onClick={leave}>{value.later}</Button>
        </>
      )}
      {step === "enrolment" && (
        <Enrolment
          password={password}
          onEnabled={() => notify(texts.value.enabled)}
          onDone={() => setStep("done")}
        />
      )}
      {step === "done" && (
        <>
          <p>{value.enabled}</p>
          <Button kind="primary" onClick={leave}>
            {value.home}
          </Button>
        </>
      )}
    </Frame>
  )
}

interface SignUpFormProps {
  readonly invite: Pick<Invite, "email">
  readonly token: string
  /** What the name is of. Default: the person or its store. */
  readonly nameLabel?: string
  readonly onSignedUp: (password: string) => void
}

/** Signs up by the token of an invite, or of an invitation to a team. */
export const SignUpForm = ({ invite, token, nameLabel, onSignedUp }: SignUpFormProps) => {
  useFirstField("sign-up")
  const { value } = texts
  const send = async (values: FormData) => {
    const password = passwordIn(values)
    const body = {
      name: textOf(values, "name"),
      email: textOf(values, "email"),
      password,
      // The form is not sent without the tick.
      accept_terms: true as const,
      invite_token: token,
    }
    const request = call("POST /v1/me/auth/sign-up/email", { body })
    const answer = await inWords(request, { "validation_failed email": "othersInvite" })
    hasLostSession.value = false
    onSignedUp(password)
    user.value = answer.user
    setQuery({ invite_token: undefined, token: undefined })
    notify(answer.user.emailVerified ? texts.value.welcome : texts.value.created)
  }
  return (
    <Form submit={value.submit} onSubmit={send}>
      <EmailField defaultValue={invite.email} />
      <Field
        label={nameLabel ?? value.name}
        name="name"
        autocomplete="name"
        required
        maxLength={formLimits.nameLengthMax}
        data-testid="name-input"
      />
      <PasswordField isNew />
      <TermsCheckbox />
    </Form>
  )
}

type InviteShownProps = Omit<SignUpFormProps, "invite"> & { readonly of: Resource<Invite | null> }

const InviteShown = ({ of, ...rest }: InviteShownProps) => {
  const invite = of.value.value
  const error = of.error.value
  if (invite === null) return <p role="alert">{texts.value.deadInvite}</p>
  if (invite !== undefined) return <SignUpForm invite={invite} {...rest} />
  return error === undefined ? <Skeleton lines={8} /> : <ReadError error={error} onRetry={of.reload} />
}

/** The invite of a token; null for one that cannot be used. */
const readInvite = async (token: string, signal: AbortSignal): Promise<Invite | null> => {
  if (token === "") return null
  try {
    return await call("GET /v1/me/auth/invites/:token", { params: { token }, signal })
  } catch (error) {
    if (failureOf(error).code === "resource_not_found") return null
    throw error
  }
}

/** Signs up by invite, then offers to turn 2FA on. */
export default () => {
  const [token] = useState(query.value.get("invite_token") ?? "")
  const [password, setPassword] = useState<string>()
  // A used invite is gone: nobody asks for it again.
  const unused = password === undefined ? token : ""
  const invite = useResource(`invite ${unused}`, (signal) => readInvite(unused, signal))
  const who = user.value
  if (who && password !== undefined) return <Welcome who={who} password={password} />
  if (who) return <SignedIn who={who} />
  const { value } = texts
  const isReady = invite.value.value !== undefined || invite.error.value !== undefined
  return (
    <Frame title={value.title} ready={isReady}>
      {token === "" ? (
        <p>{value.noInvite}</p>
      ) : (
        <InviteShown of={invite} token={token} onSignedUp={setPassword} />
      )}
      <Link to="/sign-in">{value.have}</Link>
    </Frame>
  )
}

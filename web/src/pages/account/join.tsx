import { useState } from "preact/hooks"
import type { User } from "../../../../schema/resources/account.ts"
import { call } from "../../api/http.ts"
import { failureOf, type Resource, useResource } from "../../api/resource.ts"
import type { Answer } from "../../api/routes.ts"
import { user } from "../../api/session.ts"
import { Link, navigate, query } from "../../app/router.tsx"
import { explain, failureText } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { roleNames } from "../../text/roles.ts"
import { Button } from "../../ui/button.tsx"
import { ReadError } from "../../ui/feedback.tsx"
import { Form } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { Foreign } from "../../ui/values.tsx"
import { Frame, Note } from "./frame.tsx"
import { SignUpForm, Welcome } from "./signUp.tsx"
import { roleTextWith } from "./teamTexts.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Entrar na equipe",
    invited: (who: string) => `${who} convida você para a equipe de`,
    invitedByNobody: "Há um convite para você entrar na equipe de",
    as: "Sua função:",
    dead: "Este convite não vale: expirou, foi revogado, substituído ou já foi usado. Peça um novo a quem o enviou.",
    noToken: "Este endereço está incompleto. Abra de novo o link do e-mail.",
    name: "Seu nome",
    accept: "Entrar na equipe",
    joined: "Você está na equipe.",
    hasAccount: "Este endereço já tem uma conta. Entre com ela para aceitar o convite:",
    signIn: "Entrar",
    other: "O convite é para outro endereço. Você entrou como",
    leave: "Sair e usar o convite",
    taken:
      "Esta conta já está em outra equipe, e cada conta fica em uma só. Peça o convite para outro endereço de e-mail.",
  },
  en: {
    title: "Join the team",
    invited: (who: string) => `${who} invites you to join the team of`,
    invitedByNobody: "You are invited to join the team of",
    as: "Your role:",
    dead: "This invitation is not valid: it has expired, or was revoked, replaced or already used. Ask whoever sent it for a new one.",
    noToken: "This address is incomplete. Open the link in the e-mail again.",
    name: "Your name",
    accept: "Join the team",
    joined: "You are in the team.",
    hasAccount: "This address already has an account. To accept the invitation, sign in as",
    signIn: "Sign in",
    other: "The invitation is for another address. You are signed in as",
    leave: "Sign out and use the invitation",
    taken:
      "This account is already in another team, and you can be in only one. Ask for an invitation to a different e-mail address.",
  },
})

type TeamInvite = Answer<"GET /v1/me/auth/team-invites/:token">

const leave = async () => {
  try {
    await call("POST /v1/me/auth/sign-out")
    user.value = null
  } catch (error) {
    notify(failureText(failureOf(error)))
  }
}

/** What the invitation is to, before anything is accepted. */
const Told = ({ of }: { readonly of: TeamInvite }) => {
  const { value } = texts
  const by = of.invited_by
  const who = by && (by.name === of.seller_name ? by.email : `${by.name} (${by.email})`)
  return (
    <Note>
      <p>
        {who === null ? value.invitedByNobody : <Foreign>{value.invited(who)}</Foreign>}{" "}
        <strong>
          <Foreign>{of.seller_name}</Foreign>
        </strong>
        .
      </p>
      <p>
        {value.as} <strong>{roleNames.value[of.role]}</strong>. {roleTextWith(of.role, of.refund_limit)}
      </p>
    </Note>
  )
}

interface AcceptProps {
  readonly who: User
  readonly of: TeamInvite
  readonly token: string
}

/** Somebody is signed in: the one who is invited, or somebody else. */
const Accept = ({ who, of, token }: AcceptProps) => {
  const { value } = texts
  if (who.email.toLowerCase() !== of.email.toLowerCase()) {
    return (
      <>
        <p>
          {value.other} <Foreign>{who.email}</Foreign>.
        </p>
        <Button onClick={leave}>{value.leave}</Button>
      </>
    )
  }
  const send = async () => {
    try {
      const answer = await call("POST /v1/me/auth/team-invites/accept", { body: { token } })
      user.value = answer.user
    } catch (cause) {
      const error = failureOf(cause)
      throw error.code === "invalid_state" ? explain(error, value.taken) : error
    }
    notify(value.joined)
    navigate("/", { replace: true })
  }
  return (
    <Form submit={value.accept} onSubmit={send}>
      <p>
        <Foreign>{who.email}</Foreign>
      </p>
    </Form>
  )
}

interface InviteShownProps {
  readonly of: Resource<TeamInvite | null>
  readonly token: string
  readonly onSignedUp: (password: string) => void
}

const InviteShown = ({ of, token, onSignedUp }: InviteShownProps) => {
  const invite = of.value.value
  const error = of.error.value
  const { value } = texts
  if (invite === null) return <p role="alert">{value.dead}</p>
  if (invite === undefined) {
    return error === undefined ? <Skeleton lines={8} /> : <ReadError error={error} onRetry={of.reload} />
  }
  const who = user.value
  const next = encodeURIComponent(`/join?token=${token}`)
  return (
    <>
      <Told of={invite} />
      {who && <Accept who={who} of={invite} token={token} />}
      {!who && invite.has_account && (
        <>
          <p>
            {value.hasAccount} <Foreign>{invite.email}</Foreign>
          </p>
          <Link to={`/sign-in?next=${next}`} class="button primary">
            {value.signIn}
          </Link>
        </>
      )}
      {!who && !invite.has_account && (
        <SignUpForm invite={invite} token={token} nameLabel={value.name} onSignedUp={onSignedUp} />
      )}
    </>
  )
}

/** The invitation of a token; null for one that cannot be accepted. */
const readInvite = async (token: string, signal: AbortSignal): Promise<TeamInvite | null> => {
  if (token === "") return null
  try {
    return await call("GET /v1/me/auth/team-invites/:token", { params: { token }, signal })
  } catch (error) {
    if (failureOf(error).code === "resource_not_found") return null
    throw error
  }
}

/** Where the mail of an invitation to a team leads: says which team, and lets its person sign up or accept. */
export default () => {
  const [token] = useState(query.value.get("token") ?? "")
  const [password, setPassword] = useState<string>()
  // A used invite is gone: nobody asks for it again.
  const unused = password === undefined ? token : ""
  const invite = useResource(`team invite ${unused}`, (signal) => readInvite(unused, signal))
  const who = user.value
  if (who && password !== undefined) return <Welcome who={who} password={password} />
  const { value } = texts
  const isReady = invite.value.value !== undefined || invite.error.value !== undefined
  return (
    <Frame title={value.title} ready={isReady}>
      {token === "" ? (
        <p>{value.noToken}</p>
      ) : (
        <InviteShown of={invite} token={token} onSignedUp={setPassword} />
      )}
    </Frame>
  )
}

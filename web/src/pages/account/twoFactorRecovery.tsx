import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import { call } from "../../api/http.ts"
import { user } from "../../api/session.ts"
import { Link, query, setQuery } from "../../app/router.tsx"
import { formatMoment } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { hourMillis } from "../../text/spans.ts"
import { Form } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { inWords } from "./failures.ts"
import { Frame, Note } from "./frame.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Desativar a verificação em duas etapas",
    why: "Nada aconteceu ainda. Ao confirmar:",
    effects: [
      "a verificação em duas etapas é desativada, e os códigos de reserva deixam de valer;",
      "todas as sessões abertas são encerradas;",
      `os saques ficam bloqueados por ${formLimits.recoveryLockMillis / hourMillis} horas.`,
    ],
    submit: "Desativar",
    done: "A verificação em duas etapas foi desativada.",
    locked: (until: string) => `Os saques estão bloqueados até ${until}.`,
    next: "Entre com e-mail e senha e ative-a de novo em seguida, com o novo aplicativo.",
    signIn: "Entrar",
    another: "Pedir outro link",
    noToken: "Este endereço está incompleto. Abra o link do e-mail de novo, ou peça outro.",
  },
  en: {
    title: "Turn two-factor authentication off",
    why: "Nothing has happened yet. Once you confirm:",
    effects: [
      "two-factor authentication is turned off, and the backup codes stop working;",
      "all open sessions end;",
      `withdrawals are locked for ${formLimits.recoveryLockMillis / hourMillis} hours.`,
    ],
    submit: "Turn it off",
    done: "Two-factor authentication is off.",
    locked: (until: string) => `Withdrawals are locked until ${until}.`,
    next: "Sign in with e-mail address and password, and turn it on again at once with your new app.",
    signIn: "Sign in",
    another: "Ask for another link",
    noToken: "This address is incomplete. Open the mailed link again, or ask for another.",
  },
})

/** Turns a lost second factor off by a mailed link, after a click: programs that look into mails open links too. */
export default () => {
  const [token] = useState(query.value.get("token") ?? "")
  /** Null where the user may make no withdrawals; undefined before it was used. */
  const [lockedUntil, setLockedUntil] = useState<string | null>()
  const { value } = texts
  const send = async () => {
    const { withdrawals_locked_until: until } = await inWords(
      call("POST /v1/me/auth/two-factor/recovery/confirm", { body: { token } }),
    )
    user.value = null
    setLockedUntil(until)
    setQuery({ token: undefined })
    notify([texts.value.done, until === null ? "" : texts.value.locked(formatMoment(until))].join(" ").trim())
  }
  if (lockedUntil !== undefined) {
    return (
      <Frame title={value.title}>
        <Note tone="good">
          <p>
            <strong>{value.done}</strong> {lockedUntil !== null && value.locked(formatMoment(lockedUntil))}
          </p>
        </Note>
        <p>{value.next}</p>
        <Link to="/sign-in" class="button primary">
          {value.signIn}
        </Link>
      </Frame>
    )
  }
  return (
    <Frame title={value.title}>
      {token === "" ? (
        <p>{value.noToken}</p>
      ) : (
        <>
          <p>{value.why}</p>
          <ul class="account-list">
            {value.effects.map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
          <Form submit={value.submit} danger onSubmit={send} />
        </>
      )}
      <Link to="/sign-in?ask=second-factor">{value.another}</Link>
    </Frame>
  )
}

import { useEffect, useState } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import { call } from "../../api/http.ts"
import { failureOf } from "../../api/resource.ts"
import { user } from "../../api/session.ts"
import { Link, query, setQuery } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { FormError } from "../../ui/feedback.tsx"
import { notify } from "../../ui/notice.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { SendAgain } from "./askMail.tsx"
import { inWords } from "./failures.ts"
import { Frame, Note } from "./frame.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Confirmar e-mail",
    done: "Seu e-mail está confirmado.",
    noToken: "Este endereço está incompleto. Abra o link do e-mail de novo.",
    maybe: "Se você já abriu este link antes, seu e-mail está confirmado. As configurações mostram.",
    home: "Ir para o painel",
    settings: "Abrir as configurações",
    signIn: "Entrar",
    again: "Pedir outro e-mail de confirmação",
  },
  en: {
    title: "Confirm the e-mail address",
    done: "Your e-mail address is confirmed.",
    noToken: "This address is incomplete. Open the mailed link again.",
    maybe: "If you opened this link before, your e-mail address is confirmed. The settings tell.",
    home: "Go to the dashboard",
    settings: "Open the settings",
    signIn: "Sign in",
    again: "Ask for another mail",
  },
})

type Outcome = "waiting" | "done" | CorrenteError

/** Asks for another mail: for the user's own address, or for one that has to be typed. */
const Again = () =>
  user.value ? (
    !user.value.emailVerified && <SendAgain email={user.value.email} />
  ) : (
    <Link to="/sign-in?ask=verification" data-testid="ask-verification">
      {texts.value.again}
    </Link>
  )

/** Confirms an e-mail address by a mailed link, as soon as it is opened. */
export default () => {
  const [token] = useState(query.value.get("token") ?? "")
  const [outcome, setOutcome] = useState<Outcome>("waiting")
  const { value } = texts
  const confirm = async () => {
    try {
      await inWords(call("GET /v1/me/auth/verify-email", { query: { token } }))
      if (user.value) user.value = { ...user.value, emailVerified: true }
      setOutcome("done")
      setQuery({ token: undefined })
      notify(texts.value.done)
    } catch (cause) {
      setOutcome(user.value?.emailVerified ? "done" : failureOf(cause))
    }
  }
  useEffect(() => {
    if (token !== "") void confirm()
  }, [])
  const isSignedIn = Boolean(user.value)
  return (
    <Frame title={value.title} ready={token === "" || outcome !== "waiting"}>
      {token === "" ? (
        <p>{value.noToken}</p>
      ) : outcome === "waiting" ? (
        <Skeleton />
      ) : outcome === "done" ? (
        <Note tone="good">{value.done}</Note>
      ) : (
        <>
          <FormError error={outcome} />
          {outcome.param === "token" && <p>{value.maybe}</p>}
        </>
      )}
      {outcome !== "done" && (token === "" || outcome !== "waiting") && <Again />}
      {outcome === "done" || !isSignedIn ? (
        <Link to={isSignedIn ? "/" : "/sign-in"} class="button primary">
          {isSignedIn ? value.home : value.signIn}
        </Link>
      ) : (
        <Link to="/settings">{value.settings}</Link>
      )}
    </Frame>
  )
}

import { useState } from "preact/hooks"
import { call } from "../../api/http.ts"
import { user } from "../../api/session.ts"
import { Link, navigate, query } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Form } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { inWords } from "./failures.ts"
import { PasswordField, passwordIn, useFirstField } from "./fields.tsx"
import { Frame } from "./frame.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Escolha uma nova senha",
    why: "Ao salvar, todas as sessões abertas são encerradas e você entra de novo com a nova senha.",
    password: "Nova senha",
    submit: "Salvar nova senha",
    done: "Senha alterada. Entre com a nova senha.",
    noToken: "Este endereço está incompleto. Abra o link do e-mail de novo, ou peça outro.",
    another: "Pedir outro link",
  },
  en: {
    title: "Choose a new password",
    why: "Saving it ends all open sessions, and you sign in again with the new password.",
    password: "New password",
    submit: "Save the new password",
    done: "The password has been changed. Sign in with the new one.",
    noToken: "This address is incomplete. Open the mailed link again, or ask for another.",
    another: "Ask for another link",
  },
})

/** Sets a new password by a mailed link. */
export default () => {
  const [token] = useState(query.value.get("token") ?? "")
  useFirstField("password")
  const { value } = texts
  const send = async (values: FormData) => {
    const body = { token, newPassword: passwordIn(values) }
    await inWords(call("POST /v1/me/auth/reset-password", { body }))
    user.value = null
    notify(texts.value.done)
    navigate("/sign-in", { replace: true })
  }
  return (
    <Frame title={value.title}>
      {token === "" ? (
        <p>{value.noToken}</p>
      ) : (
        <>
          <p>{value.why}</p>
          <Form submit={value.submit} onSubmit={send}>
            <PasswordField label={value.password} isNew />
          </Form>
        </>
      )}
      <Link to="/sign-in?ask=password">{value.another}</Link>
    </Frame>
  )
}

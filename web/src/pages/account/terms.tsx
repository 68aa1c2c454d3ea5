import { acceptTerms, terms } from "../../api/terms.ts"
import { signOut } from "../../app/signOut.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Form } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { Frame } from "./frame.tsx"
import { TermsCheckbox } from "./termsParts.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Novos termos de uso",
    changed: (current: string, accepted: string) =>
      `Os termos de uso mudaram. Você aceitou a versão ${accepted}; a versão em vigor é ${current}.`,
    why: "Aceite a nova versão para continuar no painel. Suas cobranças, saques e webhooks seguem funcionando enquanto isso.",
    submit: "Aceitar e continuar",
    done: "Termos aceitos.",
    signOut: "Sair",
  },
  en: {
    title: "New terms of use",
    changed: (current: string, accepted: string) =>
      `The terms of use have changed. You accepted version ${accepted}; version ${current} is in force now.`,
    why: "Accept the new version to go on in the dashboard. Your charges, withdrawals and webhooks go on working meanwhile.",
    submit: "Accept and go on",
    done: "The terms are accepted.",
    signOut: "Sign out",
  },
})

/** Asks for the acceptance of terms that have changed; shown in place of the page that was asked for. */
export default () => {
  const { value } = texts
  const { version = "", accepted_version: accepted } = terms.value ?? {}
  return (
    <Frame title={value.title}>
      <p>{value.changed(version, accepted ?? "")}</p>
      <p class="muted">{value.why}</p>
      <Form
        key={version}
        submit={value.submit}
        onSubmit={async () => {
          await acceptTerms()
          notify(texts.value.done)
        }}
      >
        <TermsCheckbox version={version} />
      </Form>
      <Button kind="quiet" data-testid="sign-out" onClick={signOut}>
        {value.signOut}
      </Button>
    </Frame>
  )
}

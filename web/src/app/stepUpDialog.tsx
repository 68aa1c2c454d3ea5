import { api } from "../api/http.ts"
import { user } from "../api/session.ts"
import { stepUpRequest } from "../api/stepUp.ts"
import { textsOf } from "../text/i18n.ts"
import { Dialog } from "../ui/dialog.tsx"
import { Field, Form, textOf } from "../ui/form.tsx"
import { Link } from "./router.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Confirme que é você",
    why: "Esta ação pede um código. Depois de confirmado, ela continua sozinha.",
    code: "Código do aplicativo, ou um código de reserva",
    confirm: "Confirmar",
    needed: "Para continuar, ative a verificação em duas etapas.",
    enable: "Ativar nas configurações",
  },
  en: {
    title: "Confirm that it is you",
    why: "This action asks for a code. Once confirmed, it goes on by itself.",
    code: "Code of your authenticator app, or a backup code",
    confirm: "Confirm",
    needed: "To go on, turn two-factor authentication on.",
    enable: "Turn it on in the settings",
  },
})

/** Asks for a second factor while a request waits for it. */
export const StepUpDialog = () => {
  const request = stepUpRequest.value
  if (request === undefined) return null
  const give = (isConfirmed: boolean) => () => request.settle(isConfirmed)
  return (
    <Dialog title={texts.value.title} testId="step-up-dialog" onClose={give(false)}>
      {user.value?.twoFactorEnabled === false ? (
        <p>
          {texts.value.needed}{" "}
          <Link to="/settings" onClick={give(false)}>
            {texts.value.enable}
          </Link>
        </p>
      ) : (
        <Form
          submit={texts.value.confirm}
          onCancel={give(false)}
          onSubmit={async (values) => {
            await api.post("/v1/me/auth/step-up", { code: textOf(values, "code") }, { asksStepUp: false })
            request.settle(true)
          }}
        >
          <p>{texts.value.why}</p>
          <Field
            label={texts.value.code}
            name="code"
            data-testid="code-input"
            autocomplete="one-time-code"
            autofocus
            required
          />
        </Form>
      )}
    </Dialog>
  )
}

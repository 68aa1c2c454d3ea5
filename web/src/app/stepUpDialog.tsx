import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { CorrenteError } from "../../../client/src/errors.ts"
import { api } from "../api/http.ts"
import { failureOf } from "../api/resource.ts"
import { user } from "../api/session.ts"
import { type StepUpRequest, stepUpRequest } from "../api/stepUp.ts"
import { textsOf } from "../text/i18n.ts"
import { Dialog } from "../ui/dialog.tsx"
import { FormError, Loading } from "../ui/feedback.tsx"
import { Field, Form, textOf } from "../ui/form.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Confirme que é você",
    why: "Esta ação pede um código. Depois de confirmado, ela continua sozinha.",
    code: "Código do aplicativo ou código de reserva",
    confirm: "Confirmar",
    enrolTitle: "Ative a verificação em duas etapas",
    enrolWhy:
      "Esta ação só é permitida com a verificação em duas etapas. Ative agora e ela continua sozinha.",
  },
  en: {
    title: "Confirm that it is you",
    why: "This action asks for a code. Once confirmed, it goes on by itself.",
    code: "Code of your authenticator app, or a backup code",
    confirm: "Confirm",
    enrolTitle: "Turn on two-factor authentication",
    enrolWhy:
      "This action needs two-factor authentication. Turn it on now, and the action goes on by itself.",
  },
})

interface EnrolmentProps {
  readonly onEnabled: () => void
  readonly onDone: () => void
}

/** The steps that turn 2FA on, loaded only for those who need them. */
const LazyEnrolment = (props: EnrolmentProps) => {
  const [Enrolment, setEnrolment] = useState<ComponentType<EnrolmentProps>>()
  const [error, setError] = useState<CorrenteError>()
  useEffect(() => {
    import("../pages/account/enrolment.tsx").then(
      (module) => setEnrolment(() => module.Enrolment),
      (cause) => setError(failureOf(cause)),
    )
  }, [])
  if (error !== undefined) return <FormError error={error} />
  return Enrolment === undefined ? <Loading /> : <Enrolment {...props} />
}

const CodeForm = ({ settle, onOff }: Pick<StepUpRequest, "settle"> & { readonly onOff: () => void }) => (
  <Form
    submit={texts.value.confirm}
    onCancel={() => settle(false)}
    onSubmit={async (values) => {
      try {
        await api.post("/v1/me/auth/step-up", { code: textOf(values, "code") }, { asksStepUp: false })
      } catch (cause) {
        const error = failureOf(cause)
        // 2FA was turned off elsewhere since this page learnt who is signed in.
        if (error.code === "mfa_required") return onOff()
        throw error
      }
      settle(true)
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
)

const OpenDialog = ({ settle }: StepUpRequest) => {
  const [isEnrolling, setEnrolling] = useState(user.value?.twoFactorEnabled === false)
  const [isEnabled, setEnabled] = useState(false)
  const { title, enrolTitle, enrolWhy } = texts.value
  return (
    <Dialog
      title={isEnrolling ? enrolTitle : title}
      testId="step-up-dialog"
      canClose={!isEnabled}
      onClose={() => settle(false)}
    >
      {isEnrolling ? (
        <div class="form">
          {!isEnabled && <p>{enrolWhy}</p>}
          <LazyEnrolment onEnabled={() => setEnabled(true)} onDone={() => settle(true)} />
        </div>
      ) : (
        <CodeForm settle={settle} onOff={() => setEnrolling(true)} />
      )}
    </Dialog>
  )
}

/**
 * Asks for a second factor while a request waits for it. Somebody who has none turns it on right there, which counts as a
 * step-up too (`docs/contract/accounts.md#step-up`).
 */
export const StepUpDialog = () => {
  const request = stepUpRequest.value
  const isSignedIn = Boolean(user.value)
  useEffect(() => {
    // The session ended while the dialog was open.
    if (!isSignedIn) request?.settle(false)
  }, [request, isSignedIn])
  return request === undefined ? null : <OpenDialog settle={request.settle} />
}

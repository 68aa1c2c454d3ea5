import { useEffect, useState } from "preact/hooks"
import { user } from "../api/session.ts"
import { type StepUpRequest, stepUpRequest } from "../api/stepUp.ts"
import { textsOf } from "../text/i18n.ts"
import { Dialog } from "../ui/dialog.tsx"
import { lazily } from "../ui/lazily.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { StepUpCode } from "../ui/stepUpCode.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Confirme que é você",
    enrolTitle: "Ative a verificação em duas etapas",
    enrolWhy:
      "Esta ação só é permitida com a verificação em duas etapas. Ative agora e ela continua sozinha.",
  },
  en: {
    title: "Confirm that it is you",
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
const LazyEnrolment = lazily<EnrolmentProps>(
  async () => (await import("../pages/account/enrolment.tsx")).Enrolment,
  () => <Skeleton lines={6} />,
)

const OpenDialog = ({ settle }: Pick<StepUpRequest, "settle">) => {
  // 2FA may turn out to be off while the dialog asks for a code; while backup codes are shown it is on again.
  const [wasOff, setWasOff] = useState(false)
  const isOff = user.value?.twoFactorEnabled === false
  useEffect(() => {
    if (isOff) setWasOff(true)
  }, [isOff])
  const isEnrolling = isOff || wasOff
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
        <StepUpCode settle={settle} />
      )}
    </Dialog>
  )
}

/**
 * Asks for a second factor while a request waits for it that no form in the page asks for. Somebody who has none turns it on right there, which counts as a
 * step-up too (`docs/contract/accounts.md#step-up`).
 */
export const StepUpDialog = () => {
  const request = stepUpRequest.value
  const isSignedIn = Boolean(user.value)
  useEffect(() => {
    // The session ended while the dialog was open.
    if (!isSignedIn) request?.settle(false)
  }, [request, isSignedIn])
  return request === undefined || request.host !== undefined ? null : <OpenDialog settle={request.settle} />
}

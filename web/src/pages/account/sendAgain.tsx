import { failureOf } from "../../api/resource.ts"
import { failureText } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { notify } from "../../ui/feedback.tsx"
import { sendVerification } from "./askMail.tsx"

const texts = textsOf({
  "pt-BR": {
    again: "Enviar o e-mail de confirmação de novo",
    sent: "E-mail enviado. O link vale por 24 horas. Confira também o spam.",
  },
  en: {
    again: "Send the confirmation mail again",
    sent: "The mail is on its way. Its link is good for 24 hours. Look into the spam folder, too.",
  },
})

/** Mails the signed-in user the link that confirms their address again. */
export const SendAgain = ({ email }: { readonly email: string }) => (
  <Button
    data-testid="verification-again"
    onClick={async () => {
      try {
        await sendVerification(email)
        notify(texts.value.sent)
      } catch (error) {
        notify(failureText(failureOf(error)))
      }
    }}
  >
    {texts.value.again}
  </Button>
)

import { useState } from "preact/hooks"
import type { User } from "../../../../schema/resources/account.ts"
import { failureOf } from "../../api/resource.ts"
import { user } from "../../api/session.ts"
import { acceptTerms, terms } from "../../api/terms.ts"
import { failureText } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { notify } from "../../ui/notice.tsx"
import { Foreign } from "../../ui/values.tsx"
import { SendAgain } from "./askMail.tsx"
import { OwnNameDialog } from "./profileDialogs.tsx"
import { TermsLink } from "./termsParts.tsx"

const texts = textsOf({
  "pt-BR": {
    verified: "Confirmado",
    unverified: "Não confirmado: abra o link que enviamos.",
    change: "Mudar",
    changeName: "Mudar seu nome",
    saved: "Nome salvo.",
    version: (version: string) => `Versão ${version}`,
    accepted: ", aceita",
    notAccepted: ", ainda não aceita",
    accept: "Aceitar",
    termsAccepted: "Termos aceitos.",
  },
  en: {
    verified: "Confirmed",
    unverified: "Not confirmed: open the link that we mailed.",
    change: "Change",
    changeName: "Change your name",
    saved: "The name has been saved.",
    version: (version: string) => `Version ${version}`,
    accepted: ", accepted",
    notAccepted: ", not accepted yet",
    accept: "Accept",
    termsAccepted: "The terms are accepted.",
  },
})

/** The user's address, and whether it is confirmed; if not, a button that mails the link again. */
export const EmailFact = ({ who }: { readonly who: User }) => (
  <span class="fact-with-act">
    <Foreign>{who.email}</Foreign>
    {who.emailVerified ? (
      <span class="status good">{texts.value.verified}</span>
    ) : (
      <>
        <small class="muted">{texts.value.unverified}</small>
        <SendAgain email={who.email} />
      </>
    )}
  </span>
)

/** The user's own name, which they can change. */
export const OwnNameFact = ({ who }: { readonly who: User }) => {
  const [isOpen, setOpen] = useState(false)
  const { value } = texts
  return (
    <span class="fact-with-act">
      <Foreign>{who.name}</Foreign>
      <Button
        data-testid="own-name-change"
        aria-label={value.changeName}
        onClick={() => {
          setOpen(true)
        }}
      >
        {value.change}
      </Button>
      {isOpen && (
        <OwnNameDialog
          name={who.name}
          onClose={() => setOpen(false)}
          onDone={(name) => {
            setOpen(false)
            if (user.value) user.value = { ...user.value, name }
            notify(value.saved)
          }}
        />
      )}
    </span>
  )
}

/** Which terms are in force, and whether the user accepted them; if not, a button that does. */
export const TermsFact = () => {
  const { value } = texts
  if (terms.value === undefined) return <span class="terms-fact muted">…</span>
  const { version, accepted_version: accepted } = terms.value
  const isAccepted = accepted === version
  const fact = (
    <span class="terms-fact" data-testid="terms">
      <TermsLink>{value.version(version)}</TermsLink>
      {isAccepted ? value.accepted : value.notAccepted}
    </span>
  )
  if (isAccepted) return fact
  return (
    <span class="fact-with-act">
      {fact}
      <Button
        data-testid="terms-accept"
        onClick={async () => {
          try {
            await acceptTerms()
            notify(value.termsAccepted)
          } catch (error) {
            notify(failureText(failureOf(error)))
          }
        }}
      >
        {value.accept}
      </Button>
    </span>
  )
}

import { useEffect } from "preact/hooks"
import { readTermsUrl, termsUrl } from "../../api/terms.ts"
import { textsOf } from "../../text/i18n.ts"
import { Checkbox } from "../../ui/form.tsx"

/** The name of the terms, as a link to the page that shows them where the service names one (`TERMS_URL`). */
export const TermsLink = ({ children }: { readonly children: string }) => {
  useEffect(() => {
    void readTermsUrl().catch(() => {})
  }, [])
  const url = termsUrl.value
  if (url === null) return <>{children}</>
  return (
    <a href={url} target="_blank" rel="noreferrer" data-testid="terms-link">
      {children}
    </a>
  )
}

const texts = textsOf({
  "pt-BR": {
    accept: "Li e aceito os",
    terms: "termos de uso",
    version: (version: string) => `termos de uso, versão ${version}`,
  },
  en: {
    accept: "I have read and accept the",
    terms: "terms of use",
    version: (version: string) => `terms of use, version ${version}`,
  },
})

/** The tick without which the terms are not accepted; it names their version where that is known. */
export const TermsCheckbox = ({ version }: { readonly version?: string }) => {
  const { value } = texts
  const label = (
    <>
      {value.accept} <TermsLink>{version === undefined ? value.terms : value.version(version)}</TermsLink>
    </>
  )
  return <Checkbox label={label} name="terms" required data-testid="terms-checkbox" />
}

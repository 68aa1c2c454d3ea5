import { useEffect } from "preact/hooks"
import { readTermsUrl, termsUrl } from "../../api/terms.ts"

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

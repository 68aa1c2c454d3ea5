import { call } from "../../api/http.ts"
import { type Resource, useRead, useResource } from "../../api/resource.ts"
import { isOperator, loseSession, secondFactorMethods, user } from "../../api/session.ts"
import { textsOf } from "../../text/i18n.ts"
import { lazily } from "../../ui/lazily.tsx"
import { FirstRead, isReady, Page } from "../../ui/page.tsx"
import "../../styles/account.css"
import type { User } from "../../../../schema/resources/account.ts"
import type { SellerProfile } from "../../../../schema/resources/seller.ts"
import { BrandCard } from "./brandCard.tsx"
import { LookCard } from "./lookCard.tsx"
import { ProfileCard } from "./profileCard.tsx"
import { SecurityCard } from "./securityCard.tsx"
import { SellerPagesCard } from "./sellerPagesCard.tsx"
import { StepUpCard } from "./stepUpCard.tsx"

const texts = textsOf({
  "pt-BR": { title: "Configurações" },
  en: { title: "Settings" },
})

/** Reads again who is signed in: 2FA or the address may have been confirmed in another browser. */
const readUser = async (signal: AbortSignal): Promise<User | null> => {
  const session = await call("GET /v1/me/auth/get-session", { signal })
  if (session === null) loseSession()
  else {
    user.value = session.user
    secondFactorMethods.value = session.session.twoFactorMethods
  }
  return session?.user ?? null
}

const SessionsCard = lazily(() => import("./sessionsCard.tsx").then((part) => part.SessionsCard), FirstRead)
const PasskeysCard = lazily(() => import("./passkeysCard.tsx").then((part) => part.PasskeysCard), FirstRead)

const SellerBrand = ({ seller }: { readonly seller: Resource<SellerProfile | null> }) => (
  <BrandCard brand={useRead("GET /v1/me/brand", {})} seller={seller} />
)

/** A user's account: profile and identification of a seller, second factor, sessions, language and colours. */
export default () => {
  const isSeller = !isOperator.value && user.value?.seller_id !== null
  const account = useResource("account", readUser)
  const seller = useResource(
    `seller ${isSeller}`,
    async (signal) => (isSeller ? await call("GET /v1/me/seller", { signal }) : null),
    { reloadsOn: ({ type }) => type.startsWith("seller.") },
  )
  const prefs = useRead("GET /v1/me/security/step-up-prefs", {})
  const passkeys = useRead("GET /v1/me/auth/passkey/list-user-passkeys", {})
  const sessions = useRead("GET /v1/me/sessions", {})
  const who = user.value
  if (!who) return null
  return (
    <Page title={texts.value.title} ready={isReady(account, seller, prefs, passkeys, sessions)}>
      <div class="settings">
        <ProfileCard who={who} seller={seller} />
        <SecurityCard who={who} />
        <StepUpCard who={who} prefs={prefs} />
        {isSeller && <SellerBrand seller={seller} />}
        {isSeller && <SellerPagesCard />}
        <LookCard />
      </div>
      {who.twoFactorEnabled && (
        <PasskeysCard
          passkeys={passkeys}
          onChange={() => Promise.all([passkeys.reload(), account.reload()])}
        />
      )}
      <SessionsCard sessions={sessions} />
    </Page>
  )
}

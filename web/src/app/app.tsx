import { useSignal } from "@preact/signals"
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { CorrenteError } from "../../../client/src/errors.ts"
import type { User } from "../../../schema/resources/account.ts"
import { useHealing } from "../api/healing.ts"
import { call } from "../api/http.ts"
import { failureOf } from "../api/resource.ts"
import { mode, secondFactorMethods, user } from "../api/session.ts"
import { areTermsNewer } from "../api/terms.ts"
import { textsOf } from "../text/i18n.ts"
import { ReadError, Retrying } from "../ui/feedback.tsx"
import { Mark } from "../ui/mark.tsx"
import { Notice } from "../ui/notice.tsx"
import { LoadingPage, Page } from "../ui/page.tsx"
import { base, Link, navigate, type PageParams, path } from "./router.tsx"
import { findRoute, type Route } from "./routes.ts"
import { Shell } from "./shell.tsx"
import { StepUpDialog } from "./stepUpDialog.tsx"

const texts = textsOf({
  "pt-BR": {
    lost: "Página não encontrada",
    why: "O endereço mudou, foi copiado pela metade ou nunca existiu.",
    home: "Voltar ao início",
  },
  en: {
    lost: "Page not found",
    why: "The address has changed, was copied in part, or never existed.",
    home: "Back to the start",
  },
})

const NotFound = () => (
  <Page title={texts.value.lost} ready>
    <div class="empty">
      <Mark size={64} />
      <p>{texts.value.why}</p>
      <Link to="/" class="button primary">
        {texts.value.home}
      </Link>
    </div>
  </Page>
)

/** Loads the page of a route. A page that cannot be loaded, such as after an update of the service, says so. */
const Loaded = ({ route, params }: { readonly route: Route } & PageParams) => {
  const [page, setPage] = useState<{ readonly route: Route; readonly Component: ComponentType<PageParams> }>()
  const [error, setError] = useState<CorrenteError>()
  useEffect(() => {
    // What comes of a page that was left meanwhile is not to be shown.
    let isLeft = false
    const load = async () => {
      try {
        const { default: Component } = await route.load()
        if (isLeft) return
        setPage({ route, Component })
        setError(undefined)
      } catch (cause) {
        if (!isLeft) setError(failureOf(cause))
      }
    }
    void load()
    return () => {
      isLeft = true
    }
  }, [route])
  if (error !== undefined) return <ReadError error={error} onRetry={() => location.reload()} />
  if (page === undefined || page.route !== route) return <LoadingPage />
  // Other parameters, or the other mode's data, are another page: none keeps what belonged to the one before.
  const key = JSON.stringify([route.path, params, route.audience === "seller" ? mode.value : ""])
  return <page.Component key={key} params={params} />
}

const signInPath = () => {
  const next = location.pathname.slice(base.length) + location.search
  return next === "" || next === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`
}

/** Where somebody is sent who may not see a page; undefined where they may. */
const redirectOf = (route: Route, who: User | null): string | undefined => {
  if (route.audience === "anyone") return undefined
  if (who === null) return signInPath()
  if (route.audience === "seller" && who.role === "admin") return "/admin"
  return route.audience === "operator" && who.role !== "admin" ? "/" : undefined
}

/** Has no address of its own: it stands in for any page until the terms are accepted. */
const termsPage: Route = {
  path: "",
  audience: "signedIn",
  load: () => import("../pages/account/terms.tsx"),
}
/** Stands in for the pages of a seller, for a user who is in nobody's team. */
const noTeamPage: Route = {
  path: "",
  audience: "signedIn",
  load: () => import("../pages/account/noTeam.tsx"),
}
const noParams = {}

const Content = ({ who }: { readonly who: User | null }) => {
  const found = findRoute(path.value)
  const redirect = found === undefined ? undefined : redirectOf(found.route, who)
  useEffect(() => {
    if (redirect !== undefined) navigate(redirect, { replace: true })
  }, [redirect])
  if (redirect !== undefined) return <LoadingPage />
  if (who !== null && found?.route.audience !== "anyone" && areTermsNewer.value)
    return <Loaded route={termsPage} params={noParams} />
  if (found?.route.audience === "seller" && who?.role === "seller" && who.seller_id === null)
    return <Loaded route={noTeamPage} params={noParams} />
  const page = found === undefined ? <NotFound /> : <Loaded route={found.route} params={found.params} />
  return who === null || found?.route.audience === "anyone" ? page : <Shell>{page}</Shell>
}

/** The whole application: finds out who is signed in, and shows the page of the address. */
export const App = () => {
  const error = useSignal<CorrenteError | undefined>(undefined)
  const load = async () => {
    try {
      const session = await call("GET /v1/me/auth/get-session")
      secondFactorMethods.value = session?.session.twoFactorMethods ?? []
      user.value = session?.user ?? null
      error.value = undefined
    } catch (cause) {
      error.value = failureOf(cause)
    }
  }
  useEffect(() => void load(), [])
  useHealing(error, load)
  const who = user.value
  return (
    <>
      {error.value !== undefined && who === undefined ? (
        <ReadError error={error.value} onRetry={load} />
      ) : who === undefined ? (
        <LoadingPage />
      ) : (
        <Content who={who} />
      )}
      <StepUpDialog />
      <div class="retrying-bar">
        <Retrying />
      </div>
      <Notice />
    </>
  )
}

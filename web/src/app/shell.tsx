import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { liveState, offlineReason } from "../api/live.ts"
import { chooseMode, isOperator, type Mode, mode, user } from "../api/session.ts"
import { textsOf } from "../text/i18n.ts"
import { Button } from "../ui/button.tsx"
import { isCurrent, operatorEntries, sellerEntries } from "./navigation.ts"
import { Link, path } from "./router.tsx"
import { Search } from "./search.tsx"
import { signOut } from "./signOut.ts"

const texts = textsOf({
  "pt-BR": {
    menu: "Menu",
    navigation: "Navegação principal",
    skip: "Ir para o conteúdo",
    signOut: "Sair",
    test: "Teste",
    live: "Produção",
    mode: "Modo",
    testBanner: "Modo de teste: nada aqui movimenta dinheiro de verdade.",
    liveNow: "Ao vivo",
    connecting: "Conectando…",
    offline: {
      unreachable: "Sem conexão: novos dados aparecem quando o serviço voltar.",
      unavailable: "Serviço indisponível: novos dados aparecem quando ele voltar.",
      tooManyStreams: "Há conexões ao vivo demais desta conta. Feche outras; esta tenta de novo sozinha.",
    },
    operator: "Operação",
  },
  en: {
    menu: "Menu",
    navigation: "Main navigation",
    skip: "Skip to the content",
    signOut: "Sign out",
    test: "Test",
    live: "Live",
    mode: "Mode",
    testBanner: "Test mode: nothing here moves real money.",
    liveNow: "Live",
    connecting: "Connecting…",
    offline: {
      unreachable: "Offline: new data appear once the service is back.",
      unavailable: "Service unavailable: new data appear once it is back.",
      tooManyStreams:
        "This account has too many live connections. Close others; this one tries again by itself.",
    },
    operator: "Operators",
  },
})

const ModeButton = ({ of }: { readonly of: Mode }) => (
  <button
    type="button"
    class="mode-button"
    data-testid={`mode-${of}`}
    aria-pressed={mode.value === of}
    onClick={() => chooseMode(of)}
  >
    {texts.value[of]}
  </button>
)

const LiveStatus = () => {
  const state = liveState.value
  const { liveNow, connecting, offline } = texts.value
  const text =
    state === "offline"
      ? offline[offlineReason.value ?? "unavailable"]
      : state === "live"
        ? liveNow
        : connecting
  return (
    <span class="live-status" data-testid="live-status" data-state={state} role="status">
      {text}
    </span>
  )
}

const Menu = () => {
  const [isOpen, setOpen] = useState(false)
  const entries = isOperator.value ? operatorEntries() : sellerEntries(mode.value === "test")
  useEffect(() => setOpen(false), [path.value])
  return (
    <>
      <button
        type="button"
        class="menu-button button quiet"
        aria-expanded={isOpen}
        aria-controls="menu"
        onClick={() => setOpen(!isOpen)}
      >
        <span aria-hidden="true">☰</span> {texts.value.menu}
      </button>
      <nav id="menu" class="menu" data-open={isOpen} aria-label={texts.value.navigation}>
        <div class="menu-inner">
          <ul>
            {entries.map((entry) => (
              <li key={entry.to}>
                <Link to={entry.to} aria-current={isCurrent(entry, path.value) ? "page" : undefined}>
                  {entry.name}
                </Link>
              </li>
            ))}
          </ul>
          <div class="menu-end">
            <bdi class="foreign muted">{user.value?.email}</bdi>
            <Button kind="quiet" data-testid="sign-out" onClick={signOut}>
              {texts.value.signOut}
            </Button>
          </div>
        </div>
      </nav>
    </>
  )
}

/** What surrounds every signed-in page: menu, mode, search, and whether the page is live. */
export const Shell = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="shell" data-mode={isOperator.value ? undefined : mode.value}>
    <a class="skip" href="#main">
      {texts.value.skip}
    </a>
    {!isOperator.value && mode.value === "test" && <p class="test-banner">{texts.value.testBanner}</p>}
    <header class="top">
      <Link to={isOperator.value ? "/admin" : "/"} class="brand">
        Corrente
      </Link>
      {isOperator.value ? (
        <span class="muted">{texts.value.operator}</span>
      ) : (
        <>
          <fieldset class="mode" aria-label={texts.value.mode}>
            <ModeButton of="test" />
            <ModeButton of="live" />
          </fieldset>
          <Search />
          <LiveStatus />
        </>
      )}
    </header>
    <Menu />
    {children}
  </div>
)

import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { liveState, offlineReason } from "../api/live.ts"
import { chooseMode, isOperator, type Mode, mode, user } from "../api/session.ts"
import { textsOf } from "../text/i18n.ts"
import { roleNames } from "../text/roles.ts"
import { Button } from "../ui/button.tsx"
import { Icon } from "../ui/icons.tsx"
import { Wordmark } from "../ui/mark.tsx"
import {
  type Entry,
  type Group,
  isCurrent,
  operatorGroups,
  operatorTabs,
  sellerGroups,
  sellerTabs,
} from "./navigation.ts"
import { PaletteEntry } from "./paletteEntry.tsx"
import { queueCounts, useQueueCounts } from "./queueCounts.ts"
import { Link, path } from "./router.tsx"
import { signOut } from "./signOut.ts"
import { TestTime } from "./testTime.tsx"

const texts = textsOf({
  "pt-BR": {
    more: "Mais",
    navigation: "Navegação principal",
    shortcuts: "Atalhos",
    skip: "Ir para o conteúdo",
    signOut: "Sair",
    test: "Teste",
    live: "Produção",
    mode: "Modo",
    testNote: "Nada aqui movimenta dinheiro de verdade",
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
    more: "More",
    navigation: "Main navigation",
    shortcuts: "Shortcuts",
    skip: "Skip to the content",
    signOut: "Sign out",
    test: "Test",
    live: "Live",
    mode: "Mode",
    testNote: "Nothing here moves real money",
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

/** A dot while all is well, so that nothing moves when the page becomes live; words under the header while it is not. */
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
    <span
      class="live-status"
      data-testid="live-status"
      data-state={state}
      role="status"
      title={state === "offline" ? undefined : text}
    >
      <span class={state === "offline" ? "live-words" : "visually-hidden"}>{text}</span>
    </span>
  )
}

const EntryLink = ({ of: entry }: { readonly of: Entry }) => (
  <Link to={entry.to} aria-current={isCurrent(entry, path.value) ? "page" : undefined}>
    <Icon name={entry.icon} /> <span>{entry.name}</span>
    {(entry.count ?? 0) > 0 && <span class="menu-count">{entry.count}</span>}
  </Link>
)

/** The menu's entries, by group: beside the page, or over it while it is opened on a phone. */
const Menu = ({ groups, isOpen }: { readonly groups: ReadonlyArray<Group>; readonly isOpen: boolean }) => {
  const role = user.value?.seller_role
  return (
    <nav id="menu" class="menu" data-open={isOpen} aria-label={texts.value.navigation}>
      <div class="menu-inner">
        {groups.map(({ name, entries }) => (
          <ul key={name} aria-label={name}>
            {name !== undefined && (
              <li class="menu-group" aria-hidden="true">
                {name}
              </li>
            )}
            {entries.map((entry) => (
              <li key={entry.to}>
                <EntryLink of={entry} />
              </li>
            ))}
          </ul>
        ))}
        <div class="menu-end">
          <bdi class="foreign muted">{user.value?.email}</bdi>
          {role != null && role !== "owner" && (
            <Link to="/settings/team" data-testid="own-role">
              {roleNames.value[role]}
            </Link>
          )}
          <Button kind="quiet" data-testid="sign-out" onClick={signOut}>
            {texts.value.signOut}
          </Button>
        </div>
      </div>
    </nav>
  )
}

interface TabsProps {
  readonly entries: ReadonlyArray<Entry>
  readonly isOpen: boolean
  readonly onMenu: () => void
}

/** The pages of every day at the bottom of a phone, and the menu with all others. */
const Tabs = ({ entries, isOpen, onMenu }: TabsProps) => (
  <nav class="tabs" aria-label={texts.value.shortcuts}>
    {entries.map((entry) => (
      <EntryLink key={entry.to} of={entry} />
    ))}
    <button
      type="button"
      class="menu-button"
      data-testid="menu"
      aria-expanded={isOpen}
      aria-controls="menu"
      onClick={onMenu}
    >
      <Icon name={isOpen ? "close" : "menu"} /> <span>{texts.value.more}</span>
    </button>
  </nav>
)

const Navigation = () => {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(false), [path.value])
  return (
    <>
      <Menu
        groups={isOperator.value ? operatorGroups(queueCounts.value) : sellerGroups(mode.value === "test")}
        isOpen={isOpen}
      />
      <Tabs
        entries={isOperator.value ? operatorTabs() : sellerTabs()}
        isOpen={isOpen}
        onMenu={() => setOpen(!isOpen)}
      />
    </>
  )
}

const SellerTools = () => (
  <>
    <fieldset class="mode" aria-label={texts.value.mode}>
      <ModeButton of="test" />
      <ModeButton of="live" />
    </fieldset>
    {mode.value === "test" && (
      <p class="test-note" title={texts.value.testNote}>
        <span>{texts.value.testNote}</span>
      </p>
    )}
    <TestTime />
    <PaletteEntry />
    <LiveStatus />
  </>
)

const OperatorTools = () => {
  useQueueCounts()
  return (
    <>
      <span class="muted">{texts.value.operator}</span>
      <PaletteEntry />
    </>
  )
}

/** What surrounds every signed-in page: menu, mode, search, and whether the page is live. */
export const Shell = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="shell" data-mode={isOperator.value ? undefined : mode.value}>
    <a class="skip" href="#main">
      {texts.value.skip}
    </a>
    <header class="top">
      <Link to={isOperator.value ? "/admin" : "/"} class="brand">
        <Wordmark />
      </Link>
      {isOperator.value ? <OperatorTools /> : <SellerTools />}
    </header>
    <Navigation />
    {children}
  </div>
)

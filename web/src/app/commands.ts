import type { MemberAct } from "../../../schema/memberRoles.ts"
import { chooseMode, isOperator, mode } from "../api/session.ts"
import { chooseLanguage, language, textsOf } from "../text/i18n.ts"
import { mayDo } from "../text/roles.ts"
import type { IconName } from "../ui/icons.tsx"
import { operatorGroups, sellerGroups } from "./navigation.ts"
import { openKeyList } from "./paletteState.ts"
import { navigate } from "./router.tsx"
import { signOut } from "./signOut.ts"
import { chooseTheme, type Theme, theme } from "./theme.ts"

/** A page or an act that the palette leads to. */
export interface Command {
  readonly id: string
  readonly name: string
  readonly icon: IconName
  /** Other words that people may type for it. */
  readonly words?: string
  /** The key that does the same. */
  readonly key?: string
  readonly act: () => void
}

interface CommandGroup {
  readonly name: string
  readonly commands: ReadonlyArray<Command>
}

const texts = textsOf({
  "pt-BR": {
    acts: "Ações",
    pages: "Páginas",
    settings: "Configurações",
    team: "Equipe",
    teamWords: "pessoas membros convites usuários funções acessos",
    activity: "Atividade da conta",
    activityWords: "auditoria histórico registros logs quem fez",
    reports: "Relatórios por e-mail",
    reportsWords: "extrato contador mensal semanal enviar",
    alerts: "Alertas",
    alertsWords: "avisos notificações slack discord",
    security: "Segurança e passkeys",
    securityWords:
      "senha verificação duas etapas 2fa autenticador códigos reserva sessões dispositivos perfil marca",
    charge: "Nova cobrança",
    chargeWords: "criar cobrar pix qr",
    link: "Novo link de pagamento",
    linkWords: "criar cobrar vender compartilhar whatsapp",
    withdraw: "Sacar",
    withdrawWords: "novo saque transferir pagar",
    endpoint: "Novo endpoint",
    endpointWords: "criar webhook",
    attempts: "Entregas a todos os destinos",
    attemptsWords: "tentativas webhooks log",
    live: "Mudar para produção",
    test: "Mudar para o modo de teste",
    theme: { light: "Cores claras", dark: "Cores escuras", system: "Cores do dispositivo" },
    themeWords: { light: "tema claro dia", dark: "tema escuro noite", system: "tema automático" },
    language: "Switch to English",
    languageWords: "idioma inglês english language",
    keys: "Teclas de atalho",
    keysWords: "teclado ajuda",
    signOut: "Sair",
    signOutWords: "encerrar sessão logout",
  },
  en: {
    acts: "Acts",
    pages: "Pages",
    settings: "Settings",
    team: "Team",
    teamWords: "people members invitations users roles access",
    activity: "Account activity",
    activityWords: "audit history records logs who did",
    reports: "Reports by e-mail",
    reportsWords: "statement accountant monthly weekly send",
    alerts: "Alerts",
    alertsWords: "notifications notices slack discord",
    security: "Security and passkeys",
    securityWords:
      "password two-factor authentication 2fa authenticator backup codes sessions devices profile brand",
    charge: "New charge",
    chargeWords: "create pix qr",
    link: "New payment link",
    linkWords: "create charge sell share whatsapp",
    withdraw: "Withdraw",
    withdrawWords: "new withdrawal payout transfer",
    endpoint: "New endpoint",
    endpointWords: "create webhook",
    attempts: "Deliveries to all destinations",
    attemptsWords: "attempts webhooks log",
    live: "Switch to live",
    test: "Switch to test mode",
    theme: { light: "Light colours", dark: "Dark colours", system: "Colours of the device" },
    themeWords: { light: "theme day", dark: "theme night", system: "theme automatic" },
    language: "Mudar para português",
    languageWords: "language portuguese idioma",
    keys: "Keyboard shortcuts",
    keysWords: "keys help",
    signOut: "Sign out",
    signOutWords: "log out leave",
  },
})

const themes: ReadonlyArray<Theme> = ["light", "dark", "system"]

const sellerActs = (): ReadonlyArray<Command> => {
  const { value } = texts
  const isTest = mode.value === "test"
  const goTo = (to: string) => () => navigate(to)
  const acts: ReadonlyArray<Command & { readonly needs?: MemberAct }> = [
    {
      needs: "charging",
      ...{ id: "charge", name: value.charge, words: value.chargeWords },
      icon: "plus",
      act: goTo("/charges?create=1"),
    },
    {
      needs: "charging",
      ...{ id: "link", name: value.link, words: value.linkWords },
      icon: "link",
      act: goTo("/links?create=1"),
    },
    {
      needs: "payingOut",
      ...{ id: "withdraw", name: value.withdraw, words: value.withdrawWords },
      icon: "withdrawals",
      act: goTo("/withdrawals"),
    },
    {
      needs: "integrating",
      ...{ id: "endpoint", name: value.endpoint, words: value.endpointWords },
      icon: "webhooks",
      act: goTo("/webhooks?create=1"),
    },
    {
      ...{ id: "attempts", name: value.attempts, words: value.attemptsWords },
      icon: "list",
      act: goTo("/deliveries"),
    },
    {
      id: "mode",
      name: isTest ? value.live : value.test,
      icon: "refund",
      act: () => chooseMode(isTest ? "live" : "test"),
    },
  ]
  return acts.filter(({ needs }) => needs === undefined || mayDo(needs))
}

const commonActs = (): ReadonlyArray<Command> => {
  const { value } = texts
  return [
    ...themes
      .filter((one) => one !== theme.value)
      .map((one) => ({
        ...{
          id: `theme ${one}`,
          name: value.theme[one],
          words: value.themeWords[one],
          icon: "settings" as const,
        },
        act: () => chooseTheme(one),
      })),
    {
      ...{ id: "language", name: value.language, words: value.languageWords },
      icon: "settings",
      act: () => chooseLanguage(language.value === "en" ? "pt-BR" : "en"),
    },
    {
      ...{ id: "keys", name: value.keys, words: value.keysWords, key: "?" },
      icon: "list",
      act: openKeyList,
    },
    {
      ...{ id: "sign-out", name: value.signOut, words: value.signOutWords },
      icon: "arrowRight",
      act: () => void signOut(),
    },
  ]
}

/** The pages below the settings, which no menu names. */
const settingsPages = (): ReadonlyArray<Command> => {
  const { value } = texts
  const pageAt = (to: string) => ({ id: to, act: () => navigate(to) })
  return [
    { ...pageAt("/settings/team"), name: value.team, words: value.teamWords, icon: "people" },
    { ...pageAt("/settings/activity"), name: value.activity, words: value.activityWords, icon: "list" },
    { ...pageAt("/settings/reports"), name: value.reports, words: value.reportsWords, icon: "mail" },
    { ...pageAt("/settings/alerts"), name: value.alerts, words: value.alertsWords, icon: "alert" },
  ]
}

/** What the person who is signed in can be led to: the acts, and the pages of the menu. */
export const commandGroups = (): ReadonlyArray<CommandGroup> => {
  const groups = isOperator.value ? operatorGroups() : sellerGroups(mode.value === "test")
  return [
    {
      name: texts.value.acts,
      commands: [...(isOperator.value ? [] : sellerActs()), ...commonActs()],
    },
    {
      name: texts.value.pages,
      commands: groups.flatMap(({ entries }) =>
        entries.map(({ to, name, icon }) => ({ id: to, name, icon, act: () => navigate(to) })),
      ),
    },
    {
      name: texts.value.settings,
      commands: [
        ...(isOperator.value ? [] : settingsPages()),
        {
          ...{ id: "security", name: texts.value.security, words: texts.value.securityWords },
          icon: "settings",
          act: () => navigate("/settings"),
        },
      ],
    },
  ]
}

/** Lower case without accents, as people type in a hurry. */
const folded = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()

/** The commands of which some word begins with each word of the text; all of them for an empty text. */
export const matching = (commands: ReadonlyArray<Command>, text: string): ReadonlyArray<Command> => {
  const wanted = folded(text)
    .split(/\s+/)
    .filter((word) => word !== "")
  return commands.filter(({ name, words = "" }) => {
    const known = folded(`${name} ${words}`).split(/\s+/)
    return wanted.every((word) => known.some((one) => one.startsWith(word)))
  })
}

import { textsOf } from "../text/i18n.ts"

/** One entry of a menu. */
export interface Entry {
  readonly to: string
  readonly name: string
}

const texts = textsOf({
  "pt-BR": {
    home: "Início",
    charges: "Cobranças",
    refunds: "Devoluções",
    withdrawals: "Saques",
    balance: "Saldo",
    webhooks: "Webhooks",
    events: "Eventos",
    developers: "Desenvolvedores",
    test: "Modo de teste",
    settings: "Configurações",
    desk: "Mesa",
    health: "Saúde",
    exceptions: "Exceções",
    sellers: "Vendedores",
    invites: "Convites",
    deliveries: "Entregas esgotadas",
    pixKeys: "Chaves PIX",
    inbox: "Notificações",
    closings: "Fechamentos",
    audit: "Auditoria",
  },
  en: {
    home: "Home",
    charges: "Charges",
    refunds: "Refunds",
    withdrawals: "Withdrawals",
    balance: "Balance",
    webhooks: "Webhooks",
    events: "Events",
    developers: "Developers",
    test: "Test mode",
    settings: "Settings",
    desk: "Desk",
    health: "Health",
    exceptions: "Exceptions",
    sellers: "Sellers",
    invites: "Invites",
    deliveries: "Dead deliveries",
    pixKeys: "PIX keys",
    inbox: "Inbox",
    closings: "Closings",
    audit: "Audit log",
  },
})

/** The menu of sellers. The test clock is there in test mode alone. */
export const sellerEntries = (isTest: boolean): ReadonlyArray<Entry> => {
  const { value } = texts
  return [
    { to: "/", name: value.home },
    { to: "/charges", name: value.charges },
    { to: "/refunds", name: value.refunds },
    { to: "/balance", name: value.balance },
    { to: "/withdrawals", name: value.withdrawals },
    { to: "/webhooks", name: value.webhooks },
    { to: "/events", name: value.events },
    { to: "/developers", name: value.developers },
    ...(isTest ? [{ to: "/test", name: value.test }] : []),
    { to: "/settings", name: value.settings },
  ]
}

/** The menu of operators. */
export const operatorEntries = (): ReadonlyArray<Entry> => {
  const { value } = texts
  return [
    { to: "/admin", name: value.desk },
    { to: "/admin/withdrawals", name: value.withdrawals },
    { to: "/admin/exceptions", name: value.exceptions },
    { to: "/admin/sellers", name: value.sellers },
    { to: "/admin/invites", name: value.invites },
    { to: "/admin/pix-keys", name: value.pixKeys },
    { to: "/admin/inbox", name: value.inbox },
    { to: "/admin/deliveries", name: value.deliveries },
    { to: "/admin/closings", name: value.closings },
    { to: "/admin/audit", name: value.audit },
    { to: "/admin/health", name: value.health },
    { to: "/settings", name: value.settings },
  ]
}

/** Whether an entry is the one of the page at `path`. */
export const isCurrent = ({ to }: Entry, path: string): boolean =>
  path === to || (to !== "/" && to !== "/admin" && path.startsWith(`${to}/`))

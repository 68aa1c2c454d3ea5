import type { Queue } from "../../../schema/api/queue.ts"
import { textsOf } from "../text/i18n.ts"
import { mayDo } from "../text/roles.ts"
import type { IconName } from "../ui/icons.tsx"

/** One entry of a menu. */
export interface Entry {
  readonly to: string
  readonly name: string
  readonly icon: IconName
  /** How much waits there, where that is known and not nothing. */
  readonly count?: number | undefined
}

/** Entries that belong together, under a name where they need one. */
export interface Group {
  readonly name?: string
  readonly entries: ReadonlyArray<Entry>
}

const texts = textsOf({
  "pt-BR": {
    home: "Início",
    charges: "Cobranças",
    links: "Links de pagamento",
    customers: "Clientes",
    refunds: "Devoluções",
    withdrawals: "Saques",
    balance: "Saldo",
    webhooks: "Webhooks",
    events: "Eventos",
    charge: "Cobrar",
    money: "Dinheiro",
    developers: "Desenvolvedores",
    keys: "Chaves de API",
    decide: "Decidir",
    people: "Pessoas",
    books: "Registros",
    test: "Modo de teste",
    settings: "Configurações",
    desk: "Mesa",
    health: "Saúde",
    exceptions: "Exceções",
    sellers: "Vendedores",
    invites: "Convites",
    deliveries: "Falhas de entrega",
    pixKeys: "Chaves Pix",
    inbox: "Notificações",
    closings: "Fechamentos",
    audit: "Auditoria",
  },
  en: {
    home: "Home",
    charges: "Charges",
    links: "Payment links",
    customers: "Customers",
    refunds: "Refunds",
    withdrawals: "Withdrawals",
    balance: "Balance",
    webhooks: "Webhooks",
    events: "Events",
    charge: "Charge",
    money: "Money",
    developers: "Developers",
    keys: "API keys",
    decide: "To decide",
    people: "People",
    books: "Records",
    test: "Test mode",
    settings: "Settings",
    desk: "Desk",
    health: "Health",
    exceptions: "Exceptions",
    sellers: "Sellers",
    invites: "Invites",
    deliveries: "Failed deliveries",
    pixKeys: "Pix keys",
    inbox: "Inbox",
    closings: "Closings",
    audit: "Audit log",
  },
})

/** The menu of sellers. The test clock is there in test mode alone. */
export const sellerGroups = (isTest: boolean): ReadonlyArray<Group> => {
  const { value } = texts
  return [
    {
      entries: [
        { to: "/", name: value.home, icon: "home" },
        { to: "/charges", name: value.charges, icon: "charges" },
        { to: "/links", name: value.links, icon: "link" },
        { to: "/customers", name: value.customers, icon: "people" },
      ],
    },
    {
      name: value.money,
      entries: [
        { to: "/balance", name: value.balance, icon: "balance" },
        { to: "/withdrawals", name: value.withdrawals, icon: "withdrawals" },
        { to: "/refunds", name: value.refunds, icon: "refund" },
      ],
    },
    {
      name: value.developers,
      entries: [
        { to: "/webhooks", name: value.webhooks, icon: "webhooks" },
        { to: "/events", name: value.events, icon: "events" },
        { to: "/developers", name: value.keys, icon: "keys" },
        ...(isTest ? ([{ to: "/test", name: value.test, icon: "clock" }] as const) : []),
      ],
    },
    { entries: [{ to: "/settings", name: value.settings, icon: "settings" }] },
  ]
}

/** What sellers have at hand on a phone. */
export const sellerTabs = (): ReadonlyArray<Entry> => {
  const { value } = texts
  return [
    { to: "/", name: value.home, icon: "home" },
    { to: "/charges", name: value.charges, icon: "charges" },
    ...(mayDo("charging") ? ([{ to: "/charges?create=1", name: value.charge, icon: "plus" }] as const) : []),
    { to: "/balance", name: value.balance, icon: "balance" },
  ]
}

/** The menu of operators, with how much waits where. */
export const operatorGroups = (waiting?: Queue["counts"]): ReadonlyArray<Group> => {
  const { value } = texts
  return [
    { entries: [{ to: "/admin", name: value.desk, icon: "desk" }] },
    {
      name: value.decide,
      entries: [
        {
          to: "/admin/withdrawals",
          name: value.withdrawals,
          icon: "withdrawals",
          count: waiting?.withdrawals,
        },
        { to: "/admin/exceptions", name: value.exceptions, icon: "alert", count: waiting?.exceptions },
        { to: "/admin/pix-keys", name: value.pixKeys, icon: "keys", count: waiting?.pix_keys },
        { to: "/admin/deliveries", name: value.deliveries, icon: "webhooks" },
      ],
    },
    {
      name: value.people,
      entries: [
        { to: "/admin/sellers", name: value.sellers, icon: "sellers", count: waiting?.sellers },
        { to: "/admin/invites", name: value.invites, icon: "mail" },
      ],
    },
    {
      name: value.books,
      entries: [
        { to: "/admin/closings", name: value.closings, icon: "closings" },
        { to: "/admin/inbox", name: value.inbox, icon: "inbox" },
        { to: "/admin/audit", name: value.audit, icon: "list" },
        { to: "/admin/health", name: value.health, icon: "health" },
      ],
    },
    { entries: [{ to: "/settings", name: value.settings, icon: "settings" }] },
  ]
}

/** What operators have at hand on a phone. */
export const operatorTabs = (): ReadonlyArray<Entry> => {
  const { value } = texts
  return [
    { to: "/admin", name: value.desk, icon: "desk" },
    { to: "/admin/withdrawals", name: value.withdrawals, icon: "withdrawals" },
    { to: "/admin/exceptions", name: value.exceptions, icon: "alert" },
    { to: "/admin/sellers", name: value.sellers, icon: "sellers" },
  ]
}

/** Whether an entry is the one of the page at `path`. */
export const isCurrent = ({ to }: Entry, path: string): boolean =>
  path === to || (to !== "/" && to !== "/admin" && path.startsWith(`${to}/`))

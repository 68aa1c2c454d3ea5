/**
 * Where a token request has the client's credentials and the grant (RFC 6749):
 * - `basic`: credentials in `Authorization: Basic`, grant and scope in the body
 * - `form`: all of it in the form
 * - `query`: grant and scope in the query, credentials in the form
 */
export const tokenForms = ["basic", "form", "query"] as const
export type TokenForm = (typeof tokenForms)[number]

/** How payouts are made: by Efí's API in its third or second version, or by an operator in the bank's own application. */
export const payoutForms = ["efi-v3", "efi-v2", "manual"] as const
export type PayoutForm = (typeof payoutForms)[number]

/** Where a bank tells its customer's balance, and how. */
export interface BalanceForm {
  /** Below the address of the bank's APIs. */
  readonly path: string
  /** The members that add up to it; the first is always there. */
  readonly members: readonly [string, ...ReadonlyArray<string>]
  /** The scope that the token needs for it; undefined where tokens have no scope. */
  readonly scope: string | undefined
}

/** What a bank does in its own way where the Central Bank's API Pix leaves it open (docs/partner.md#banks). */
export interface BankProfile {
  readonly tokenForm: TokenForm
  /** How the grant beside Basic credentials is written: as RFC 6749 has it, or in JSON. */
  readonly basicGrant: "form" | "json"
  /** The scopes that the adapter's calls need, separated by spaces; undefined where none are asked for. */
  readonly scope: string | undefined
  /** False where the certificate is the only credential. */
  readonly hasClientSecret: boolean
  /** Whether every call needs the key of the application. */
  readonly hasAppKey: boolean
  /** Headers of every call, in lower case, with the client id or a new UUID. */
  readonly headers: Readonly<Record<string, "clientId" | "uuid">>
  /** How `API_PIX_BASE_URL` ends; the bank's other APIs are beside it. */
  readonly apiPath: string
  /** The ending where charges are removed, if it is another one. */
  readonly removalPath: string | undefined
  /** The longest time that one list is asked for. */
  readonly listWindowDays: number
  readonly payouts: PayoutForm
  /** Whether it lists payouts as Efí does. */
  readonly hasSentList: boolean
  readonly balance: BalanceForm | undefined
}

const pixScopes = "cob.read cob.write pix.read pix.write"

/** As the Central Bank describes it, without anything of its own. */
const generic: BankProfile = {
  tokenForm: "basic",
  basicGrant: "form",
  scope: undefined,
  hasClientSecret: true,
  hasAppKey: false,
  headers: {},
  apiPath: "/v2",
  removalPath: undefined,
  listWindowDays: 31,
  payouts: "manual",
  hasSentList: false,
  balance: undefined,
}

/** The values of `API_PIX_BANK`. Each section of docs/partner.md says what was checked, and against what. */
export const bankProfiles = {
  /** docs/partner.md#efi */
  efi: {
    ...generic,
    basicGrant: "json",
    listWindowDays: 365,
    payouts: "efi-v3",
    hasSentList: true,
    balance: { path: "/v2/gn/saldo", members: ["saldo"], scope: undefined },
  },
  /** docs/partner.md#inter */
  inter: {
    ...generic,
    tokenForm: "form",
    scope: pixScopes,
    apiPath: "/pix/v2",
    balance: {
      path: "/banking/v2/saldo",
      members: ["disponivel", "bloqueadoCheque", "bloqueadoJudicialmente", "bloqueadoAdministrativo"],
      scope: "extrato.read",
    },
  },
  /** docs/partner.md#bb */
  bb: { ...generic, scope: pixScopes, hasAppKey: true, apiPath: "/pix/v2", listWindowDays: 5 },
  /** docs/partner.md#santander */
  santander: { ...generic, tokenForm: "query", apiPath: "/api/v1", removalPath: "/api/v2" },
  /** docs/partner.md#sicoob */
  sicoob: {
    ...generic,
    tokenForm: "form",
    scope: pixScopes,
    hasClientSecret: false,
    apiPath: "/pix/api/v2",
  },
  /** docs/partner.md#itau */
  itau: {
    ...generic,
    tokenForm: "form",
    headers: { "x-itau-apikey": "clientId", "x-correlationid": "uuid" },
    apiPath: "/pix_recebimentos/v2",
  },
  /** docs/partner.md#generic */
  generic,
} as const satisfies Readonly<Record<string, BankProfile>>

export type BankName = keyof typeof bankProfiles
export const bankNames = Object.keys(bankProfiles) as ReadonlyArray<BankName>

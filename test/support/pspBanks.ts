/** A request, as far as a bank looks at it to let it in. */
interface Asked {
  readonly method: string
  /** As sent, with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Who the PSP's customer is there. */
export interface PspClient {
  readonly clientId: string
  readonly clientSecret: string
  readonly appKey: string
}

/** How a bank takes requests for tokens and calls; anything else is refused. */
interface Bank {
  /** Where `/cob` and `/pix` are. */
  readonly basePath: string
  /** Where charges are removed, if elsewhere. */
  readonly removalBasePath?: string
  /** What a request for a token has in its query, its form and its `Authorization`, nothing less and nothing more. */
  readonly token: (client: PspClient) => {
    readonly query?: Readonly<Record<string, string>>
    readonly form?: Readonly<Record<string, string>>
    readonly json?: Readonly<Record<string, string>>
    readonly authorization?: string
  }
  /** Whether a call has what it must have besides the token. */
  readonly hasItsParts?: (call: Asked, client: PspClient) => boolean
  /** The longest window of a list, in days. */
  readonly windowDaysMax?: number
  /** Whether lists refuse times with a fraction of a second. */
  readonly hasWholeSeconds?: boolean
}

const grant = { grant_type: "client_credentials" }
const scope = "cob.read cob.write pix.read pix.write"
const basicOf = ({ clientId, clientSecret }: PspClient) =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`
const formOf = ({ clientId, clientSecret }: PspClient) => ({
  client_id: clientId,
  client_secret: clientSecret,
})

const queryOf = (path: string) => new URLSearchParams(path.split("?")[1] ?? "")

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The banks of docs/partner.md#banks, each as its section there says. */
export const pspBanks = {
  efi: {
    basePath: "/v2",
    token: (client) => ({ json: grant, authorization: basicOf(client) }),
  },
  inter: {
    basePath: "/pix/v2",
    token: (client) => ({ form: { ...formOf(client), ...grant, scope } }),
  },
  bb: {
    basePath: "/pix/v2",
    token: (client) => ({ form: { ...grant, scope }, authorization: basicOf(client) }),
    hasItsParts: ({ path, headers }, { appKey }) =>
      queryOf(path).get("gw-dev-app-key") === appKey && headers["gw-dev-app-key"] === appKey,
    windowDaysMax: 5,
  },
  santander: {
    basePath: "/api/v1",
    removalBasePath: "/api/v2",
    token: (client) => ({ query: grant, form: formOf(client) }),
    hasWholeSeconds: true,
  },
  sicoob: {
    basePath: "/pix/api/v2",
    token: ({ clientId }) => ({ form: { client_id: clientId, ...grant, scope } }),
  },
  itau: {
    basePath: "/pix_recebimentos/v2",
    token: (client) => ({ form: { ...formOf(client), ...grant } }),
    hasItsParts: ({ headers }, { clientId }) =>
      headers["x-itau-apikey"] === clientId && uuidPattern.test(headers["x-correlationid"] ?? ""),
  },
  generic: {
    basePath: "/v2",
    token: (client) => ({ form: grant, authorization: basicOf(client) }),
    windowDaysMax: 31,
  },
} as const satisfies Readonly<Record<string, Bank>>

export type PspBankName = keyof typeof pspBanks
export const pspBankNames = Object.keys(pspBanks) as ReadonlyArray<PspBankName>

export const bankOf = (name: PspBankName): Bank => pspBanks[name]

const isTheSame = (given: URLSearchParams, wanted: Readonly<Record<string, string>>): boolean => {
  const names = [...given.keys()]
  return (
    names.length === Object.keys(wanted).length && names.every((name) => given.get(name) === wanted[name])
  )
}

/** Whether a request for a token has the bank's form. */
export const asksAsTheBankWants = (bank: Bank, asked: Asked, client: PspClient): boolean => {
  const { query = {}, form = {}, json, authorization } = bank.token(client)
  const type = json === undefined ? "application/x-www-form-urlencoded" : "application/json"
  return (
    asked.method === "POST" &&
    asked.headers["content-type"] === type &&
    asked.headers.authorization === authorization &&
    isTheSame(queryOf(asked.path), query) &&
    (json === undefined
      ? isTheSame(new URLSearchParams(asked.body), form)
      : asked.body === JSON.stringify(json))
  )
}

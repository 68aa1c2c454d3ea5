import { chargeBody, freshKey } from "./charges.ts"

/** The things of one seller that requests are about; those with a mode are of test mode. */
export interface Things {
  readonly charge: string
  readonly event: string
  /** A dead delivery; the same event's delivery to another endpoint is dead too. */
  readonly delivery: string
  readonly otherDelivery: string
  readonly endpoint: string
  readonly apiKey: string
  /** A session of the seller's user, other than the one that asks. */
  readonly session: string
  readonly seller: string
  /** Verified. */
  readonly pixKey: string
  /** Awaits approval; once approved, it stays processing. */
  readonly withdrawal: string
  /** Stays processing, and is polled. */
  readonly refund: string
  /** An acquirer's notice that was processed. */
  readonly notice: string
  /** A pending invite. */
  readonly invite: string
  /** Somebody who is invited to the seller's team. */
  readonly member: string
  /** Of the seller's user. */
  readonly email: string
  readonly password: string
  /** A URL that endpoints may have. */
  readonly url: string
  /** A new code of the user's authenticator, valid now. */
  readonly code: () => Promise<string>
}

/**
 * The credential that a route accepts: none; none, but not from pages of other sites; that of a sign-in whose second step
 * is missing; an API key; an API key or a seller's session (the stream); or a session of any user, of a seller, of an
 * operator.
 */
export type Credential = "none" | "page" | "pending" | "key" | "feed" | "user" | "seller" | "operator"

/** What an accepted request is about: a thing or a list, of one mode or of both, or nothing that a seller owns. */
export type Subject = "thing of a mode" | "thing" | "list of a mode" | "list" | "nothing"

/** A route: the credential it accepts, and a request that it accepts with it. */
export interface Row {
  readonly credential: Credential
  readonly subject: Subject
  /** The preference that requires a step-up; `always` where it is required without one. */
  readonly stepUp?: "webhook" | "account" | "always"
  /** Live mode is refused, whatever is asked for. */
  readonly isTestOnly?: true
  /** Replaces `:id` or `:token` in the path. */
  readonly names?: (things: Things) => string
  readonly query?: string
  readonly headers?: () => Readonly<Record<string, string>>
  readonly body?: (things: Things) => object | Promise<object>
  /** The status that the accepted credential is answered with. */
  readonly accepted: number
}

const charge = ({ charge }: Things) => charge
const event = ({ event }: Things) => event
const delivery = ({ delivery }: Things) => delivery
const endpoint = ({ endpoint }: Things) => endpoint
const apiKey = ({ apiKey }: Things) => apiKey
const seller = ({ seller }: Things) => seller
const withdrawal = ({ withdrawal }: Things) => withdrawal
const refund = ({ refund }: Things) => refund
const member = ({ member }: Things) => member
const notice = ({ notice }: Things) => notice
/** There is none: only what an acquirer says makes one. */
const unknownException = "exc_01KA0000000000000000000000"
/** Whoever is disabled could take part in nothing more. */
const unknownUser = "5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4"
/** The user has none. */
const unknownPasskey = "7d2c9c1e-58a2-4a53-9d6f-6f3b6c1f0a11"
/** What a browser answers for a passkey, which nobody has. */
const signed = { id: "AAAA", rawId: "AAAA", type: "public-key" }
const withPassword = ({ password }: Things) => ({ password })
const token = "x".repeat(45)

const key = { credential: "key" } as const
const testControl = { ...key, subject: "thing of a mode", isTestOnly: true } as const
const acquirer = {
  credential: "none",
  subject: "nothing",
  names: () => "simulator",
  body: () => ({}),
} as const
const page = { credential: "page", subject: "nothing" } as const
const user = { credential: "user", subject: "nothing", accepted: 200 } as const
const ofSeller = { credential: "seller", accepted: 200 } as const
const webhook = { ...ofSeller, subject: "thing of a mode", stepUp: "webhook" } as const
const account = { ...ofSeller, subject: "thing", stepUp: "account" } as const
const operator = {
  credential: "operator",
  subject: "nothing",
  stepUp: "always",
  accepted: 200,
} as const
const ofMode = { ...ofSeller, subject: "list of a mode" } as const
const statementDays = "from=2026-01-01&to=2026-12-31"
const exportedDays = `${statementDays}&format=csv`
const receiptMail = {
  ...key,
  subject: "thing of a mode",
  body: () => ({ email: "ana@example.com" }),
} as const
/** A request for a refund of a part. */
const forRefund = {
  names: charge,
  headers: () => ({ "Idempotency-Key": freshKey() }),
  body: () => ({ amount: 101 }),
  accepted: 201,
} as const
/** There is none of this id. */
const unknownLink = { names: () => "plk_01KA0000000000000000000000" } as const
const unknownCustomer = { names: () => "cus_01KA0000000000000000000000" } as const
/** A request for a payment link. */
const forLink = {
  subject: "nothing",
  headers: () => ({ "Idempotency-Key": freshKey() }),
  body: () => ({ title: "Oficina", amount: 101 }),
  accepted: 201,
} as const
/** What moves money always requires a step-up. */
const ofMoney = { ...ofSeller, stepUp: "always" } as const
const oneOfMode = { ...ofSeller, subject: "thing of a mode" } as const

const sessionControl = { ...oneOfMode, isTestOnly: true, accepted: 409 } as const

/**
 * Every route of the contract, by its name. Accepted requests are sent in this order, so routes that remove a thing come
 * after those that need it.
 */
export const rows: Readonly<Record<string, Row>> = {
  health: { credential: "none", subject: "nothing", accepted: 200 },
  ready: { credential: "none", subject: "nothing", accepted: 200 },

  createTransaction: {
    ...key,
    subject: "nothing",
    headers: () => ({ "Idempotency-Key": freshKey() }),
    body: () => chargeBody({ amount: 101 }),
    accepted: 201,
  },
  getTransaction: { ...key, subject: "thing of a mode", names: charge, accepted: 200 },
  listTransactions: { ...key, subject: "list of a mode", accepted: 200 },
  exportTransactions: { ...key, subject: "list of a mode", accepted: 200 },
  summarizeTransactions: { ...key, subject: "list of a mode", accepted: 200 },
  createRefund: { ...key, subject: "thing of a mode", ...forRefund },
  getRefund: { ...key, subject: "thing of a mode", names: refund, accepted: 200 },
  listRefunds: { ...key, subject: "list of a mode", accepted: 200 },
  exportRefunds: { ...key, subject: "list of a mode", accepted: 200 },
  createPaymentLink: { ...key, ...forLink },
  listPaymentLinks: { ...key, subject: "list of a mode", accepted: 200 },
  getPaymentLink: { ...key, subject: "thing of a mode", ...unknownLink, accepted: 404 },
  changePaymentLink: {
    ...{ ...key, subject: "thing of a mode", ...unknownLink },
    body: () => ({ active: false }),
    accepted: 404,
  },
  listCustomers: { ...key, subject: "list of a mode", accepted: 200 },
  getCustomer: { ...key, subject: "thing of a mode", ...unknownCustomer, accepted: 404 },
  getTransactionCustomer: { ...key, subject: "thing of a mode", names: charge, accepted: 200 },
  createWithdrawal: {
    ...key,
    subject: "nothing",
    headers: () => ({ "Idempotency-Key": freshKey() }),
    body: ({ pixKey }) => ({ amount: 100, pix_key_id: pixKey }),
    // Another is under way.
    accepted: 409,
  },
  getWithdrawal: { ...key, subject: "thing of a mode", names: withdrawal, accepted: 200 },
  listWithdrawals: { ...key, subject: "list of a mode", accepted: 200 },
  exportWithdrawals: { ...key, subject: "list of a mode", accepted: 200 },
  sendTransactionReceipt: { ...receiptMail, names: charge, accepted: 202 },
  // Neither has ended well, so neither has a receipt.
  getRefundReceipt: { ...key, subject: "thing of a mode", names: refund, accepted: 409 },
  sendRefundReceipt: { ...receiptMail, names: refund, accepted: 409 },
  getWithdrawalReceipt: { ...key, subject: "thing of a mode", names: withdrawal, accepted: 409 },
  sendWithdrawalReceipt: { ...receiptMail, names: withdrawal, accepted: 409 },
  getBalance: { ...key, subject: "list of a mode", accepted: 200 },
  getBalanceReleases: { ...key, subject: "list of a mode", accepted: 200 },
  listPixKeys: { ...key, subject: "list of a mode", accepted: 200 },
  listLedger: { ...key, subject: "list of a mode", accepted: 200 },
  getStatement: { ...key, subject: "list of a mode", query: statementDays, accepted: 200 },
  exportStatement: { ...key, subject: "list of a mode", query: exportedDays, accepted: 200 },
  listEvents: { ...key, subject: "list of a mode", accepted: 200 },
  getEvent: { ...key, subject: "thing of a mode", names: event, accepted: 200 },
  // Acquirers sign their notices.
  receiveNotice: { ...acquirer, accepted: 401 },
  receivePixNotice: { ...acquirer, accepted: 401 },
  listEventTypes: { ...key, subject: "nothing", accepted: 200 },
  streamEvents: { credential: "feed", subject: "nothing", query: "mode=test", accepted: 200 },
  listDeliveries: { ...key, subject: "list of a mode", accepted: 200 },
  getDelivery: { ...key, subject: "thing of a mode", names: delivery, accepted: 200 },
  retryDelivery: { ...key, subject: "thing of a mode", names: delivery, accepted: 202 },

  signUp: {
    ...page,
    body: ({ email }) => ({
      name: "Ana",
      email: `other-${email}`,
      password: "correct horse battery",
      accept_terms: true,
      invite_token: token,
    }),
    accepted: 400,
  },
  signIn: { ...page, body: ({ email, password }) => ({ email, password }), accepted: 200 },
  signOut: { ...page, accepted: 200 },
  getSession: { ...page, accepted: 200 },
  getCurrentTerms: { ...page, accepted: 200 },
  verifyEmail: { ...page, query: `token=${token}`, accepted: 400 },
  sendVerificationEmail: { ...page, body: ({ email }) => ({ email }), accepted: 200 },
  requestPasswordReset: { ...page, body: ({ email }) => ({ email }), accepted: 200 },
  resetPassword: {
    ...page,
    body: () => ({ token, newPassword: "correct horse battery" }),
    accepted: 400,
  },
  requestTwoFactorRecovery: { ...page, body: ({ email, password }) => ({ email, password }), accepted: 200 },
  confirmTwoFactorRecovery: { ...page, body: () => ({ token }), accepted: 401 },
  getInvite: { ...page, names: () => token, accepted: 404 },
  getTeamInvite: { ...page, names: () => token, accepted: 404 },
  acceptTeamInvite: { ...user, body: () => ({ token }), accepted: 400 },
  // The user has no passkey yet.
  beginPasskeyAuthentication: { credential: "pending", subject: "nothing", accepted: 409 },
  usePasskey: {
    credential: "pending",
    subject: "nothing",
    body: () => ({
      response: {
        ...signed,
        response: { clientDataJSON: "AAAA", authenticatorData: "AAAA", signature: "AAAA" },
      },
    }),
    accepted: 401,
  },
  verifyTotp: {
    credential: "pending",
    subject: "nothing",
    body: async ({ code }) => ({ code: await code() }),
    accepted: 200,
  },
  verifyBackupCode: {
    credential: "pending",
    subject: "nothing",
    body: () => ({ code: "no-such-code" }),
    accepted: 401,
  },

  beginPasskeyRegistration: { ...user, stepUp: "always" },
  registerPasskey: {
    ...user,
    stepUp: "always",
    body: () => ({
      response: { ...signed, response: { clientDataJSON: "AAAA", attestationObject: "AAAA" } },
    }),
    accepted: 400,
  },
  listPasskeys: user,
  deletePasskey: { ...user, stepUp: "always", body: () => ({ id: unknownPasskey }), accepted: 404 },
  renamePasskey: { ...user, body: () => ({ id: unknownPasskey, name: "Celular" }), accepted: 404 },

  getStepUpPrefs: user,
  putStepUpPrefs: { ...user, stepUp: "always", body: () => ({ webhook: true }) },
  getTerms: { ...user, subject: "nothing" },
  updateUser: { ...user, body: () => ({ name: "Ana Souza" }) },
  acceptTerms: { ...user, body: () => ({ version: "2026-01-01" }), accepted: 204 },
  listSessions: { ...user, subject: "list" },
  deleteSession: {
    ...user,
    subject: "thing",
    stepUp: "always",
    names: ({ session }) => session,
    accepted: 204,
  },
  stepUp: { ...user, body: async ({ code }) => ({ code: await code() }) },
  generateBackupCodes: { ...user, stepUp: "always", body: withPassword },
  enableTwoFactor: { ...user, body: withPassword, accepted: 409 },

  getSeller: { ...ofSeller, subject: "list" },
  patchSeller: {
    ...ofSeller,
    subject: "nothing",
    stepUp: "account",
    body: () => ({ name: "Loja do Teste" }),
  },
  submitKyc: {
    ...ofSeller,
    subject: "nothing",
    stepUp: "account",
    body: () => ({ document: "529.982.247-25", legal_name: "Loja do Teste" }),
    // It is approved already.
    accepted: 409,
  },
  getBrand: { ...ofSeller, subject: "nothing" },
  putBrand: {
    ...account,
    subject: "nothing",
    body: () => ({ logo: null, color: "#0b6b58", payer_name: "Loja" }),
  },
  getSavedViews: { ...ofSeller, subject: "nothing" },
  putSavedViews: {
    ...ofSeller,
    subject: "nothing",
    body: () => ({ data: [{ name: "Paid", query: { status: "paid" }, period: "7d" }] }),
  },
  getCounters: { ...ofSeller, subject: "nothing" },
  getNotifications: { ...ofSeller, subject: "nothing" },
  putNotifications: {
    ...webhook,
    subject: "nothing",
    body: () => ({ data: [{ when: "chargeback", mail: true }] }),
  },
  testNotification: { ...webhook, subject: "nothing", body: ({ url }) => ({ url }) },
  listReports: ofMode,
  createReport: {
    ...webhook,
    subject: "nothing",
    body: ({ email }) => ({ kind: "refunds", format: "csv", every: "week", emails: [email] }),
    accepted: 201,
  },
  sendReport: { ...oneOfMode, names: () => "rpt_01KA0000000000000000000000", accepted: 404 },
  deleteReport: { ...oneOfMode, names: () => "rpt_01KA0000000000000000000000", accepted: 404 },

  listApiKeys: ofMode,
  listSellerAudit: { ...ofSeller, subject: "list" },
  exportSellerAudit: { ...ofSeller, subject: "list" },
  listMembers: { ...ofSeller, subject: "list" },
  inviteMember: {
    ...ofMoney,
    subject: "nothing",
    body: ({ email }) => ({ email: `member-${email}`, role: "viewer" }),
    accepted: 201,
  },
  changeMember: { ...ofMoney, subject: "thing", names: member, body: () => ({ role: "finance" }) },
  resendInvitation: { ...ofMoney, subject: "thing", names: member },
  // Who is invited cannot own the account yet.
  transferOwnership: { ...ofMoney, subject: "thing", names: member, accepted: 409 },
  removeMember: { ...ofMoney, subject: "thing", names: member, accepted: 204 },
  // The owner stays.
  leaveTeam: { ...ofSeller, subject: "nothing", accepted: 409 },
  createApiKey: {
    ...account,
    subject: "nothing",
    body: () => ({ name: "other", mode: "test" }),
    accepted: 201,
  },
  rotateApiKey: { ...account, names: apiKey, accepted: 201 },
  deleteApiKey: { ...account, subject: "thing of a mode", names: apiKey, accepted: 204 },

  listEndpoints: ofMode,
  createEndpoint: {
    ...webhook,
    subject: "nothing",
    body: ({ url }) => ({ url, events: ["*"] }),
    accepted: 201,
  },
  getEndpoint: { ...oneOfMode, names: endpoint },
  patchEndpoint: { ...webhook, names: endpoint, body: () => ({ description: "other" }) },
  rotateEndpointSecret: { ...webhook, names: endpoint },
  getEndpointStats: { ...oneOfMode, names: endpoint },
  listWaitingDeliveries: { ...oneOfMode, names: endpoint },
  pingEndpoint: { ...oneOfMode, names: endpoint, accepted: 202 },
  testEndpoint: {
    ...oneOfMode,
    names: endpoint,
    body: () => ({ type: "transaction.paid" }),
    accepted: 202,
  },
  recoverEndpoint: {
    ...webhook,
    names: endpoint,
    body: () => ({ since: "2026-01-01T00:00:00.000Z" }),
    accepted: 202,
  },

  getPostbackSecret: { ...ofSeller, subject: "nothing" },
  rotatePostbackSecret: { ...webhook, subject: "nothing" },
  putTracker: { ...webhook, subject: "nothing", body: ({ url }) => ({ url }) },
  getTracker: oneOfMode,
  deleteTracker: { ...webhook, accepted: 204 },

  listMyEvents: ofMode,
  getMyEvent: { ...oneOfMode, names: event },
  listMyEventTypes: { ...ofSeller, subject: "nothing" },
  listMyDeliveries: ofMode,
  getMyDelivery: { ...oneOfMode, names: delivery },
  retryMyDelivery: { ...oneOfMode, names: ({ otherDelivery }) => otherDelivery, accepted: 202 },
  createMyTransaction: {
    ...ofSeller,
    subject: "nothing",
    headers: () => ({ "Idempotency-Key": freshKey() }),
    body: () => chargeBody({ amount: 101 }),
    accepted: 201,
  },
  listMyTransactions: ofMode,
  exportMyTransactions: ofMode,
  exportChosenTransactions: {
    ...ofSeller,
    subject: "nothing",
    body: () => ({ ids: ["txn_01KA0000000700000000000000"] }),
  },
  summarizeMyTransactions: ofMode,
  getMyTransaction: { ...oneOfMode, names: charge },
  createMyWithdrawal: {
    ...ofMoney,
    subject: "nothing",
    headers: () => ({ "Idempotency-Key": freshKey() }),
    body: ({ pixKey }) => ({ amount: 100, pix_key_id: pixKey }),
    // Another is under way.
    accepted: 409,
  },
  createMyRefund: { ...ofMoney, subject: "thing of a mode", ...forRefund },
  createBulk: {
    ...oneOfMode,
    subject: "nothing",
    headers: () => ({ "Idempotency-Key": freshKey() }),
    body: ({ otherDelivery }) => ({ act: "resend", ids: [otherDelivery] }),
    accepted: 202,
  },
  // There is none of this id.
  getBulk: { ...oneOfMode, names: () => "blk_01KA0000000000000000000000", accepted: 404 },
  createMyPaymentLink: { ...oneOfMode, ...forLink },
  listMyPaymentLinks: ofMode,
  getMyPaymentLink: { ...oneOfMode, ...unknownLink, accepted: 404 },
  changeMyPaymentLink: { ...oneOfMode, ...unknownLink, body: () => ({ active: false }), accepted: 404 },
  listMyCustomers: ofMode,
  getMyCustomer: { ...oneOfMode, ...unknownCustomer, accepted: 404 },
  getMyTransactionCustomer: { ...oneOfMode, names: charge },
  mergeCustomer: {
    ...oneOfMode,
    ...unknownCustomer,
    body: () => ({ into: "cus_01KA0000000000000000000001" }),
    accepted: 404,
  },
  listNotes: { ...oneOfMode, names: charge },
  createNote: { ...oneOfMode, names: charge, body: () => ({ text: "Pediu a troca." }), accepted: 201 },
  // There is none of this id.
  deleteNote: { ...oneOfMode, names: charge, accepted: 404 },
  getMyRefund: { ...oneOfMode, names: refund },
  listMyRefunds: ofMode,
  exportMyRefunds: ofMode,
  sendMyTransactionReceipt: { ...receiptMail, ...ofSeller, names: charge, accepted: 202 },
  getMyRefundReceipt: { ...oneOfMode, names: refund, accepted: 409 },
  sendMyRefundReceipt: { ...receiptMail, ...ofSeller, names: refund, accepted: 409 },
  getMyWithdrawalReceipt: { ...oneOfMode, names: withdrawal, accepted: 409 },
  sendMyWithdrawalReceipt: { ...receiptMail, ...ofSeller, names: withdrawal, accepted: 409 },
  getMyWithdrawal: { ...oneOfMode, names: withdrawal },
  listMyWithdrawals: ofMode,
  exportMyWithdrawals: ofMode,
  getMyBalance: ofMode,
  getMyBalanceReleases: ofMode,
  listMyLedger: ofMode,
  getMyStatement: { ...ofMode, query: statementDays },
  getMyStatementSummary: { ...ofMode, query: statementDays },
  exportMyStatement: { ...ofMode, query: exportedDays },
  getSeries: { ...ofMode, query: "metric=charges_created" },
  // Their messages name what the caller itself asked for, which another may own.
  listRequests: { ...ofMode, subject: "nothing" },
  listRequestErrors: { ...ofMode, subject: "nothing" },
  search: { ...ofMode, query: "q=ana@example.com" },
  listMyPixKeys: ofMode,
  createPixKey: {
    ...ofMoney,
    subject: "nothing",
    body: () => ({ type: "email", value: `${freshKey()}@example.com` }),
    accepted: 201,
  },
  deleteEndpoint: { ...webhook, names: endpoint, accepted: 204 },

  createInvite: { ...operator, body: ({ email }) => ({ email: `invited-${email}` }), accepted: 201 },
  listInvites: operator,
  revokeInvite: { ...operator, names: ({ invite }) => invite, accepted: 204 },
  getQueue: operator,
  searchAsOperator: { ...operator, query: "q=Loja" },
  listSellers: operator,
  getSellerAsOperator: { ...operator, names: seller },
  decideKyc: { ...operator, names: seller, body: () => ({ status: "approved" }) },
  setSellerStatus: { ...operator, names: seller, body: () => ({ status: "active" }) },
  lockPayouts: { ...operator, names: seller, body: () => ({ until: null }) },
  patchSellerSettings: { ...operator, names: seller, body: () => ({ withdrawal_fee: 100 }) },
  listAudit: operator,
  listUsers: { ...operator, query: "email=nobody@example.com" },
  disableUser: { ...operator, names: () => unknownUser, accepted: 404 },
  enableUser: { ...operator, names: () => unknownUser, accepted: 404 },
  endUserSessions: { ...operator, names: () => unknownUser, accepted: 404 },
  listClosings: operator,
  // No day is closed yet.
  getClosing: { ...operator, names: () => "2026-11-21", accepted: 404 },
  listPixKeysAsOperator: operator,
  // It is verified already, as keys of test mode are.
  approvePixKey: { ...operator, names: ({ pixKey }) => pixKey, accepted: 409 },
  refusePixKey: { ...operator, names: ({ pixKey }) => pixKey, accepted: 409 },
  listInbox: operator,
  getInboxRecord: { ...operator, names: notice },
  reprocessInboxRecord: { ...operator, names: notice, accepted: 202 },
  listWithdrawalsAsOperator: operator,
  approveWithdrawal: { ...operator, names: withdrawal },
  // It is approved already, and no longer awaiting.
  rejectWithdrawal: { ...operator, names: withdrawal, body: () => ({ reason: "a doubt" }), accepted: 409 },
  listWithdrawalsToPay: operator,
  // It is of test mode, which nobody pays by hand.
  settleWithdrawal: {
    ...{ ...operator, names: withdrawal, accepted: 409 },
    body: () => ({ end_to_end_id: "E12345678202611211200abcdefghi01" }),
  },
  failWithdrawal: { ...operator, names: withdrawal, body: () => ({ reason: "a doubt" }), accepted: 409 },
  listExceptions: operator,
  listDeadDeliveries: operator,
  getServiceHealth: operator,
  getException: { ...operator, names: () => unknownException, accepted: 404 },
  resolveException: {
    ...{ ...operator, names: () => unknownException, accepted: 404 },
    body: () => ({ act: "dismiss", reason: "a test" }),
  },
  resolveManyExceptions: {
    ...operator,
    body: () => ({ ids: [unknownException], act: "dismiss", reason: "a test" }),
  },
  getTransactionAsOperator: { ...operator, names: charge },
  createRefundAsOperator: { ...operator, ...forRefund },
  cancelWithdrawal: { ...key, subject: "thing of a mode", names: withdrawal, accepted: 409 },
  cancelMyWithdrawal: { ...ofMoney, subject: "thing of a mode", names: withdrawal, accepted: 409 },
  deletePixKey: { ...ofMoney, subject: "thing of a mode", names: ({ pixKey }) => pixKey, accepted: 204 },

  succeedTestRefund: { ...testControl, names: refund, accepted: 200 },
  // It has succeeded already.
  failTestRefund: { ...testControl, names: refund, accepted: 409 },
  // It is paid already.
  payTestTransaction: { ...testControl, names: charge, accepted: 409 },
  expireTestTransaction: { ...testControl, names: charge, accepted: 409 },
  failTestTransaction: { ...testControl, names: charge, accepted: 409 },
  refundTestTransaction: { ...testControl, names: charge, accepted: 200 },
  chargebackTestTransaction: { ...testControl, names: charge, accepted: 409 },
  // It is no longer awaiting, and has not ended.
  approveTestWithdrawal: { ...testControl, names: withdrawal, accepted: 409 },
  rejectTestWithdrawal: { ...testControl, names: withdrawal, accepted: 409 },
  succeedTestWithdrawal: { ...testControl, names: withdrawal, accepted: 200 },
  failTestWithdrawal: { ...testControl, names: withdrawal, accepted: 409 },
  advanceTestClock: {
    ...testControl,
    subject: "nothing",
    body: () => ({ seconds: 1 }),
    accepted: 200,
  },

  getTestClock: { ...testControl, subject: "nothing", accepted: 200 },
  // They have ended, each in its way.
  succeedMyTestRefund: { ...sessionControl, names: refund },
  failMyTestRefund: { ...sessionControl, names: refund },
  payMyTestTransaction: { ...sessionControl, names: charge },
  expireMyTestTransaction: { ...sessionControl, names: charge },
  failMyTestTransaction: { ...sessionControl, names: charge },
  refundMyTestTransaction: { ...sessionControl, names: charge },
  chargebackMyTestTransaction: { ...sessionControl, names: charge },
  approveMyTestWithdrawal: { ...sessionControl, names: withdrawal },
  rejectMyTestWithdrawal: { ...sessionControl, names: withdrawal },
  succeedMyTestWithdrawal: { ...sessionControl, names: withdrawal },
  failMyTestWithdrawal: { ...sessionControl, names: withdrawal },
  advanceMyTestClock: { ...sessionControl, subject: "nothing", body: () => ({ seconds: 1 }), accepted: 200 },
  getMyTestClock: { ...sessionControl, subject: "nothing", accepted: 200 },

  // The session that asks stays, and the password is as it was.
  revokeOtherSessions: { ...user, stepUp: "always" },
  changePassword: {
    ...user,
    body: ({ password }) => ({ currentPassword: password, newPassword: password }),
  },
  // Ends all sessions.
  disableTwoFactor: { ...user, stepUp: "always", body: withPassword },
}

/** Limits that people meet in forms and texts of pages; part of `limits`. Pages load this file alone, so that they stay light. */
export const formLimits = {
  /** `docs/contract/README.md#pagination` */
  pageSizeMax: 100,
  /** `docs/contract/search.md#question` */
  searchLengthMax: 200,
  /** `docs/contract/transactions.md#search` */
  searchWordsMax: 5,
  /** `docs/contract/accounts.md#saved-views` */
  savedViewsMax: 20,
  savedViewNameLengthMax: 40,
  /** `docs/contract/transactions.md#limits` */
  amountMin: 1,
  amountMax: 999_999_999_999,
  itemNameLengthMax: 200,
  /** `docs/contract/sellers.md#brand` */
  logoBytesMax: 64 * 1024,
  logoPixelsMax: 1_024,
  payerNameLengthMin: 2,
  payerNameLengthMax: 60,
  /** WCAG 2.2, 1.4.11: what tells a control from the page around it. */
  brandContrastMin: 3,
  /** `docs/contract/limits.md#transactions` */
  customerNameLengthMin: 2,
  customerNameLengthMax: 120,
  customerEmailLengthMax: 254,
  chargeReferenceLengthMax: 64,
  chargeDescriptionLengthMax: 140,
  /** `docs/contract/payment-links.md#fields` */
  paymentLinkTitleLengthMax: 80,
  paymentLinkPaymentsMax: 1_000_000,
  /** Common proxies cut longer URLs; the limit also keeps the queue's rows small. */
  destinationUrlLengthMax: 2048,
  /** `docs/contract/redis-streams.md#limits` */
  streamNameLengthMax: 256,
  streamEntriesMax: 10_000_000,
  streamCredentialLengthMax: 256,
  /** `docs/contract/endpoints.md#limits` */
  endpointDescriptionLengthMax: 200,
  /** `docs/contract/api-keys.md#limits` */
  apiKeyNameLengthMax: 64,
  /** Addresses and ranges that a key is bound to. */
  apiKeyAddressesMax: 20,
  /** `docs/contract/series.md#range`: a leap year of days. */
  seriesDaysMax: 366,
  /** `docs/contract/series.md#retention` */
  seriesDaysKept: 400,
  /** `docs/contract/statement.md#limits` */
  statementDaysMax: 366,
  /** A receiver must answer within this. */
  attemptTimeoutMillis: 10_000,
  /** Automatic disabling (`docs/contract/endpoints.md#disabling`). */
  deadStreakMax: 50,
  deadStreakWindowMillis: 7 * 24 * 60 * 60 * 1000,
  /** Both secrets of a rotated endpoint, and both keys of a rotation, stay valid this long. */
  rotationGraceMillis: 24 * 60 * 60 * 1000,
  /** `docs/contract/withdrawals.md#limits` */
  withdrawalsPerDayMax: 20,
  withdrawalDescriptionLengthMax: 140,
  /** Settings of a seller; 100 %. */
  basisPointsMax: 10_000,
  reserveDaysMax: 365,
  /** Days of a calendar of releases, today included: `docs/contract/balance-and-ledger.md#releases`. */
  releaseDaysMax: 366,
  /** `docs/contract/refunds.md#limits` */
  refundReasonLengthMax: 140,
  /** `docs/contract/exceptions.md#resolve` */
  exceptionReasonLengthMax: 200,
  /** `docs/contract/admin.md` */
  decisionReasonLengthMax: 500,
  payoutFailureReasonLengthMax: 200,
  /** Every kind of Pix key is shorter; as typed, with punctuation. */
  pixKeyLengthMax: 120,
  /** `docs/contract/accounts.md#passwords` */
  passwordLengthMin: 12,
  passwordLengthMax: 256,
  /** Names of users and stores: as long as a customer's. */
  nameLengthMax: 120,
  /** `docs/contract/accounts.md#mailed-code` */
  mailCodeDigits: 8,
  /** As typed: spaces count. */
  mailCodeLengthMax: 40,
  mailCodeMillis: 10 * 60 * 1000,
  /** `docs/contract/accounts.md#passkeys` */
  passkeyNameLengthMax: 64,
  /** `docs/contract/accounts.md#sessions` */
  rememberedSessionMillis: 30 * 24 * 60 * 60 * 1000,
  /** How long `trustDevice` lasts. */
  trustedDeviceMillis: 30 * 24 * 60 * 60 * 1000,
  /** How long a step-up lasts (`docs/contract/accounts.md#step-up`). */
  stepUpMillis: 10 * 60 * 1000,
  /** Lifetimes of single-use tokens (`docs/contract/accounts.md#tokens`). */
  inviteTokenMillis: 7 * 24 * 60 * 60 * 1000,
  verifyEmailTokenMillis: 24 * 60 * 60 * 1000,
  resetTokenMillis: 60 * 60 * 1000,
  recoveryTokenMillis: 30 * 60 * 1000,
  /** Withdrawals stay locked this long after a 2FA recovery (`docs/contract/accounts.md#recovery`). */
  recoveryLockMillis: 24 * 60 * 60 * 1000,
  /** `docs/contract/request-log.md#what-is-kept` */
  requestLogKeptMillis: 7 * 24 * 60 * 60 * 1000,
  /** `docs/contract/exceptions.md#many-at-once` */
  exceptionsPerCallMax: 500,
  /** A seller's owner, members and open invitations (`docs/contract/members.md#limits`). */
  membersMax: 50,
  /** Mailed invitations of a seller in an hour (`docs/contract/members.md#limits`). */
  memberInvitesPerHour: 20,
  /** `docs/contract/notes.md` */
  notesPerChargeMax: 50,
  noteLengthMax: 2_000,
  /** Rows of one bulk act: a page of the dashboard has fewer, and a thousand refunds take seconds. */
  bulkRowsMax: 1_000,
  /** `docs/contract/reports.md#limits` */
  reportEmailsMax: 5,
  reportsPerModeMax: 10,
  reportLinkDays: 7,
  /** Centavos of an alert's amount: R$ 100 million (`docs/contract/notifications.md#kinds`). */
  alertAmountMax: 100_000_000_00,
} as const

/** Limits of sign-ins, sessions, second factors and mailed tokens; part of `limits`. */
export const accountLimits = {
  /** bcrypt's cost of new hashes, and the least that production accepts (`PASSWORD_COST`). */
  passwordCostDefault: 12,
  passwordCostMin: 10,
  /**
   * Concurrent password hashes per process: each occupies a core for a third of a second, and requests need the
   * others.
   */
  passwordWorkersMax: 2,
  /** Password hashes that may wait for a worker, at a quarter of a second each; the next is 503. */
  passwordsWaitingMax: 64,
  /**
   * A hash that would wait longer is refused at once, and one that did gives up its place; otherwise it completes
   * before the caller's timeout.
   */
  passwordWaitMillisMax: 10_000,
  /** A network's first try that would wait longer is refused at once (`docs/accounts.md#passwords`). */
  firstTryWaitMillisMax: 3_000,
  /** How long a network's tries decide when its next password is checked (`docs/accounts.md#passwords`). */
  triesCountedMillis: 10 * 60 * 1000,
  /** Tries of a network that are often: more than people need who mistype, and a minute and a half of an attack. */
  triesOften: 8,
  /** Networks whose tries a process counts, 250 bytes each; the one that asked longest ago is forgotten. */
  triesNetworksMax: 16_384,
  /** Sign-ins per minute, per e-mail address and per client address (`docs/contract/accounts.md#rate-limits`). */
  signInsPerMinute: 5,
  /**
   * Attempts per minute and network, as multiples of those per address: an IPv6 /48 belongs to one site and has
   * 65,536 clients, an IPv4 /24 is a street of customers. Neither may fill the password queue (a third of what one
   * thread checks in a minute).
   */
  networkTriesFactorIpv6: 4,
  networkTriesFactorIpv4: 12,
  /** Step-ups, second steps and resets per minute and user. */
  secondFactorsPerMinute: 5,
  /**
   * Wrong codes in a row of a user, over all processes, until the next one has to wait: a minute, then twice as long after
   * each further one, up to a day (`docs/accounts.md#wrong-codes` has the arithmetic). Sessions, known devices and strangers
   * have a count each.
   */
  wrongCodesMax: 10,
  wrongCodesFirstWaitMillis: 60_000,
  wrongCodesLongestWaitMillis: 24 * 60 * 60 * 1000,
  /** Wrong codes of one pending sign-in, which then ends, and in a row of one session, which then takes none any more. */
  pendingSignInWrongCodesMax: 5,
  sessionWrongCodesMax: 10,
  /**
   * First enrolments of a second factor need no mailed code so long after sign-up; all later ones do
   * (`docs/contract/accounts.md#mailed-code`).
   */
  enrolmentWithoutMailMillis: 15 * 60 * 1000,
  /** Wrong tries of one mailed code; it is worthless after that. */
  mailCodeTriesMax: 5,
  /** A code sent less than this ago is not sent again: two mails would cross. */
  mailCodePauseMillis: 60_000,
  /** Mailed codes per user in `mailCodesWindowMillis`: whoever knows the password asks for them. */
  mailCodesMax: 10,
  mailCodesWindowMillis: 24 * 60 * 60 * 1000,
  /** Recoveries and invite lookups per minute and client address. */
  recoveriesPerMinute: 10,
  rateWindowMillis: 60_000,
  /** `docs/contract/accounts.md#sessions` */
  sessionMillis: 24 * 60 * 60 * 1000,
  /** A session that is not used for so long ends: `SESSION_IDLE_SECONDS`, and operators' at the latest then. */
  sessionIdleMillis: 14 * 24 * 60 * 60 * 1000,
  operatorIdleMillis: 30 * 60 * 1000,
  /** How long requests that were under way when their session got a new token may use the one before. */
  formerTokenMillis: 30_000,
  /** Cookies of one name that are tried: pages of sibling domains can add a few for each part of a path. */
  cookiesTriedMax: 32,
  /** Minimum time between two updates of a session's `last_seen_at` or a key's `last_used_at` and `last_used_ip`. */
  lastSeenStepMillis: 60_000,
  /** Sessions per user; one more ends the one of the others that expires first. */
  sessionsPerUserMax: 100,
  /** Headers are stored and shown; longer ones are cut. */
  userAgentLengthMax: 512,
  /** Time for the second step of a sign-in. */
  pendingSignInMillis: 5 * 60 * 1000,
  /** How long operators' acts are kept: five years, with their leap days. */
  operatorLogKeptMillis: (5 * 365 + 2) * 24 * 60 * 60 * 1000,
  /** Entries of audit logs that are read at once. */
  auditBatchEntries: 500,
  /** Entries of a seller's audit log, for sellers who change something all the time. */
  sellerAuditEntriesMax: 100_000,
  /** How often an export that follows looks for new ones. */
  auditFollowMillis: 1_000,
  /** Log lines a second about refusals of one kind, in each process: an attack must not fill the disk. */
  refusalLinesPerSecondMax: 20,
  /** An address a user has not signed in from for half a year counts as new: providers reassign addresses. */
  knownAddressMillis: 180 * 24 * 60 * 60 * 1000,
  /** Addresses remembered per user: more than anyone uses in half a year; the least recently used makes room. */
  knownAddressesMax: 50,
  /** `docs/contract/accounts.md#backup-codes` */
  backupCodesCount: 10,
  /**
   * Length of a TOTP step, and how many steps before and after the current one are accepted
   * (`docs/contract/accounts.md#totp`).
   */
  totpStepSeconds: 30,
  totpWindowSteps: 1,
  /** Operators see an invite this long after it ends. */
  inviteShownMillis: 30 * 24 * 60 * 60 * 1000,
  /** Ours have 43 to 95 characters. */
  mailedTokenLengthMax: 200,
  /** Alerts of a kind, by one channel, in an hour; one more says that others are held back. `src/store/alerts.lua` repeats it. */
  alertsPerHourMax: 10,
  /** Test messages that a seller sends in a minute (`docs/contract/notifications.md#test`). */
  alertTestsPerMinute: 5,
  /**
   * Reports that a seller makes in an hour, how often one is sent by hand, and files that one client opens by mailed links in a minute
   * (`docs/contract/reports.md#limits`).
   */
  reportsMadePerHour: 20,
  reportSendsPerHour: 5,
  reportFilesPerMinute: 30,
  /** An endpoint fails after so many attempts in a row, the last so long after the first: a receiver that restarts does not. */
  failingAttemptsMin: 3,
  failingMillisMin: 5 * 60 * 1000,
  /** Requests of a key that a minute keeps (`docs/contract/request-log.md#what-is-kept`). */
  requestLogPerMinuteMax: 100,
  /** Requests of a seller's mode that are kept of each kind, refused and not: some 10 MB, or 8 hours of a key that asks without a pause. */
  requestLogEntriesMax: 50_000,
  /** How often a process writes them, how many at once of a mode, and for how many modes. */
  requestLogWriteMillis: 1000,
  requestLogPerCallMax: 500,
  requestLogWritesAtOnce: 8,
  /** Requests that wait in a process for the next write: some 10 MB. */
  requestLogWaitingMax: 20_000,
  /** Credentials whose shares of the minute a process counts. */
  requestLogCredentialsMax: 10_000,
  /** Requests that `GET /v1/me/request-errors` shows. */
  requestErrorsMax: 100,
  /** Ours are shorter; an acquirer's may not be. */
  requestErrorMessageMax: 300,
  /** A first call about a seller counts so long for a second operator's: what the seller is may be another matter by then. */
  sellerActAskedForMillis: 24 * 60 * 60 * 1000,
} as const

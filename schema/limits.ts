import { dueWorkLimits } from "./dueWorkLimits.ts"
import { partnerLimits } from "./partnerLimits.ts"

/**
 * Every bound of the service in one place, each with its reason. Values come from spec 8 and the decisions; the
 * ones that are ours alone say why they are what they are.
 */
export const limits = {
  ...partnerLimits,
  /** spec 8: page size 1 to 100, default 50. */
  pageSizeMax: 100,
  pageSizeDefault: 50,
  /** decisions 1: 413 `payload_too_large` above it. */
  bodyBytesMax: 256 * 1024,
  /** A request that has not sent its whole body by then holds memory for nothing. */
  bodyTimeoutMillis: 15_000,
  /** Longest a caller waits for our answer; above the command timeout of Redis, so that its error arrives first. */
  requestTimeoutMillis: 15_000,
  /** Connections of a process whatever its open files: each takes about 2 KiB. */
  connectionsMax: 1_000_000,
  /** Of the connections that a process may have, those that newcomers find free: above the rest, each answer ends its own. */
  connectionsRoomMax: 1_024,
  /** Files that connections leave to attempts of deliveries, each a socket, and to Redis, partners and logs. */
  reservedFiles: 2_048 + 128,
  /** The least that is left, however CONNECTIONS_MAX is set: what an idle process has open, and some. */
  reservedFilesMin: 80,
  /** The system is asked at most so often whose the connections are. */
  connectionCountMillisMin: 100,
  /** Refused connections are told of in the log at most so often. */
  connectionReportMillis: 60_000,
  /** spec 8. */
  idempotencyKeyLengthMax: 255,
  /** decisions 1: saved answers live for a day. */
  idempotencyRetentionMillis: 24 * 60 * 60 * 1000,
  /** A claimed key whose process died may be taken over after this; longer than a partner call may take. */
  idempotencyLeaseMillis: 30_000,
  /** decisions 2. */
  amountMin: 1,
  amountMax: 999_999_999_999,
  itemsMax: 100,
  itemQuantityMax: 1_000_000,
  itemNameLengthMax: 200,
  metadataKeysMax: 50,
  metadataKeyLengthMax: 40,
  metadataValueLengthMax: 500,
  expirySecondsMin: 10,
  expirySecondsMax: 2_592_000,
  expirySecondsDefault: 86_400,
  /** spec 8. */
  customerNameLengthMin: 2,
  customerNameLengthMax: 120,
  customerEmailLengthMax: 254,
  /** Longer phone numbers than E.164's 15 digits with punctuation do not exist. */
  customerPhoneLengthMax: 40,
  /** Longer URLs are cut by common proxies; a bound keeps the queue's rows small. */
  destinationUrlLengthMax: 2048,
  /** spec 8. */
  endpointDescriptionLengthMax: 200,
  endpointsPerModeMax: 5,
  /** The catalog is shorter; a longer list only repeats itself. */
  endpointEventsMax: 50,
  /** decisions 4. */
  apiKeysPerModeMax: 10,
  apiKeyNameLengthMax: 64,
  /** spec 4.2 and 8: concurrent SSE connections of a seller, over all processes. */
  streamsPerSellerMax: 10,
  /** decisions 5: a slow reader with more unsent bytes than this is cut. */
  streamUnsentBytesMax: 256 * 1024,
  /** Entries one replay read takes from Redis: large enough to be fast, small enough to let others in. */
  replayBatchEntries: 500,
  /** Entries one filtered page may look at before it answers short with a cursor. */
  filterScanEntriesMax: 5_000,
  /** Most event types one `types` filter may name. */
  typesFilterMax: 50,
  /** spec 6: attempts of a delivery. */
  attemptsMax: 6,
  /** spec 6: a receiver answers within this. */
  attemptTimeoutMillis: 10_000,
  /** spec 6: kept of a receiver's answer. */
  responseExcerptBytes: 1024,
  /** decisions 5: claims outlive the attempt's timeout (>= 15 s), so that a live sender is never overtaken. */
  deliveryLeaseMillis: 20_000,
  /** Attempts one destination has in flight in a process: a slow receiver holds these and no more. */
  attemptsInFlightPerDestination: 64,
  /** Attempts of one destination that are not recorded yet, in flight or answered: a record waits for Redis, not for it. */
  attemptsUnrecordedPerDestination: 256,
  /** Attempts in flight in a process over all destinations: bounds sockets and memory. */
  attemptsInFlightMax: 2_048,
  /** Of those, what destinations that failed last time may hold together, so that hanging receivers leave room. */
  suspectAttemptsInFlightMax: 1_024,
  /** spec 3: automatic disabling. */
  deadStreakMax: 50,
  deadStreakWindowMillis: 7 * 24 * 60 * 60 * 1000,
  ...dueWorkLimits,
  /** Commands that may wait in front of one actor; the next is refused with 503 and `Retry-After`. */
  mailboxCapacity: 4_096,
  /** Messages a seller's actor takes at once, and charges of a local partner that it makes at once. */
  commitBatchMax: 128,
  /** A seller's settings are read again after this, where the hint that tells of a change was lost. */
  sellerSettingsMaxAgeMillis: 5_000,
  /** Sellers that a process remembers to have changed within that time; with one more, all count as changed. */
  changedSellersMax: 10_000,
  /** An actor without work leaves memory after this. */
  actorIdleMillis: 60_000,
  /** Every Redis command answers or fails within this. */
  redisCommandTimeoutMillis: 5_000,
  /** A process that does not renew its partition within this has lost it. */
  partitionLeaseMillis: 4_000,
  /** How often due queues and timers are looked at when no hint arrives. */
  sweepIntervalMillis: 500,
  /** SIGTERM to exit: streams told, requests finished, attempts ended. */
  drainTimeoutMillis: 12_000,
  /** spec 8. */
  passwordLengthMin: 12,
  /** decisions 4. */
  passwordLengthMax: 256,
  /** A name on screens and in mails, as long as a customer's (spec 2). */
  nameLengthMax: 120,
  /** Hashes at a time in a process: each takes a core for a third of a second, and requests need the others. */
  passwordWorkersMax: 2,
  /** Hashes that may wait for a worker, where each takes a quarter of a second: one too many is 503. */
  passwordsWaitingMax: 64,
  /** Whoever would wait longer for a worker is refused at once; with its own hash it is answered in time. */
  passwordWaitMillisMax: 10_000,
  /** decisions 1: sign-in a minute, per e-mail address and per IP. */
  signInsPerMinute: 5,
  /**
   * Tries a minute of one network, in those of one address: an IPv6 /48 is one site's and has 65,536 clients, an IPv4
   * /24 is a street of customers. Neither may fill the queue of passwords (a third of what one thread checks a minute).
   */
  networkTriesFactorIpv6: 4,
  networkTriesFactorIpv4: 12,
  /** decisions 1: step-up, verify-totp and reset a minute and user. */
  secondFactorsPerMinute: 5,
  /** Wrong codes of a user in a row, over all sessions and processes (NIST SP 800-63B, 5.2.2); then only recovery helps. */
  wrongCodesMax: 100,
  /** decisions 1: recovery and invites a minute and IP. */
  recoveriesPerMinute: 10,
  rateWindowMillis: 60_000,
  /** decisions 4. */
  sessionMillis: 24 * 60 * 60 * 1000,
  rememberedSessionMillis: 30 * 24 * 60 * 60 * 1000,
  /** Written at most so often: `last_seen_at` of a session and `last_used_at` of a key. */
  lastSeenStepMillis: 60_000,
  /** A user's sessions; at one more the oldest ends. */
  sessionsPerUserMax: 100,
  /** Headers are kept and shown: longer ones are cut. */
  userAgentLengthMax: 512,
  /** decisions 4: the second step of a sign-in has so long. */
  pendingSignInMillis: 5 * 60 * 1000,
  /** decisions 4: `trustDevice`. */
  trustedDeviceMillis: 30 * 24 * 60 * 60 * 1000,
  /** Lines a second of a process' log that tell of refused sign-ins and step-ups: an attack must not fill the disk. */
  refusalLinesPerSecondMax: 20,
  /** An address that a user has not signed in from for so long is new again: half a year, as providers reassign them. */
  knownAddressMillis: 180 * 24 * 60 * 60 * 1000,
  /** Addresses that are remembered of a user: more than one moves between in half a year; the least recent make room. */
  knownAddressesMax: 50,
  /** decisions 4: a step-up lasts so long. */
  stepUpMillis: 10 * 60 * 1000,
  /** decisions 4. */
  backupCodesCount: 10,
  /** decisions 4: a TOTP step and how many of them around now are taken. */
  totpStepSeconds: 30,
  totpWindowSteps: 1,
  /** decisions 4: single-use tokens. */
  inviteTokenMillis: 7 * 24 * 60 * 60 * 1000,
  /** Operators see an invite for so long after its end. */
  inviteShownMillis: 30 * 24 * 60 * 60 * 1000,
  verifyEmailTokenMillis: 24 * 60 * 60 * 1000,
  resetTokenMillis: 60 * 60 * 1000,
  recoveryTokenMillis: 30 * 60 * 1000,
  /** Ours have 43 to 80 characters. */
  mailedTokenLengthMax: 200,
  /** spec 8: withdrawals stay locked after a recovery of 2FA. */
  recoveryLockMillis: 24 * 60 * 60 * 1000,
  /** spec 8: both secrets of an endpoint, or both keys of a rotation, count so long. */
  rotationGraceMillis: 24 * 60 * 60 * 1000,
  /** spec 8. */
  countersCacheMillis: 10_000,
  /** Mails that wait for the SMTP server; the next is dropped with a log line. */
  mailsWaitingMax: 1_000,
  /** decisions 4: what `ops mail` can still print. */
  mailStreamEntriesMax: 1_000,
  /** Acts of operators that are kept. */
  auditEntriesMax: 100_000,
  /** Custom headers of a tracker. */
  trackerHeadersMax: 20,
  trackerHeaderLengthMax: 1_024,
  /** Attempts that one step of a bulk recovery looks at. */
  recoverBatchMax: 500,
  /** spec 4.3: an endpoint's statistics cover seven days. */
  endpointStatsHours: 7 * 24,
  /** 100 %. */
  basisPointsMax: 10_000,
  reserveDaysMax: 365,
  /** spec 8. */
  withdrawalsPerDayMax: 20,
  /** spec 8, in centavos. */
  withdrawalAmountMin: 100,
  withdrawalDescriptionLengthMax: 140,
  /** What a day's withdrawals come to is kept while somebody may still ask what it came to. */
  withdrawalDayKeptMillis: 7 * 24 * 60 * 60 * 1000,
  /** Ids have 30 characters; what is longer is none and need not be looked up. */
  idLengthMax: 64,
  /** PIX keys of a seller and mode that are not removed or refused. */
  pixKeysPerModeMax: 20,
  /** A commit that was decided on what another changed meanwhile is decided again so often; then it is 503, or tried later. */
  decisionsMax: 10,
  /** A notice that could not be confirmed is tried again after a minute, doubling to an hour, so often. */
  noticeRetryMillisMin: 60_000,
  noticeRetryMillisMax: 60 * 60 * 1000,
  noticeAttemptsMax: 50,
  /** Notices that a process works on at once; the next waits for its timer's lease to end. */
  noticesInProcessMax: 64,
  /** Notices with a bad signature that are kept in a partition: they show an attack, and must not fill the disk. */
  unsignedNoticesMax: 20,
  /** What is kept of the body of such a notice: enough to see what it claims, times all partitions still little. */
  unsignedNoticeLengthMax: 8 * 1024,
  /** Notices of one webhook body that are written at once: a body may tell of thousands. */
  noticesWrittenAtOnce: 64,
  /** What the rightly signed notices of a partition may take: a Redis that evicts nothing must have room for all of them. */
  inboxBytesMaxDefault: 64 * 1024 * 1024,
  /** A partner that finds the inbox full tries again after this: processing makes room within a minute or not soon. */
  inboxFullRetrySeconds: 60,
  /** Headers of a notice that are kept, and how much of each. */
  inboxHeadersMax: 50,
  inboxHeaderLengthMax: 1_024,
  /** Exceptions that one charge lists; they move no money. Refunds do: of those the partner's answer is the only bound. */
  chargeExceptionsMax: 20,
  /** Commits that one round of a partner's report may take: its payment, refunds, exceptions; the next asks anew. */
  commitsPerReportMax: 200,
  /** One step of a test clock. */
  clockAdvanceSecondsMax: 366 * 24 * 60 * 60,
  /** All steps of a test clock together: years keep their four digits, and ids their first of time. */
  clockOffsetMillisMax: 5_000 * 366 * 24 * 60 * 60 * 1000,
  /** Resources whose timers one step of a clock's advance moves. */
  clockAdvanceBatch: 500,
  /** Ids of an index and entries of a stream that an audit reads at once: a few ms of Redis. */
  auditPageIds: 200,
  auditPageEntries: 1_000,
  /** Charges and withdrawals whose ledger entries an audit keeps in mind; for more it reads the ledger once more. */
  auditWindowResources: 20_000,
  /** Traffic changes what an audit reads: a difference counts when it is still there after so many more looks. */
  auditLooksAgainMax: 3,
  auditLookAgainMillis: 20,
  /** Names of timers that `ops audit repair` prints. */
  repairedTimersShownMax: 100,
  /** API keys whose owner a process remembers, while they are used: 400 bytes each. */
  cachedApiKeysMax: 10_000,
} as const

/** Relations that the rest of the code takes for granted; checked when the module loads. */
const relations: ReadonlyArray<readonly [boolean, string]> = [
  [limits.deliveryLeaseMillis > limits.attemptTimeoutMillis + 4_000, "a claim must outlive its attempt"],
  [limits.deliveryLeaseMillis >= 15_000, "claims are leases of at least 15 s (decisions 5)"],
  [
    limits.requestTimeoutMillis > limits.redisCommandTimeoutMillis,
    "Redis must give up before the request does",
  ],
  [limits.timerLeaseMillis > limits.redisCommandTimeoutMillis, "a timer must outlive its transition"],
  [limits.attemptsBegunMin >= limits.attemptsWorthAClaim, "the least window is worth a claim"],
  [limits.pageSizeDefault <= limits.pageSizeMax, "the default page fits the largest"],
  [limits.stepUpMillis < limits.sessionMillis, "a step-up ends before its session"],
  [
    limits.acquirerTimeoutMillis < limits.idempotencyLeaseMillis,
    "a claimed key must outlive the partner's call",
  ],
  [
    limits.partnerCreationSocketsMax >= 4 * limits.partnerCallsPerSellerMax,
    "one seller's creations must leave the partner to others",
  ],
  [
    limits.payoutResendAfterMillis > limits.acquirerTimeoutMillis,
    "a payout is sent again after its sending is over",
  ],
  [
    limits.partnerTimerLeaseMillis > 3 * limits.acquirerTimeoutMillis + limits.redisCommandTimeoutMillis,
    "a timer must outlive the three calls to a partner that it may make",
  ],
  [limits.reservedFiles > limits.attemptsInFlightMax, "connections leave a file to each attempt in flight"],
  [
    limits.passwordWaitMillisMax < limits.requestTimeoutMillis,
    "who waits for a password's turn is answered in time",
  ],
  [limits.drainTimeoutMillis > limits.attemptTimeoutMillis, "draining lets attempts end"],
]
for (const [holds, reason] of relations) {
  if (!holds) throw new Error(`schema/limits.ts: ${reason}`)
}

import { accountLimits } from "./accountLimits.ts"
import { acquirerLimits } from "./acquirerLimits.ts"
import { dueWorkLimits } from "./dueWorkLimits.ts"
import { formLimits } from "./formLimits.ts"

/** Every limit of the service, each with its reason. `docs/contract/limits.md` lists those of the contract. */
export const limits = {
  ...formLimits,
  ...acquirerLimits,
  pageSizeDefault: 50,
  /** `docs/contract/series.md#range`: 31 days of hours. */
  seriesHoursMax: 31 * 24,
  searchResultsMax: 20,
  /** Of each kind that waits for operators, so many are counted (`docs/contract/admin.md#queue`). */
  queuedPerKindMax: 1_000,
  /** Larger bodies are 413 `payload_too_large`, and so are those in more chunks: each costs a call. */
  bodyBytesMax: 256 * 1024,
  bodyChunksMax: 4_096,
  /** A request whose body has not arrived by then only holds memory. */
  bodyTimeoutMillis: 15_000,
  /** Longest a caller waits for an answer; longer than Redis' command timeout, so that its error arrives first. */
  requestTimeoutMillis: 15_000,
  /** Connections of a process, whatever its limit of open files: each takes about 2 KiB. */
  connectionsMax: 1_000_000,
  /** Connections kept free for newcomers: once fewer are free, each answer ends its connection. */
  connectionsRoomMax: 1_024,
  /** Files reserved for delivery attempts (one socket each), Redis, acquirers and logs. */
  reservedFiles: 2_048 + 128,
  /** The minimum reserve, however CONNECTIONS_MAX is set: what an idle process has open, with a margin. */
  reservedFilesMin: 80,
  /** Minimum time between two counts of the connections by the operating system's table. */
  connectionCountMillisMin: 100,
  /** Minimum time between two log lines about refused connections. */
  connectionReportMillis: 60_000,
  /** `docs/contract/README.md#idempotency` */
  idempotencyKeyLengthMax: 255,
  /** How long a saved answer can be replayed. */
  idempotencyRetentionMillis: 24 * 60 * 60 * 1000,
  /**
   * After this, another request may take over the key of a process that died; longer than a call to an acquirer may
   * take.
   */
  idempotencyLeaseMillis: 30_000,
  itemsMax: 100,
  itemQuantityMax: 1_000_000,
  metadataKeysMax: 50,
  metadataKeyLengthMax: 40,
  metadataValueLengthMax: 500,
  expirySecondsMin: 10,
  expirySecondsMax: 2_592_000,
  expirySecondsDefault: 86_400,
  /** E.164 allows 15 digits; this leaves room for punctuation. */
  customerPhoneLengthMax: 40,
  endpointsPerModeMax: 5,
  /** The catalog is shorter; a longer list would repeat itself. */
  endpointEventsMax: 50,
  /** `docs/contract/api-keys.md#limits` */
  apiKeysPerModeMax: 10,
  /** Passkeys of a user (`docs/contract/accounts.md#passkeys`). */
  passkeysMax: 20,
  /** How long a challenge for a passkey can be signed. */
  passkeyChallengeMillis: 5 * 60 * 1000,
  /** Concurrent SSE connections of a seller, over all processes (`docs/contract/events.md#stream-limits`). */
  streamsPerSellerMax: 10,
  /** A slow reader with more unsent bytes is disconnected. */
  streamUnsentBytesMax: 256 * 1024,
  /** Entries per replay read from Redis: enough to be fast, few enough to let other commands in. */
  replayBatchEntries: 500,
  /** Entries examined for one filtered page; after that the page is returned short, with a cursor. */
  filterScanEntriesMax: 5_000,
  /** Charges that the index may name for a word before a search looks through the list instead, where so many are found soon. */
  searchIdsMax: 5_000,
  /** Charges that one answer adds up (`docs/contract/transactions.md#totals`): a tenth of a second of a core. */
  chargesAddedUpMax: 10_000,
  /** Files of any length (statements, exports) that a process sends to one seller at once: an accountant's, and one that was begun anew. */
  filesPerSellerMax: 2,
  /** Such files that a process sends at once: each holds a page, and what its reader has not taken of it. */
  filesInProcessMax: 64,
  /** Ledger entries per read of a statement: a chunk of 50 kB. */
  statementPageEntries: 500,
  /** Entries that a statement's summary adds up: ten reads or so. Beyond it only its balances are told. */
  statementSummaryEntriesMax: 5_000,
  /** Entries or charges per read of an export, each charge decoded: decoding a hundred keeps others waiting for some milliseconds. */
  exportPageEntries: 100,
  /** Receipts that wait for the thread that writes them: half a second of its work. */
  receiptsWaitingMax: 128,
  /** Logos that wait for the thread that decodes them: seconds of its work. */
  logosWaitingMax: 32,
  /** Receipts of one charge, refund or withdrawal that are mailed (`docs/contract/receipts.md#send`); then one every twelve minutes. */
  receiptMailsPerHour: 5,
  /** And of all of a seller: they go to any address, in our name. */
  receiptMailsPerSellerPerHour: 200,
  /** Rows of a sheet of a workbook, the titles' among them: Excel opens no more. A longer list goes on in another sheet. */
  xlsxSheetRowsMax: 1_048_576,
  /** Such a file has no deadline of its own; a reader who takes nothing of a page for this long is cut. */
  fileUnreadMillis: 60_000,
  /** Event types in one `types` filter. */
  typesFilterMax: 50,
  /** Attempts per delivery (`docs/contract/deliveries.md#retries`). */
  attemptsMax: 6,
  /** Stored bytes of a receiver's response. */
  responseExcerptBytes: 1024,
  /**
   * A claim outlives the attempt's timeout, so that a live sender is never overtaken
   * (`docs/contract/deliveries.md#claims`).
   */
  deliveryLeaseMillis: 20_000,
  /** Attempts in flight per destination and process: the most that a slow receiver can hold. */
  attemptsInFlightPerDestination: 64,
  /**
   * Busy destinations share so many attempts in flight, but each may have as many as one claim takes: many destinations keep
   * the process busy with fewer connections each, and every connection costs a TLS handshake.
   */
  attemptsInFlightShared: 320,
  /** Deliveries a destination claims at once; by its next claim it is known how many destinations are busy. */
  attemptsPerClaimMax: 32,
  /**
   * Attempts per destination that are not recorded yet, in flight or answered: records wait for Redis, not for the
   * receiver.
   */
  attemptsUnrecordedPerDestination: 256,
  /** Attempts in flight per process over all destinations: bounds sockets and memory. */
  attemptsInFlightMax: 2_048,
  /**
   * Of those, the most that destinations whose last attempt failed may hold together, so that hanging receivers leave
   * room.
   */
  suspectAttemptsInFlightMax: 1_024,
  ...dueWorkLimits,
  /** Messages that may wait for one actor; the next is refused with 503 and `Retry-After`. */
  mailboxCapacity: 4_096,
  /** Messages a seller actor takes at once; also the charges it creates at once with a local acquirer. */
  commitBatchMax: 128,
  /** A seller's settings are read again after this, in case the hint of a change was lost. */
  sellerSettingsMaxAgeMillis: 5_000,
  /** Changed sellers a process remembers within that time; one more, and all count as changed. */
  changedSellersMax: 10_000,
  /** An idle actor leaves memory after this. */
  actorIdleMillis: 60_000,
  /** Every Redis command answers or fails within this. */
  redisCommandTimeoutMillis: 5_000,
  /** The most replicas that a write may wait for (REDIS_WAIT_REPLICAS). */
  waitReplicasMax: 16,
  /** How long replicas may take (REDIS_WAIT_TIMEOUT_MS): longer than a round trip, and shorter than any Redis command may take. */
  waitMillisMin: 10,
  waitMillisMax: 4_000,
  waitMillisDefault: 1_000,
  /** How long a start waits for replicas that copy the primary; the start-up probe of the kit for Kubernetes allows ten minutes. */
  startReplicasMillisMax: 300_000,
  /** `Retry-After` where a seller's data moves to another server: a partition of thousands of keys takes about a second. */
  movingRetrySeconds: 2,
  /** A replica acknowledges once a second at least; one that has not for longer, no write waits for. */
  replicaLagSecondsMax: 2,
  /** How long a primary is doubted once a replica has left it: by then one that was promoted says that it is a primary. */
  replicaLeftDoubtMillis: 5_000,
  /** How late news of a promotion may come: the default `failover-timeout` of Sentinels. Until then the replica is believed. */
  promotionNewsMillisMax: 180_000,
  /** A process that has not renewed its partition within this has lost it. */
  partitionLeaseMillis: 4_000,
  /** How often due queues and timers are checked when no hint arrives. */
  sweepIntervalMillis: 500,
  /** From SIGTERM to exit: streams are told to reconnect, requests finish, attempts end. */
  drainTimeoutMillis: 12_000,
  /** How long of it idle connections stay open, so that the answer to their next request tells their clients to leave. */
  drainLingerMillis: 2_000,
  ...accountLimits,
  /** `docs/contract/sellers.md#counters` */
  countersCacheMillis: 10_000,
  /** Mails waiting for the SMTP server; the next is dropped with a log line. */
  mailsWaitingMax: 1_000,
  /** Mails that `ops mail` can still print. */
  mailStreamEntriesMax: 1_000,
  /** Pages of the operators' log in which a second operator's call looks for the first one. */
  approvalLogPagesMax: 100,
  /** How far the clocks of processes and Redis may be apart where both date an act. */
  approvalClockSkewMillis: 60_000,
  /** Custom headers of a tracker. */
  trackerHeadersMax: 20,
  trackerHeaderLengthMax: 1_024,
  /** Attempts examined in one step of a bulk recovery. */
  recoverBatchMax: 500,
  /** `docs/contract/endpoints.md#statistics` */
  endpointStatsHours: 7 * 24,
  /** In centavos (`docs/contract/withdrawals.md#limits`). */
  withdrawalAmountMin: 100,
  /** A Pix can be returned for 90 days after it was paid. */
  refundAgeMillisMax: 90 * 24 * 60 * 60 * 1000,
  /** Refunds of one charge, whatever became of them: its document lists those that succeeded. */
  refundsPerChargeMax: 200,
  /** How long the total of a day's withdrawals is kept. */
  withdrawalDayKeptMillis: 7 * 24 * 60 * 60 * 1000,
  /** Ids have 30 characters; longer text is not looked up. */
  idLengthMax: 64,
  /** Pix keys per seller and mode that are neither removed nor refused. */
  pixKeysPerModeMax: 20,
  /** Customers that may be merged into one (`docs/contract/customers.md#merge`): documents that one person was registered with. */
  mergedCustomersMax: 20,
  /** Payment links per seller and mode (`docs/contract/payment-links.md#limits`). They are never deleted. */
  paymentLinksPerModeMax: 10_000,
  /** How long a charge made through a link can be paid: its payer is at the page, and its place is kept for as long. */
  paymentLinkChargeSeconds: 30 * 60,
  /** Charges that one client makes through links: a family at one address, not a flood. */
  paymentLinkChargesPerClientMax: 20,
  paymentLinkClientWindowMillis: 10 * 60 * 1000,
  /** Charges a minute through one link: a show that sells out fast. */
  paymentLinkChargesPerMinuteMax: 300,
  /** Attempts at a commit whose preconditions others keep changing; after that it is 503, or retried later. */
  decisionsMax: 10,
  /** A notice that could not be confirmed is retried after a minute, doubling to an hour, this often. */
  noticeRetryMillisMin: 60_000,
  noticeRetryMillisMax: 60 * 60 * 1000,
  noticeAttemptsMax: 50,
  /** Notices a process works on at once; the next waits until its timer's lease ends. */
  noticesInProcessMax: 64,
  /** Notices with a bad signature kept per partition: they show an attack, but must not fill the disk. */
  unsignedNoticesMax: 20,
  /** Stored length of such a notice's body: enough to see what it claims, and little over all partitions. */
  unsignedNoticeLengthMax: 8 * 1024,
  /** Notices of one webhook body written at once: a body may contain thousands. */
  noticesWrittenAtOnce: 64,
  /**
   * Bytes that correctly signed notices may take per partition: a Redis that evicts nothing must have room for all of
   * them.
   */
  inboxBytesMaxDefault: 64 * 1024 * 1024,
  /** When the inbox is full, the acquirer tries again after this: processing makes room within a minute or not soon. */
  inboxFullRetrySeconds: 60,
  /** Stored headers of a notice, and the stored length of each. */
  inboxHeadersMax: 50,
  inboxHeaderLengthMax: 1_024,
  /**
   * Exceptions listed per charge; they move no money. Refunds do, and only the acquirer's answer bounds their number.
   */
  chargeExceptionsMax: 20,
  /** Commits per round of an acquirer's report (payment, refunds, exceptions); the next round asks again. */
  commitsPerReportMax: 200,
  /** Steps of a test clock that are remembered: what happened before them is told in true time. */
  clockStepsMax: 1_000,
  /** One step of a test clock. */
  clockAdvanceSecondsMax: 366 * 24 * 60 * 60,
  /** All steps of a test clock together: years keep four digits, and ids keep the first character of their time. */
  clockOffsetMillisMax: 5_000 * 366 * 24 * 60 * 60 * 1000,
  /** Resources whose timers one step of a clock advance moves. */
  clockAdvanceBatch: 500,
  /** Ids of an index and stream entries that an audit reads at once: a few ms of Redis. */
  auditPageIds: 200,
  auditPageEntries: 1_000,
  /** Resources in doubt whose ledger entries an audit holds in memory; for more it reads the ledger again. */
  auditWindowResources: 20_000,
  /** One commit appends an event and then its ledger entry; the clock may go on this far in between. */
  auditEntryAfterEventMillis: 2,
  /** Audits go on from checkpoints; this long after the last one from the beginning, one begins there again. */
  auditFullAfterMillis: 7 * 24 * 60 * 60 * 1000,
  /** How often a process looks whether an audit is due, and at the last one's result. */
  auditLookMillis: 10_000,
  /** The lease of the process that audits; it is renewed three times in that time. */
  auditLeaseMillis: 30_000,
  /** A withdrawal's day is in Brazil's time, and the sums of days are kept for a week after it. */
  auditWithdrawalDaysMillis: 9 * 24 * 60 * 60 * 1000,
  /** Traffic changes what an audit reads: a difference counts only if it is still there after this many more looks. */
  auditLooksAgainMax: 3,
  auditLookAgainMillis: 20,
  /** How often a test mode is audited anew because something of it was deleted meanwhile. */
  auditTrimmedTriesMax: 5,
  /** Events that an erasure copies at once, and that may be left to copy when the copy takes the feed's place. */
  erasurePageEntries: 200,
  /** A copy that a dead erasure left ends by itself after this. */
  erasedEventsExpiryMillis: 60 * 60 * 1000,
  /** Timers, indexes and counters that `ops audit repair` names, of each. */
  repairedShownMax: 100,
  /** Traffic may move a ledger on while its counters are repaired: how often the repair then tries again. */
  repairCountersTriesMax: 10,
  /** API keys whose owner a process remembers while they are in use: 400 bytes each, and 11 kB where one is bound to 20 ranges. */
  cachedApiKeysMax: 10_000,
} as const

/** Relations the code relies on, checked when the module loads. */
const relations: ReadonlyArray<readonly [boolean, string]> = [
  [limits.deliveryLeaseMillis > limits.attemptTimeoutMillis + 4_000, "a claim must outlive its attempt"],
  [limits.deliveryLeaseMillis >= 15_000, "claims are leases of at least 15 s"],
  [
    limits.requestTimeoutMillis > limits.redisCommandTimeoutMillis,
    "Redis must give up before the request does",
  ],
  [
    limits.waitMillisMax < limits.redisCommandTimeoutMillis,
    "replicas must be given up before the command is",
  ],
  [limits.timerLeaseMillis > limits.redisCommandTimeoutMillis, "a timer must outlive its transition"],
  [limits.attemptsBegunMin >= limits.attemptsWorthAClaim, "the smallest window must be worth a claim"],
  [
    limits.testRetentionDaysMin * 24 * 60 * 60 * 1000 >= limits.auditWithdrawalDaysMillis,
    "a withdrawal must not be deleted while it counts in a day",
  ],
  [limits.pageSizeDefault <= limits.pageSizeMax, "the default page must not exceed the largest"],
  [limits.stepUpMillis < limits.sessionMillis, "a step-up must end before its session"],
  [
    limits.acquirerTimeoutMillis < limits.idempotencyLeaseMillis,
    "an idempotency lease must outlive the call to the acquirer",
  ],
  [
    limits.acquirerCreationSocketsMax >= 4 * limits.acquirerCallsPerSellerMax,
    "one seller's creations must leave room for other sellers'",
  ],
  [
    limits.payoutResendAfterMillis > limits.acquirerTimeoutMillis,
    "a payout is sent again only after its last sending is over",
  ],
  [
    limits.acquirerTimerLeaseMillis > 3 * limits.acquirerTimeoutMillis + limits.redisCommandTimeoutMillis,
    "a timer must outlive the three calls to an acquirer that it may make",
  ],
  [limits.sweepLeaseMillis >= 3 * limits.sweepRenewMillis, "a sweep may miss two renewals of its lease"],
  [
    limits.reservedFiles > limits.attemptsInFlightMax,
    "connections must leave a file for each attempt in flight",
  ],
  [
    limits.passwordWaitMillisMax < limits.requestTimeoutMillis,
    "a caller who waits for a password worker must be answered in time",
  ],
  [limits.drainTimeoutMillis > limits.attemptTimeoutMillis, "draining must let attempts end"],
  [limits.drainTimeoutMillis > limits.drainLingerMillis, "draining must let idle clients leave"],
]
for (const [holds, reason] of relations) {
  if (!holds) throw new Error(`schema/limits.ts: ${reason}`)
}

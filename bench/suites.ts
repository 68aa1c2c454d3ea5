import { runAccounts } from "./accounts/suite.ts"
import { runCosts } from "./costs/suite.ts"
import { runDashboard } from "./dashboard/suite.ts"
import { runDeliveries } from "./deliveries/suite.ts"
import { runLife } from "./life/suite.ts"
import { runOverload } from "./overload/suite.ts"
import type { Progress, Size, SuiteResult } from "./report/result.ts"
import { runScale } from "./scale/suite.ts"
import { runSse } from "./sse/suite.ts"
import { runAudit } from "./suites/audit.ts"
import { runEvents } from "./suites/events.ts"
import { runGrowth } from "./suites/growth.ts"
import { runMicro } from "./suites/micro.ts"
import { runPayments } from "./suites/payments.ts"
import { runStart } from "./suites/start.ts"
import { runTransactions } from "./suites/transactions.ts"
import { runSweeps } from "./sweeps/suite.ts"

/** A suite. */
export interface Suite {
  readonly text: string
  readonly run: (size: Size, progress: Progress) => Promise<SuiteResult>
}

/**
 * All suites, in the order in which they run. `compare` and `report` are commands, so no suite may have these names.
 */
export const suites: Readonly<Record<string, Suite>> = {
  micro: { text: "single functions: BR Code, QR, PNG, event frames", run: runMicro },
  start: { text: "from the start of the process to its first response", run: runStart },
  transactions: {
    text: "POST, GET, list, replay and both mixed, beside a bare server and Fastify",
    run: runTransactions,
  },
  events: { text: "event -> SSE client and -> webhook receiver", run: runEvents },
  sse: {
    text: "event streams: idle, fan-out, latency, replay, beside bare, node:http and nchan",
    run: runSse,
  },
  payments: { text: "memory of payment pages' streams, beside idle streams of feeds", run: runPayments },
  deliveries: {
    text: "webhooks: fan-out, latency, retries due at once, endpoints that hang, beside a bare queue and BullMQ",
    run: runDeliveries,
  },
  costs: {
    text: "what metrics, series and search, ordering and trace ids cost charges and deliveries",
    run: runCosts,
  },
  life: {
    text: "whole lives of charges under load, beside a bare server; work that is due at start-up",
    run: runLife,
  },
  overload: {
    text: "more clients than the service can handle, who give up and retry; streams that all open at once, people who all sign in at once",
    run: runOverload,
  },
  growth: { text: "what grows with stored charges, and with sellers that were active once", run: runGrowth },
  scale: { text: "one and two processes, and a Redis Cluster of three primaries", run: runScale },
  audit: {
    text: "audits of one seller's charges: from the beginning, and from a checkpoint",
    run: runAudit,
  },
  sweeps: {
    text: "a sweep of the acquirer's books that finds no difference",
    run: runSweeps,
  },
  dashboard: {
    text: "the events page in a browser at 200 events/s, beside none; lists and searches with many charges",
    run: runDashboard,
  },
  accounts: {
    text: "hashing beside other requests; response times that reveal who has an account",
    run: runAccounts,
  },
}

import type { Progress, Size, SuiteResult } from "./report/result.ts"

/** A suite. */
export interface Suite {
  readonly text: string
  readonly run: (size: Size, progress: Progress) => Promise<SuiteResult>
}

/**
 * All suites, in the order in which they run. Each is loaded when it runs: it brings its peers and half of the service along.
 * `compare` and `report` are commands, so no suite may have these names.
 */
export const suites: Readonly<Record<string, Suite>> = {
  micro: {
    text: "single functions: BR Code, QR, PNG, event frames",
    run: async (size, progress) => (await import("./suites/micro.ts")).runMicro(size, progress),
  },
  start: {
    text: "from the start of the process to its first response",
    run: async (size, progress) => (await import("./suites/start.ts")).runStart(size, progress),
  },
  transactions: {
    text: "POST, GET, list, replay and both mixed, beside a bare server and Fastify",
    run: async (size, progress) => (await import("./suites/transactions.ts")).runTransactions(size, progress),
  },
  events: {
    text: "event -> SSE client and -> webhook receiver",
    run: async (size, progress) => (await import("./suites/events.ts")).runEvents(size, progress),
  },
  sse: {
    text: "event streams: idle, fan-out, latency, replay, beside bare, node:http and nchan",
    run: async (size, progress) => (await import("./sse/suite.ts")).runSse(size, progress),
  },
  payments: {
    text: "memory of payment pages' streams, beside idle streams of feeds",
    run: async (size, progress) => (await import("./suites/payments.ts")).runPayments(size, progress),
  },
  deliveries: {
    text: "webhooks: fan-out, latency, retries due at once, endpoints that hang, beside a bare queue and BullMQ",
    run: async (size, progress) => (await import("./deliveries/suite.ts")).runDeliveries(size, progress),
  },
  costs: {
    text: "what metrics, series and search, ordering and trace ids cost charges and deliveries",
    run: async (size, progress) => (await import("./costs/suite.ts")).runCosts(size, progress),
  },
  life: {
    text: "whole lives of charges under load, beside a bare server; work that is due at start-up",
    run: async (size, progress) => (await import("./life/suite.ts")).runLife(size, progress),
  },
  overload: {
    text: "more clients than the service can handle, who give up and retry; streams that all open at once, people who all sign in at once",
    run: async (size, progress) => (await import("./overload/suite.ts")).runOverload(size, progress),
  },
  growth: {
    text: "what grows with stored charges, and with sellers that were active once",
    run: async (size, progress) => (await import("./suites/growth.ts")).runGrowth(size, progress),
  },
  scale: {
    text: "one and two processes, and a Redis Cluster of three primaries",
    run: async (size, progress) => (await import("./scale/suite.ts")).runScale(size, progress),
  },
  audit: {
    text: "audits of one seller's charges: from the beginning, and from a checkpoint",
    run: async (size, progress) => (await import("./suites/audit.ts")).runAudit(size, progress),
  },
  sweeps: {
    text: "a sweep of the acquirer's books that finds no difference",
    run: async (size, progress) => (await import("./sweeps/suite.ts")).runSweeps(size, progress),
  },
  dashboard: {
    text: "the events page in a browser at 200 events/s, beside none; lists and searches with many charges",
    run: async (size, progress) => (await import("./dashboard/suite.ts")).runDashboard(size, progress),
  },
  accounts: {
    text: "hashing beside other requests; response times that reveal who has an account; owners beside an attack",
    run: async (size, progress) => (await import("./accounts/suite.ts")).runAccounts(size, progress),
  },
}

import type { RunSuite } from "./report/result.ts"

export interface Suite {
  readonly text: string
  readonly run: RunSuite
}

/**
 * All suites, in the order in which they run. Each is loaded when it runs: it brings its peers and half of the service along.
 * `compare` is a command, so no suite may have its name.
 */
export const suites: Readonly<Record<string, Suite>> = {
  micro: {
    text: "single functions: BR Code, QR, PNG, event frames",
    run: async (...asked) => (await import("./suites/micro.ts")).runMicro(...asked),
  },
  start: {
    text: "from the start of the process to its first response",
    run: async (...asked) => (await import("./suites/start.ts")).runStart(...asked),
  },
  transactions: {
    text: "POST, GET, list, replay and both mixed, beside a bare server and Fastify",
    run: async (...asked) => (await import("./suites/transactions.ts")).runTransactions(...asked),
  },
  events: {
    text: "event -> SSE client and -> webhook receiver",
    run: async (...asked) => (await import("./suites/events.ts")).runEvents(...asked),
  },
  sse: {
    text: "event streams: idle, fan-out, latency, replay, beside bare and nchan",
    run: async (...asked) => (await import("./suites/sse/sse.ts")).runSse(...asked),
  },
  deliveries: {
    text: "webhooks: fan-out, latency, retries due at once, endpoints that hang, beside a bare queue and BullMQ",
    run: async (...asked) => (await import("./suites/deliveries/deliveries.ts")).runDeliveries(...asked),
  },
  life: {
    text: "whole lives of charges under load, beside a bare server; work that is due at start-up",
    run: async (...asked) => (await import("./suites/life.ts")).runLife(...asked),
  },
  overload: {
    text: "more clients than the service can handle, who give up and retry; people who all sign in at once",
    run: async (...asked) => (await import("./suites/overload.ts")).runOverload(...asked),
  },
  growth: {
    text: "what grows with stored charges, and with sellers that were active once",
    run: async (...asked) => (await import("./suites/growth.ts")).runGrowth(...asked),
  },
  scale: {
    text: "one and two processes, replicas that are waited for, and a Redis Cluster of three primaries",
    run: async (...asked) => (await import("./suites/scale.ts")).runScale(...asked),
  },
  soak: {
    text: "half an hour at a steady rate: whether memory, open files, keys and latency stay flat",
    run: async (...asked) => (await import("./suites/soak.ts")).runSoak(...asked),
  },
}

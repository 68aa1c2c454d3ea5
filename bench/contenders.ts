/** The contenders of the suites: the service, ceilings that do the minimum, and what users would choose instead. */
export const contenders = {
  corrente: "the service as its users start it",
  "corrente-2": "the service in two processes (PROCESSES=2)",
  "corrente-cluster": "the service in one process on a Redis Cluster of three primaries",
  without: "the service without what the row names (in `costs`); the page without events (in `dashboard`)",
  bare: "uWebSockets.js and ioredis (in `deliveries`: a sorted set and undici) and nothing else: the ceiling",
  fastify: "Fastify, Ajv and ioredis with the same atomic script and the same fast QR",
  "fastify-qrcode": "the same with the package `qrcode`, which most people would use",
  node: "node:http with XREAD",
  nchan: "nginx with the nchan module",
  bullmq: "BullMQ (in `deliveries`: with undici)",
} as const

/** A contender's name. */
export type Contender = keyof typeof contenders

/** All names, in the order of columns. */
export const contenderNames = Object.keys(contenders) as ReadonlyArray<Contender>

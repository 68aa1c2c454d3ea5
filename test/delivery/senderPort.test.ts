import { Effect } from "effect"
import { type RedisPeer, startRedisPeer } from "../support/redisPeer.ts"
import type { Behaviour, Respond } from "../support/tlsReceiver.ts"
import { type Conduct, type Sent, senderSuite } from "./senderSuite.ts"
import { receiver } from "./senderTesting.ts"

const httpConduct = (conduct: Conduct): Behaviour | Respond => {
  switch (conduct.kind) {
    case "takes":
      return { kind: "respond", ...(conduct.after === undefined ? {} : { after: conduct.after }) }
    case "hangs":
      return { kind: "silent" }
    case "forgetsToAnswer":
      return { kind: "reset" }
    case "forgetsOnce": {
      let times = 0
      return () => (times++ === 0 ? { kind: "reset" } : { kind: "respond" })
    }
    case "breaksOff":
      return { kind: "raw", pieces: ["HTTP/1.1 200 O"] }
    case "babbles":
      return { kind: "trickle", piece: "x".repeat(10_000) }
  }
}

senderSuite({
  name: "an HTTPS receiver",
  start: (options) =>
    Effect.map(receiver(options), (target) => ({
      origin: target.origin,
      url: target.url,
      caFile: target.caFile,
      behave: (conduct) => target.respondWith(httpConduct(conduct)),
      received: () => target.requests,
      waitFor: target.waitFor,
      connections: () => target.connections,
      waitForOpenConnections: target.waitForOpenConnections,
    })),
  urlAt: (name) => `https://${name}/webhooks`,
  nobody: { origin: "https://localhost:1", url: "https://localhost:1/webhooks" },
  babble: { outcome: "success", error: null },
})

const redisConduct = (conduct: Conduct) => {
  switch (conduct.kind) {
    case "takes":
      return { kind: "append", ...(conduct.after === undefined ? {} : { after: conduct.after }) } as const
    case "hangs":
      return { kind: "silent" } as const
    case "forgetsToAnswer":
      return { kind: "reset" } as const
    case "forgetsOnce":
      return { kind: "reset", isOnce: true } as const
    case "breaksOff":
      return { kind: "raw", bytes: "$15\r\n17000", ends: true } as const
    case "babbles":
      return { kind: "raw", bytes: `$500000000\r\n${"x".repeat(100_000)}` } as const
  }
}

/** The entries of a peer, read as their consumers do: the fields but `body` are its headers. */
const entriesOf = (peer: RedisPeer): ReadonlyArray<Sent> =>
  peer.commands
    .filter(({ parts }) => parts[0] === "XADD")
    .map(({ parts, serverName }) => {
      const fields = parts.slice(parts.indexOf("*") + 1)
      const pairs = fields.flatMap((name, i) => (i % 2 === 0 ? [[name, fields[i + 1] ?? ""] as const] : []))
      const { body = "", ...headers } = Object.fromEntries(pairs)
      return { body, headers, serverName }
    })

senderSuite({
  name: "a Redis Stream",
  start: (options) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.promise(() => startRedisPeer(options)),
        (peer) => Effect.promise(() => peer.close()),
      ),
      (peer) => ({
        origin: peer.origin,
        url: peer.url,
        caFile: peer.caFile,
        behave: (conduct) => peer.behave(redisConduct(conduct)),
        received: () => entriesOf(peer),
        waitFor: peer.waitFor,
        connections: () => peer.connections,
        waitForOpenConnections: peer.waitForOpenConnections,
      }),
    ),
  urlAt: (name) => `rediss://shop@${name}:6379/?stream=events`,
  nobody: { origin: "rediss://localhost:1", url: "rediss://localhost:1/?stream=events" },
  babble: { outcome: "failed", error: "redis_not_resp" },
})

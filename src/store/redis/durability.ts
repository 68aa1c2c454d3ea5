import { Effect } from "effect"
import type { RedisClient, RedisServer } from "./redisClient.ts"

/** The settings with which a 2xx means durable (docs/architecture.md#rule-9). */
const wanted: Readonly<Record<string, string>> = {
  appendonly: "yes",
  appendfsync: "always",
  "maxmemory-policy": "noeviction",
}

const wrongOn = (server: RedisServer) =>
  Effect.map(server.call("CONFIG", ["GET", ...Object.keys(wanted)]), (reply) => {
    const values = reply as ReadonlyArray<string>
    const wrong: Array<string> = []
    for (let i = 0; i + 1 < values.length; i += 2) {
      const name = values[i] ?? ""
      if (wanted[name] !== undefined && values[i + 1] !== wanted[name]) {
        wrong.push(`${name} is ${values[i + 1]}, set it to ${wanted[name]}`)
      }
    }
    return wrong
  })

/** Sentences about servers, with their address if there are several. */
const saidOf = (servers: ReadonlyArray<RedisServer>, said: ReadonlyArray<ReadonlyArray<string>>) =>
  said.flatMap((sentences, i) =>
    sentences.map((sentence) => (servers.length === 1 ? sentence : `on ${servers[i]?.address} ${sentence}`)),
  )

/** Fails unless every server answers. */
export const pingServers = (client: RedisClient["Service"]) =>
  // A cluster's servers change.
  Effect.suspend(() =>
    Effect.forEach(client.servers(), (server) => server.call("PING", []), {
      concurrency: "unbounded",
      discard: true,
    }),
  )

/**
 * A sentence that names each server's unsafe settings; undefined if there are none, `skipped` if CONFIG is forbidden, as
 * managed services do.
 */
export const durabilityProblem = (client: RedisClient["Service"]) =>
  Effect.gen(function* () {
    const servers = client.servers()
    const wrong = saidOf(servers, yield* Effect.forEach(servers, wrongOn, { concurrency: "unbounded" }))
    return wrong.length === 0 ? undefined : `Redis may lose acknowledged writes: ${wrong.join("; ")}.`
  }).pipe(
    Effect.catch((error) =>
      /unknown command|no permissions|NOPERM/i.test(error.reason)
        ? Effect.succeed("skipped" as const)
        : Effect.fail(error),
    ),
  )

const replicasOf = (server: RedisServer) =>
  Effect.map(server.call("INFO", ["replication"]), (info) =>
    Number(/^connected_slaves:(\d+)/m.exec(String(info))?.[1] ?? 0),
  )

/**
 * A sentence that names the servers whose number of replicas does not fit how many a write waits for; undefined if all fit or INFO is
 * forbidden (docs/promises.md#replicas).
 */
export const replicasProblem = (client: RedisClient["Service"], wanted: number) =>
  Effect.gen(function* () {
    const servers = client.servers()
    const counts = yield* Effect.forEach(servers, replicasOf, { concurrency: "unbounded" })
    const said = (servers: string) =>
      wanted === 0
        ? `Redis has replicas (${servers}), and REDIS_WAIT_REPLICAS is 0: a failover may lose acknowledged writes. ` +
          "Set it to the number of replicas that must have a write before it is acknowledged."
        : `REDIS_WAIT_REPLICAS is ${wanted}, and Redis has fewer replicas (${servers}): nothing is answered until it has them.`
    const misfits = counts.flatMap((count, i) =>
      (wanted === 0 ? count > 0 : count < wanted) ? [`${servers[i]?.address}: ${count}`] : [],
    )
    return misfits.length === 0 ? undefined : said(misfits.join(", "))
  }).pipe(Effect.orElseSucceed(() => undefined))

/**
 * A sentence about aof-load-truncated, with which Redis may apply a part of a commit that a crash cut; undefined if it is
 * off or unknown. Only a warning: it takes a second crash, and the commit was never acknowledged.
 */
export const cutWriteProblem = (client: RedisClient["Service"]) =>
  Effect.suspend(() =>
    Effect.forEach(client.servers(), (server) => server.call("CONFIG", ["GET", "aof-load-truncated"])),
  ).pipe(
    Effect.map((replies) =>
      replies.some((reply) => (reply as ReadonlyArray<string>)[1] === "yes")
        ? "Redis has aof-load-truncated set to yes: of a commit that a crash cuts, it may apply a part at the start after the " +
          "next one. Set it to no, and run redis-check-aof --fix on its files before it starts again after a crash."
        : undefined,
    ),
    Effect.orElseSucceed(() => undefined),
  )

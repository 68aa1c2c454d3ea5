import { Effect } from "effect"
import type { RedisClient, RedisServer } from "./redisClient.ts"

/** What the server must be set to so that a 2xx means durable (rule 9). */
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

/** What is said of servers, with their address where there are several. */
const saidOf = (servers: ReadonlyArray<RedisServer>, said: ReadonlyArray<ReadonlyArray<string>>) =>
  said.flatMap((sentences, i) =>
    sentences.map((sentence) => (servers.length === 1 ? sentence : `on ${servers[i]?.address} ${sentence}`)),
  )

/**
 * The settings that are otherwise, on whichever server, as a sentence; undefined when all is well, `skipped` where the
 * server does not tell (managed services forbid CONFIG).
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

/**
 * What may become of a commit that a crash cut while it was written, as a sentence; undefined when it is gone whole, or
 * the server does not tell. No reason to serve nothing: it takes a second crash, and a commit nobody was told of.
 */
export const cutWriteProblem = (client: RedisClient["Service"]) =>
  Effect.forEach(client.servers(), (server) => server.call("CONFIG", ["GET", "aof-load-truncated"])).pipe(
    Effect.map((replies) =>
      replies.some((reply) => (reply as ReadonlyArray<string>)[1] === "yes")
        ? "Redis has aof-load-truncated set to yes: of a commit that a crash cuts, it may apply a part at the start after the " +
          "next one. Set it to no, and run redis-check-aof --fix on its files before it starts again after a crash."
        : undefined,
    ),
    Effect.orElseSucceed(() => undefined),
  )

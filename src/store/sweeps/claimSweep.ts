import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["sweep", "accounts"],
  args: ["holder", "lease_millis", "account?"],
})

/** Takes or renews the lease on an account's sweeps, for that long in ms; undefined while another process holds it. */
export const claimSweep =
  (client: RedisClient["Service"]) => (account: string, holder: string, leaseMillis: number) =>
    Effect.flatMap(
      callFunction(
        client,
        declaration,
        { sweep: keys.sweepKey(account), accounts: keys.sweepAccountsKey },
        { holder, lease_millis: leaseMillis, account },
      ),
      (reply) => {
        const [kind, fence] = words(reply)
        if (kind === "claimed") return Effect.succeed({ account, fence: Number(fence) })
        return kind === "held" ? Effect.succeed(undefined) : Effect.fail(unexpectedReply(declaration, reply))
      },
    )

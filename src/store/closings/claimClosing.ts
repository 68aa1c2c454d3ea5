import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, { keys: ["lease"], args: ["holder", "lease_millis"] })

/** Takes or renews the lease on the closing of days; answers its fence and Redis' clock, or 0 while another process holds it. */
export const claimClosing = (client: RedisClient["Service"]) => (holder: string, leaseMillis: number) =>
  callFunction(client, declaration, { lease: keys.closingLeaseKey }, { holder, lease_millis: leaseMillis })

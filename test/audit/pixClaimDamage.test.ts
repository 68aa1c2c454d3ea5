import type { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as keys from "../../src/store/keys.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"
import { account, creditedPix, openClaims } from "./claimedPix.ts"
import { describeDamages } from "./damages.ts"

const found = new WeakMap<AuditStage, Effect.Success<typeof openClaims>>()
const prepare = async (stage: AuditStage) => {
  found.set(stage, await stage.runtime.runPromise(openClaims))
}
const chargePix = (stage: AuditStage) => found.get(stage)?.chargePix ?? ""
const chargeClaims = (stage: AuditStage) => keys.pixClaimsKey(account, chargePix(stage))
const creditClaims = () => keys.pixClaimsKey(account, creditedPix)

describeDamages(
  "the claim of a Pix",
  {
    "it is missing for a charge that the Pix has paid": {
      check: "pix_claim",
      key: chargeClaims,
      damage: (stage, key) => stage.redis.hdel(key, chargePix(stage)),
    },
    "it names another charge": {
      check: "pix_claim",
      key: chargeClaims,
      damage: (stage, key) => stage.redis.hset(key, chargePix(stage), "txn_other"),
    },
    "it is missing for a credited exception": {
      check: "exception",
      key: creditClaims,
      damage: ({ redis }, key) => redis.hdel(key, creditedPix),
    },
    "it names another than the credited exception": {
      check: "exception",
      key: creditClaims,
      damage: ({ redis }, key) => redis.hset(key, creditedPix, "txn_other"),
    },
  },
  prepare,
)

describe("an audit of claims", () => {
  it("claims that agree with what used them are in order", async () => {
    const stage = await startAuditStage()
    await prepare(stage)
    expect(await stage.verify()).toMatchObject({ transactions: expect.any(Number) })
    await stage.stop()
  })
})

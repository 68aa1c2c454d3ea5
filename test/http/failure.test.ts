import { describe, expect, it } from "vitest"
import { encodePartition, makeId } from "../../schema/ids.ts"
import { maskSecrets } from "../../src/http/contract/failure.ts"

const random = "aB3-_".repeat(9).slice(0, 43)
const sessionToken = encodePartition(17) + random
const inviteId = makeId("inv_", Date.UTC(2026, 10, 21), 3, new Uint8Array(14).fill(29))
const inviteToken = inviteId.slice("inv_".length) + random

describe("secrets in logs", () => {
  it("masking hides keys, signing secrets, and tokens of sessions and mails, wherever they stand in a log line", () => {
    for (const secret of [
      `sk_live_${sessionToken}`,
      `sk_test_${sessionToken}`,
      `whsec_${random}`,
      sessionToken,
      inviteToken,
      `${sessionToken}x`,
    ]) {
      for (const text of [
        secret,
        `no such key: session:{u17}:${secret}`,
        `GET /v1/me/auth/invites/${secret}?x=1`,
        `"${secret}",`,
        `lm.session=${secret}; a=1`,
        `${secret}\n    at read`,
      ]) {
        const masked = maskSecrets(text)
        expect(masked, text).not.toContain(random.slice(0, 20))
        expect(masked, text).toContain("…")
      }
    }
  })

  it("masking leaves text without secrets as it is", () => {
    for (const text of [
      `no event ${inviteId}`,
      "req_01KAH2Q7C80000000000000000 died",
      "at RequestExchange.reportDefect (file:///srv/app/src/http/server/requestExchange.ts:195:16)",
      "00000000-0000-4000-8000-000000000000",
      `short: ${sessionToken.slice(0, 44)}`,
    ]) {
      expect(maskSecrets(text)).toBe(text)
    }
  })
})

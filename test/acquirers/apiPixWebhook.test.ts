import { createHmac } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readNotices } from "../../src/acquirers/apiPix/notices.ts"
import { startPsp } from "../support/psp.ts"
import { chargeOf, openApiPix, payoutOf, txid } from "../support/pspClient.ts"

describe("the local PSP's notices", () => {
  it.effect("the local PSP's webhook bodies are read as notices of a payment, its refund and a payout", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      yield* acquirer.createCharge(chargeOf())
      const endToEndId = psp.pay(txid)
      expect(readNotices(psp.notice({ endToEndId }))).toMatchObject([
        { eventType: "pix.received", providerEventId: `${endToEndId}:received`, txid, endToEndId },
      ])
      psp.refundOf(endToEndId, { id: "m1", natureza: "MED_FRAUDE" })
      expect(readNotices(psp.notice({ endToEndId }))).toMatchObject([
        { eventType: "pix.refund", providerEventId: `${endToEndId}:refund:m1:DEVOLVIDO`, txid, endToEndId },
      ])
      yield* acquirer.sendPayout(payoutOf())
      const { payoutId } = payoutOf()
      psp.payoutResult(payoutId, "REALIZADO")
      const paidBy = psp.payout(payoutId)?.endToEndId
      expect(readNotices(psp.notice({ idEnvio: payoutId }))).toMatchObject([
        { eventType: "pix.sent", providerEventId: `${paidBy}:sent:REALIZADO`, payoutId, endToEndId: paidBy },
      ])
    }),
  )
})

describe("the local PSP", () => {
  it("the local PSP signs a webhook when it is given a secret", async () => {
    const psp = await startPsp()
    const received: Array<{ readonly signature: string | undefined; readonly body: string }> = []
    const server = createServer(async (request, response) => {
      received.push({
        signature: request.headers["x-webhook-signature"]?.toString(),
        body: await text(request),
      })
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/v1/webhooks/api-pix/pix`
    try {
      expect((await psp.notify(url, '{"pix":[]}', "s3cret")).status).toBe(200)
      await psp.notify(url, '{"pix":[]}')
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await psp.close()
    }
    const expected = createHmac("sha256", "s3cret").update('{"pix":[]}').digest("hex")
    expect(received).toEqual([
      { signature: expected, body: '{"pix":[]}' },
      { signature: undefined, body: '{"pix":[]}' },
    ])
  })

  it("the local PSP keeps its certificates in files while it runs", async () => {
    const psp = await startPsp()
    const files = [psp.certFile, psp.keyFile, psp.caFile]
    expect(files.map((file) => readFileSync(file, "utf8"))).toEqual([psp.pem.cert, psp.pem.key, psp.pem.ca])
    await psp.close()
    expect(files.some((file) => existsSync(file))).toBe(false)
  })
})

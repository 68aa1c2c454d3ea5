import { assert, describe, it } from "@effect/vitest"
import { sizes } from "../support/sizes.ts"
import { itDoesWhatTheServiceDoes, type PeerCharge, peerBody, usePeer } from "./support/chargePeer.ts"

/** A peer need not run where the suites that measure it do not. */
const describePeer = describe.runIf(sizes.benchSuites === "all")

describePeer("the Fastify server", () => {
  const peer = usePeer("fastify")
  itDoesWhatTheServiceDoes(peer)

  it("the fastify server refuses a body, a header, a path or a query that breaks its schema", async () => {
    const wrongBodies = [
      peerBody.replace("12301", '"12301"'),
      peerBody.replace("12301", "0"),
      peerBody.replace("pix", "card"),
      peerBody.replace("ana@example.com", "ana"),
      peerBody.replace("529.982.247-25", "529"),
      peerBody.replace(/"items":.*]/, '"items":[]'),
      peerBody.replace("{", '{"metadata":{"nested":{}},'),
      "{",
    ]
    const statuses: Array<number> = []
    for (const body of wrongBodies) statuses.push((await peer.post("wrong", body)).status)
    assert.deepStrictEqual(
      statuses,
      wrongBodies.map(() => 400),
    )
    const bare = { method: "POST", headers: { "content-type": "application/json" }, body: peerBody }
    assert.strictEqual((await peer.ask("", bare)).status, 400)
    assert.strictEqual((await peer.get("txn_1")).status, 400)
    assert.strictEqual((await peer.ask("?limit=101")).status, 400)
  })

  it("the fastify server drops fields that its schema does not name", async () => {
    const answer = await peer.post("unknown", peerBody.replace("{", '{"colour":"red",'))
    assert.strictEqual(answer.status, 201)
    assert.notInclude(await answer.text(), "colour")
  })
})

describePeer("the Fastify server with the package qrcode", () => {
  const peer = usePeer("fastify-qrcode")
  itDoesWhatTheServiceDoes(peer)

  it("the fastify-qrcode server answers with the picture that the package qrcode makes", async () => {
    const { pix } = (await (await peer.post("picture")).json()) as PeerCharge
    const colourType = Buffer.from(pix.qr_base64, "base64")[25]
    assert.strictEqual(colourType, 6)
  })
})

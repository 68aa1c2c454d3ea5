/** A process that receives webhooks over TLS, answers 200 immediately and records when each request arrived. */
import { createHmac } from "node:crypto"
import { type RecordedRequest, startTlsReceiver, type TlsReceiver } from "../../test/support/tlsReceiver.ts"
import { type ObserverAnswer, type ObserverRequest, readEnvelope } from "./eventProtocol.ts"
import { serveParent } from "./serveParent.ts"

const arrivals: Array<number> = []
let receiver: TlsReceiver | undefined
let taken = 0

const listen = async (): Promise<ObserverAnswer> => {
  receiver = await startTlsReceiver({
    behaviour: () => {
      arrivals.push(performance.timeOrigin + performance.now())
      return { kind: "respond" }
    },
  })
  const { url, origin, caFile } = receiver
  return { count: 0, events: [], problems: [], listening: { url, origin, caFile } }
}

/** Whether `X-Signature` matches the body (docs/contract/deliveries.md#signature). */
const isSigned = (request: RecordedRequest, secret: string): boolean => {
  const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(request.headers["x-signature"] ?? "") ?? []
  return createHmac("sha256", secret).update(`${time}.`).update(request.rawBody).digest("hex") === signature
}

const take = (secret: string): ObserverAnswer => {
  const requests = receiver?.requests.slice(taken) ?? []
  const events = requests.map((request, index) => readEnvelope(request.body, arrivals[taken + index] ?? 0))
  const unsigned = requests.filter((request) => !isSigned(request, secret)).length
  taken += requests.length
  return {
    count: events.length,
    events,
    problems: unsigned === 0 ? [] : [`${unsigned} deliveries were not signed with the endpoint's secret`],
  }
}

serveParent<ObserverRequest, ObserverAnswer>((request) => {
  switch (request.kind) {
    case "listen":
      return listen()
    case "take":
      return take(request.secret ?? "")
    case "count":
      return { count: arrivals.length - taken, events: [], problems: [] }
    case "follow":
      throw new Error("a receiver does not follow streams")
  }
})

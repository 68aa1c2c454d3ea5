/**
 * A conventional stack: Fastify, Ajv and ioredis. Commit function, BR Code, ciphers and responses equal the bare
 * server's (bareStore.ts); headers, path and body are validated by schema, as usual. The charge's JSON is made once by
 * a serialiser that Fastify compiles from a schema (4.0 us; JSON.stringify takes 5.3), and stored and sent unchanged.
 * Takes PORT, REDIS_URL and ENCRYPTION_KEY like the service. QR_PACKAGE is `qr` (like the bare server) or `qrcode`, as
 * most would use. Never expose it to a network.
 */

import Fastify, { type FastifyReply } from "fastify"
import { toBuffer } from "qrcode"
import { limits } from "../../schema/limits.ts"
import { type BareBody, makeBareCharge, makeBarePayload } from "./bareCharge.ts"
import { encodeBareQr } from "./bareQr.ts"
import { type BareAnswer, openBareStore, refuse } from "./bareStore.ts"
import {
  chargeSchema,
  createBodySchema,
  createHeadersSchema,
  idParamsSchema,
  listQuerySchema,
  readHeadersSchema,
} from "./fastifySchema.ts"

declare module "fastify" {
  interface FastifyRequest {
    /** The body's bytes, which its Idempotency-Key is bound to. */
    rawBody: Buffer
  }
}

interface ReadHeaders {
  readonly authorization: string
}
interface CreateHeaders extends ReadHeaders {
  readonly "idempotency-key": string
}

const port = Number(process.env.PORT)
const store = await openBareStore(
  process.env.REDIS_URL ?? "",
  Buffer.from(process.env.ENCRYPTION_KEY ?? "", "base64"),
)

const encodeQrcode = async (payload: string): Promise<string> =>
  (await toBuffer(payload, { errorCorrectionLevel: "M" })).toString("base64")

const isUsualQr = process.env.QR_PACKAGE === "qrcode"

const findCaller = async (authorization: string) =>
  store.knownCaller(authorization) ?? (await store.findCaller(authorization))

const requestIdStart = `req_${"0".repeat(14)}`
let requestsSeen = 0

const app = Fastify({
  bodyLimit: limits.bodyBytesMax,
  // Ajv's defaults in Fastify convert "5" to 5.
  ajv: { customOptions: { coerceTypes: false, removeAdditional: true, useDefaults: true } },
  genReqId: () => {
    requestsSeen += 1
    return requestIdStart + String(requestsSeen).padStart(12, "0")
  },
})

app.decorateRequest("rawBody")
app.addContentTypeParser<Buffer>("application/json", { parseAs: "buffer" }, (request, body, done) => {
  request.rawBody = body
  try {
    done(null, JSON.parse(body.toString()))
  } catch {
    done(Object.assign(new Error("The body is not JSON."), { statusCode: 400 }))
  }
})

const send = (reply: FastifyReply, { status, body, isReplay }: BareAnswer): FastifyReply => {
  reply.code(status).header("X-Request-Id", reply.request.id).type("application/json")
  if (isReplay) reply.header("Idempotent-Replayed", "true")
  return reply.send(body)
}

app.post<{ Body: BareBody; Headers: CreateHeaders }>(
  "/v1/transactions",
  { schema: { headers: createHeadersSchema, body: createBodySchema } },
  async (request, reply) => {
    const caller = await findCaller(request.headers.authorization)
    if (caller === undefined) return send(reply, refuse(401))
    const payload = makeBarePayload()
    const pix = { payload, qr: isUsualQr ? await encodeQrcode(payload) : encodeBareQr(payload) }
    const serialize = reply.compileSerializationSchema(chargeSchema)
    const charge = makeBareCharge(request.body, caller.partition, pix, store.seal, serialize)
    return send(
      reply,
      await store.create(caller, request.headers["idempotency-key"], request.rawBody, charge),
    )
  },
)

app.get<{ Querystring: { readonly limit: string }; Headers: ReadHeaders }>(
  "/v1/transactions",
  { schema: { headers: readHeadersSchema, querystring: listQuerySchema } },
  async (request, reply) => {
    const caller = await findCaller(request.headers.authorization)
    if (caller === undefined) return send(reply, refuse(401))
    return send(reply, await store.list(caller, Number(request.query.limit)))
  },
)

app.get<{ Params: { readonly id: string }; Headers: ReadHeaders }>(
  "/v1/transactions/:id",
  { schema: { headers: readHeadersSchema, params: idParamsSchema } },
  async (request, reply) => {
    const caller = await findCaller(request.headers.authorization)
    if (caller === undefined) return send(reply, refuse(401))
    return send(reply, await store.get(caller, request.params.id))
  },
)

console.log(`listening on ${await app.listen({ host: "127.0.0.1", port })}`)

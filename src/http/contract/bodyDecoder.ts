import { Context, Result, type Schema, SchemaParser } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { OptionalBody, RawBody } from "../../../schema/api/common.ts"
import { ApiError, validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { tooManyChunks } from "../server/framing.ts"
import type { Body, Incoming } from "../server/route.ts"
import { findLoneSurrogate, mayHoldLoneSurrogate, parseJsonBody } from "./jsonBody.ts"
import { issueToError } from "./validation.ts"

const jsonType = "application/json"
/** Parameters other than a charset of UTF-8 have no effect. */
const contentTypePattern = /^application\/json[ \t]*(?:;|$)/i
const charsetPattern = /;[ \t]*charset[ \t]*=[ \t]*"?([^";, \t]*)/i

const checkContentType = ({
  contentType,
  contentEncoding,
}: Incoming): ApiError<"unsupported_media_type"> | undefined => {
  if (contentType !== jsonType) {
    const charset = charsetPattern.exec(contentType)?.[1]?.toLowerCase() ?? "utf-8"
    if (!contentTypePattern.test(contentType) || charset !== "utf-8") {
      return new ApiError({
        code: "unsupported_media_type",
        message: "Send the body as JSON in UTF-8, with the header Content-Type: application/json.",
      })
    }
  }
  if (contentEncoding === "" || contentEncoding.toLowerCase() === "identity") return undefined
  return new ApiError({
    code: "unsupported_media_type",
    message: "Send the body uncompressed, without a Content-Encoding header.",
  })
}

const tooLarge = (): ApiError<"payload_too_large"> =>
  new ApiError({
    code: "payload_too_large",
    message: `The body is larger than ${limits.bodyBytesMax} bytes. Send a smaller one.`,
  })

const refusalOf = (body: Exclude<Body, Buffer>): ApiError =>
  body === "tooLarge" ? tooLarge() : tooManyChunks()

/** The body's schema. Throws if the contract declares anything but `application/json` with one schema. */
const payloadSchema = (endpoint: HttpApiEndpoint.Top): Schema.Top | undefined => {
  if (endpoint.payload.size === 0) return undefined
  const [entry] = endpoint.payload.entries()
  const [type, payload] = entry ?? []
  if (endpoint.payload.size > 1 || type !== jsonType || payload?.schemas.length !== 1) {
    throw new Error(`The contract of ${endpoint.identifier} has a payload other than one JSON schema`)
  }
  return payload.schemas[0]
}

/**
 * Compiles the decoder of an endpoint's body; undefined if the endpoint takes none. In this order: 415 for another
 * content type, 413 above `limits.bodyBytesMax`, 400 for broken UTF-8, JSON or fields. An empty body is `{}` if the
 * contract makes it optional. A raw body is only checked for its size.
 */
export const makeBodyDecoder = (
  endpoint: HttpApiEndpoint.Top,
): ((incoming: Incoming) => unknown | ApiError) | undefined => {
  const schema = payloadSchema(endpoint)
  if (Context.get(endpoint.annotations, RawBody)) {
    return ({ body }) => (typeof body === "string" ? refusalOf(body) : undefined)
  }
  if (schema === undefined) return undefined
  const decode = SchemaParser.decodeUnknownResult(schema as Schema.Top & Schema.ConstraintDecoder<unknown>)
  const isOptional = Context.get(endpoint.annotations, OptionalBody)
  return (incoming) => {
    const isLeftOut = isOptional && incoming.body.length === 0
    const refused = isLeftOut ? undefined : checkContentType(incoming)
    if (refused !== undefined) return refused
    const { body } = incoming
    if (typeof body === "string") return refusalOf(body)
    const json = isLeftOut ? {} : parseJsonBody(body)
    if (json instanceof ApiError) return json
    const result = decode(json)
    if (Result.isFailure(result)) return issueToError(result.failure)
    const lone = mayHoldLoneSurrogate(body) ? findLoneSurrogate(result.success) : undefined
    if (lone === undefined) return result.success
    return validationFailed(
      lone,
      `${lone} contains half of a surrogate pair (\\ud800 to \\udfff). Send whole characters.`,
    )
  }
}

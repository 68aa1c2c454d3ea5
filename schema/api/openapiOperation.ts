import { Context } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { errorCodes } from "../errors.ts"
import { limits } from "../limits.ts"
import { OptionalBody } from "./common.ts"
import { requestExamples } from "./openapiExamples.ts"
import { parameterTexts, streamDescription, streamExample } from "./openapiText.ts"
import type { MediaType, Operation, Parameter, ResponseObject } from "./openapiTypes.ts"
import { OperatorAuth, SellerAuth, StepUp, UserAuth } from "./security.ts"

const eventStream = "text/event-stream"

/** What an operation asks of a request, which the generator does not know. */
interface Guard {
  readonly isSession: boolean
  readonly takesMode: boolean
  readonly stepUp: "webhook" | "account" | "always" | undefined
  readonly isBodyOptional: boolean
}
type Guards = ReadonlyMap<string, Guard>

/** What the operations of a contract ask of requests, by their identifiers. */
export const guardsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
): Guards => {
  const guards = new Map<string, Guard>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const keys = [...endpoint.middlewares].map(({ key }) => key)
      const isOperators = keys.includes(OperatorAuth.key)
      const takesMode = keys.includes(SellerAuth.key)
      guards.set(endpoint.identifier, {
        isSession: isOperators || takesMode || keys.includes(UserAuth.key),
        takesMode,
        stepUp: isOperators ? "always" : Context.get(endpoint.annotations, StepUp),
        isBodyOptional: Context.get(endpoint.annotations, OptionalBody),
      })
    },
  })
  return guards
}

const stepUpMinutes = limits.stepUpMillis / 60_000
const stepUpDescription = ({ stepUp }: Guard): string | undefined => {
  if (stepUp === undefined) return undefined
  const needed = `Needs a step-up: \`POST /v1/me/auth/step-up\` within the last ${stepUpMinutes} minutes`
  if (stepUp === "always") return `${needed}, always.`
  return `${needed}, unless the user has turned \`${stepUp}\` off in \`/v1/me/security/step-up-prefs\`.`
}

const headerTitle = (name: string): string =>
  name === "last-event-id" ? "Last-Event-ID" : name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

const finishParameter = (parameter: Parameter): Parameter => {
  const text = parameterTexts[parameter.name.toLowerCase()]
  return {
    ...parameter,
    name: parameter.in === "header" ? headerTitle(parameter.name) : parameter.name,
    ...(text === undefined ? {} : { description: text.description }),
    schema: text?.schema ?? parameter.schema,
  }
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` })

const rateLimitHeaders = { RateLimit: header("RateLimit"), "RateLimit-Policy": header("RateLimitPolicy") }

const finishResponse = (
  status: string,
  response: ResponseObject,
  { replays, isLimited }: { readonly replays: boolean; readonly isLimited: boolean },
): ResponseObject => {
  const waits =
    status === "429" || status === "503" || response.description.includes("idempotency_in_progress")
  const headers = {
    "X-Request-Id": header("RequestId"),
    ...(waits ? { "Retry-After": header("RetryAfter") } : {}),
    ...(status === "401" ? { "WWW-Authenticate": header("WwwAuthenticate") } : {}),
    ...(isLimited && (status === "429" || status.startsWith("2")) ? rateLimitHeaders : {}),
    ...(response.description.includes("mfa_required") ? { "X-MFA-Step-Up": header("MfaStepUp") } : {}),
    ...(replays && status.startsWith("2") ? { "Idempotent-Replayed": header("IdempotentReplayed") } : {}),
  }
  const { [eventStream]: stream, ...content } = response.content ?? {}
  if (stream === undefined) return { ...response, headers }
  return {
    description: streamDescription,
    headers,
    content: { ...content, [eventStream]: { schema: stream.schema, example: streamExample } },
  }
}

const exampleOf = (media: MediaType): MediaType => {
  const example = requestExamples[media.schema.$ref?.split("/").at(-1) ?? ""]
  return example === undefined ? media : { ...media, example }
}

const modeParameter: Parameter = {
  name: "x-mode",
  in: "header",
  required: false,
  schema: { type: "string" },
}

/** Any session's route refuses an `X-Mode` that is none, so 400 is an answer of each. */
const withBadMode = (responses: Operation["responses"]): Operation["responses"] => {
  const error = Object.entries(responses).find(([status]) => status === "401")?.[1]
  if (error === undefined || responses["400"] !== undefined) return responses
  return { ...responses, "400": { ...error, description: "`validation_failed`" } }
}

/** An operation with what its generated form lacks: texts, headers, examples, and what sessions are asked for. */
export const finishOperation = (operation: Operation, guards: Guards): Operation => {
  const operationId = operation.operationId.split(".").at(-1) ?? operation.operationId
  const guard = guards.get(operationId)
  const description = guard === undefined ? undefined : stepUpDescription(guard)
  const replays = operation.parameters.some(({ name }) => name === "idempotency-key")
  const streams = Object.values(operation.responses).some(
    ({ content }) => content?.[eventStream] !== undefined,
  )
  const given = guard?.isSession === true ? withBadMode(operation.responses) : operation.responses
  // The limit of streams is a number, not a rate.
  const isLimited = !streams && given[String(errorCodes.rate_limited[0])] !== undefined
  const responses = Object.entries(given)
    // Streams answer 200 with `reconnect` instead (decisions 5).
    .filter(([status]) => !streams || !status.startsWith("5"))
    .map(([status, response]) => [status, finishResponse(status, response, { replays, isLimited })])
  const { requestBody } = operation
  return {
    ...operation,
    operationId,
    ...(description === undefined ? {} : { description }),
    parameters: [...operation.parameters, ...(guard?.takesMode === true ? [modeParameter] : [])].map(
      finishParameter,
    ),
    ...(requestBody === undefined
      ? {}
      : {
          requestBody: {
            ...requestBody,
            required: guard?.isBodyOptional !== true,
            content: Object.fromEntries(
              Object.entries(requestBody.content).map(([type, media]) => [type, exampleOf(media)]),
            ),
          },
        }),
    responses: Object.fromEntries(responses),
  }
}

/** Headers of answers, as components. */
export const componentHeaders = {
  RequestId: {
    description: "Names the request; yours, where you sent one of 8 to 64 characters `A-Za-z0-9_-`.",
    schema: { type: "string" },
  },
  MfaStepUp: {
    description: "`required`: confirm with `POST /v1/me/auth/step-up`, then repeat the request.",
    schema: { type: "string", enum: ["required"] },
  },
  RateLimit: {
    description:
      'What is left of the tightest limit: `"<policy>";r=<requests left>;t=<seconds until it is full>`.',
    schema: { type: "string" },
  },
  RateLimitPolicy: {
    description: 'That limit: `"<policy>";q=<requests>;w=<seconds>`.',
    schema: { type: "string" },
  },
  WwwAuthenticate: {
    description: "The kind of credential that is missing or wrong: an API key, or the session's cookie.",
    schema: { type: "string", enum: ["Bearer", "Cookie"] },
  },
  RetryAfter: { description: "Seconds to wait before the next try.", schema: { type: "integer" } },
  IdempotentReplayed: {
    description: "Present when the response was saved under this `Idempotency-Key` before.",
    schema: { type: "string", enum: ["true"] },
  },
}

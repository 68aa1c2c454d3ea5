import { Context } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { errorCodes } from "../errors.ts"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { OptionalBody } from "./common.ts"
import type { JsonSchema, MediaType, Operation, Parameter, ResponseObject } from "./openapiTypes.ts"
import { OperatorAuth, SellerAuth, StepUp, UserAuth } from "./security.ts"

const eventStream = "text/event-stream"

/** Facts about an operation that the generator does not know. */
interface Guard {
  readonly isSession: boolean
  readonly takesMode: boolean
  readonly stepUp: "webhook" | "account" | "always" | undefined
  readonly isBodyOptional: boolean
}
type Guards = ReadonlyMap<string, Guard>

/** The guards of all operations of a contract, by operation id. */
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

/** Moves the description from the schema to the parameter, and lets `parameterSchema` replace the schema. */
const finishParameter = (parameter: Parameter): Parameter => {
  const { description, parameterSchema, ...schema } = parameter.schema
  return {
    ...parameter,
    name: parameter.in === "header" ? headerTitle(parameter.name) : parameter.name,
    ...(description === undefined ? {} : { description }),
    schema: (parameterSchema as JsonSchema | undefined) ?? schema,
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
  // The response already carries what its schema is annotated with.
  const { description: _, examples, ...schema } = stream.schema
  const example = examples?.[0]
  return { ...response, headers, content: { ...content, [eventStream]: { schema, example } } }
}

type Schemas = Readonly<Record<string, JsonSchema>>

/** Adds the example that the body's component is annotated with. */
const withExample = (media: MediaType, schemas: Schemas): MediaType => {
  const example = schemas[media.schema.$ref?.split("/").at(-1) ?? ""]?.examples?.[0]
  return example === undefined ? media : { ...media, example }
}

const modeParameter: Parameter = {
  name: "X-Mode",
  in: "header",
  required: false,
  description: "The mode of the request.",
  schema: { type: "string", enum: modes, default: "live" },
}

/** Any route for sessions rejects an invalid `X-Mode`, so each of them may answer 400. */
const withBadMode = (responses: Operation["responses"]): Operation["responses"] => {
  const error = Object.entries(responses).find(([status]) => status === "401")?.[1]
  if (error === undefined || responses["400"] !== undefined) return responses
  return { ...responses, "400": { ...error, description: "`validation_failed`" } }
}

/** Completes a generated operation with texts, headers, examples, and what it requires of sessions. */
export const finishOperation = (operation: Operation, guards: Guards, schemas: Schemas): Operation => {
  const operationId = operation.operationId.split(".").at(-1) ?? operation.operationId
  const guard = guards.get(operationId)
  const description = guard === undefined ? undefined : stepUpDescription(guard)
  const replays = operation.parameters.some(({ name }) => name === "idempotency-key")
  const streams = Object.values(operation.responses).some(
    ({ content }) => content?.[eventStream] !== undefined,
  )
  const given = guard?.isSession === true ? withBadMode(operation.responses) : operation.responses
  // Streams are limited by number, not by rate.
  const isLimited = !streams && given[String(errorCodes.rate_limited[0])] !== undefined
  const responses = Object.entries(given)
    // Streams answer 200 with `reconnect` instead (`docs/decisions/0020-streams-answer-200.md`).
    .filter(([status]) => !streams || !status.startsWith("5"))
    .map(([status, response]) => [status, finishResponse(status, response, { replays, isLimited })])
  const { requestBody } = operation
  return {
    ...operation,
    operationId,
    ...(description === undefined ? {} : { description }),
    parameters: [
      ...operation.parameters.map(finishParameter),
      ...(guard?.takesMode === true ? [modeParameter] : []),
    ],
    ...(requestBody === undefined
      ? {}
      : {
          requestBody: {
            ...requestBody,
            required: guard?.isBodyOptional !== true,
            content: Object.fromEntries(
              Object.entries(requestBody.content).map(([type, media]) => [type, withExample(media, schemas)]),
            ),
          },
        }),
    responses: Object.fromEntries(responses),
  }
}

/** Response headers, as components. */
export const componentHeaders = {
  RequestId: {
    description: "Identifies the request; your own value if you sent 8 to 64 characters of `A-Za-z0-9_-`.",
    schema: { type: "string" },
  },
  MfaStepUp: {
    description: "`required`: confirm with `POST /v1/me/auth/step-up`, then repeat the request.",
    schema: { type: "string", enum: ["required"] },
  },
  RateLimit: {
    description:
      'The state of the tightest limit: `"<policy>";r=<requests left>;t=<seconds until it is full again>`.',
    schema: { type: "string" },
  },
  RateLimitPolicy: {
    description: 'That limit: `"<policy>";q=<requests>;w=<seconds>`.',
    schema: { type: "string" },
  },
  WwwAuthenticate: {
    description: "The kind of credential that is missing or wrong: an API key or the session cookie.",
    schema: { type: "string", enum: ["Bearer", "Cookie"] },
  },
  RetryAfter: { description: "Seconds to wait before you try again.", schema: { type: "integer" } },
  IdempotentReplayed: {
    description:
      "Present when this is the saved response of an earlier request with the same `Idempotency-Key`.",
    schema: { type: "string", enum: ["true"] },
  },
}

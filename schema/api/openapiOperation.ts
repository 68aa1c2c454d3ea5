import { modes } from "../ids.ts"
import { errorExamplesOf, exampleOf, type Schemas } from "./openapiExamples.ts"
import type { Guards } from "./openapiGuards.ts"
import { type HeaderFacts, hasRateLimit, headersOf } from "./openapiHeaders.ts"
import type { JsonSchema, MediaType, Operation, Parameter, ResponseObject } from "./openapiTypes.ts"

const eventStream = "text/event-stream"

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

/** Moves what a schema is annotated with to the answer, which has its description already. */
const finishAnswer = (media: MediaType, schemas: Schemas): MediaType => {
  const { examples: _, description: __, ...schema } = media.schema
  return { schema, example: exampleOf(media.schema, schemas) }
}

const finishResponse = (
  status: string,
  response: ResponseObject,
  schemas: Schemas,
  facts: HeaderFacts,
): ResponseObject => {
  const headers = headersOf(status, response, facts)
  const examples = errorExamplesOf(response)
  const content = Object.entries(response.content ?? {}).map(([type, media]) => [
    type,
    examples === undefined ? finishAnswer(media, schemas) : { ...media, examples },
  ])
  return { ...response, headers, ...(content.length === 0 ? {} : { content: Object.fromEntries(content) }) }
}

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

/** The operations that answer `X-Server-Time`. */
const timedOperations: ReadonlySet<string> = new Set(["listEvents", "listMyEvents"])

/**
 * Completes a generated operation with texts, headers, examples, and what it requires of sessions. Its readers become
 * its tags, and its group the section it stands in.
 */
export const finishOperation = (operation: Operation, guards: Guards, schemas: Schemas): Operation => {
  const operationId = operation.operationId.split(".").at(-1) ?? operation.operationId
  const guard = guards.get(operationId)
  const [section = ""] = operation.tags
  const replays = operation.parameters.some(({ name }) => name === "idempotency-key")
  const streams = Object.values(operation.responses).some(
    ({ content }) => content?.[eventStream] !== undefined,
  )
  // Streams are limited by number, not by rate.
  const isLimited = !streams && hasRateLimit(operation.responses)
  const tellsTime = timedOperations.has(operationId)
  const facts = { replays, isLimited, tellsTime }
  const responses = Object.entries(operation.responses)
    // Streams answer 200 with `reconnect` instead (`docs/decisions/0020-streams-answer-200.md`).
    .filter(([status]) => !streams || !status.startsWith("5"))
    .map(([status, response]) => [status, finishResponse(status, response, schemas, facts)])
  const { requestBody } = operation
  return {
    ...operation,
    operationId,
    tags: guard?.readers ?? [],
    "x-section": section,
    ...(guard === undefined ? {} : { description: guard.description }),
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

import type { MediaType, Operation, ResponseObject } from "../../../schema/api/openapiTypes.ts"
import { curlExample } from "./curl.ts"
import { escapeHtml, proseHtml } from "./html.ts"
import { fieldHtml, fieldsHtml, typeHtml } from "./schemaView.ts"

const mediaHtml = ([type, media]: readonly [string, MediaType]): string => {
  const isJson = type === "application/json"
  const example =
    typeof media.example === "string"
      ? `<pre tabindex="0"><code>${escapeHtml(media.example)}</code></pre>`
      : ""
  return `<p><code>${escapeHtml(type)}</code>${isJson ? `: ${typeHtml(media.schema)}` : ""}</p>${fieldsHtml(media.schema)}${example}`
}

const responseHtml = (status: string, response: ResponseObject): string => {
  const isError = Number(status) >= 400
  const content = Object.entries(response.content ?? {})
  const names = content.map(([, media]) => media.schema.$ref?.split("/").at(-1))
  const saysNothing = response.description === "Success" || names.includes(response.description)
  const described = saysNothing ? "" : proseHtml(response.description)
  const body = isError ? "" : content.map(mediaHtml).join("")
  return `<li><span class="status s${status.slice(0, 1)}">${status}</span> ${described}${body}</li>`
}

const requestHtml = (operation: Operation): string => {
  const parameters = operation.parameters.map(
    (parameter) =>
      `<li><span class="where">${parameter.in}</span> ${fieldHtml(
        parameter.name,
        parameter.description === undefined
          ? parameter.schema
          : { ...parameter.schema, description: parameter.description },
        parameter.required,
      )}</li>`,
  )
  const list =
    parameters.length > 0 ? `<h4>Parameters</h4><ul class="fields">${parameters.join("")}</ul>` : ""
  const body = Object.entries(operation.requestBody?.content ?? {})
  return list + (body.length > 0 ? `<h4>Body</h4>${body.map(mediaHtml).join("")}` : "")
}

/** The credentials an operation takes, in a few words. */
const credentialsOf = ({ security }: Operation): string => {
  const names = security.flatMap((needed) => Object.keys(needed))
  if (names.length === 0) return "no credential needed"
  return names.map((name) => (name === "apiKey" ? "API key" : name)).join(" or ")
}

/** One operation: parameters, body, responses, and how to call it. */
export const operationHtml = (origin: string, method: string, path: string, operation: Operation): string => {
  const responses = Object.entries(operation.responses).map(([status, response]) =>
    responseHtml(status, response),
  )
  const open = `<span class="open">${credentialsOf(operation)}</span>`
  const described = operation.description === undefined ? "" : `<p>${proseHtml(operation.description)}</p>`
  return `<article id="${escapeHtml(operation.operationId)}">
<h3><span class="method ${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code> ${open}</h3>
<p>${proseHtml(operation.summary ?? "")}</p>${described}
<pre tabindex="0"><code>${escapeHtml(curlExample(origin, method, path, operation))}</code></pre>
${requestHtml(operation)}
<h4>Answers</h4><ul class="answers">${responses.join("")}</ul>
</article>`
}

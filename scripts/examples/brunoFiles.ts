import bruno from "@usebruno/lang"
import { idVariables, type MerchantRequest } from "./merchantRequests.ts"

const variable = (name: string, value: string) => ({ name, value, enabled: true })

const requestText = (request: MerchantRequest, seq: number): string => {
  const { name, method, idName, keeps, body, operationId } = request
  const query = request.query.filter(({ required }) => required).map((one) => `${one.name}=${one.value}`)
  const path = request.path.replace("{id}", ":id")
  return bruno.jsonToBruV2({
    meta: { name, type: "http", seq },
    http: {
      method: method.toLowerCase(),
      url: `{{baseUrl}}${path}${query.length > 0 ? `?${query.join("&")}` : ""}`,
      body: body === undefined ? "none" : "json",
      auth: "inherit",
    },
    params: [
      ...request.query.map((one) => ({
        ...{ name: one.name, value: one.value, type: "query" },
        enabled: one.required,
      })),
      ...(idName === undefined ? [] : [{ ...variable("id", `{{${idName}}}`), type: "path" }]),
    ],
    headers: request.takesIdempotencyKey ? [variable("Idempotency-Key", `${operationId}-{{$guid}}`)] : [],
    ...(body === undefined ? {} : { body: { json: body } }),
    vars: { res: keeps === undefined ? [] : [{ ...variable(keeps.name, keeps.at), local: false }] },
  })
}

const environment = {
  variables: [
    variable("baseUrl", "http://localhost:3000"),
    ...Object.entries(idVariables).map(([name, prefix]) => variable(name, `${prefix}_…`)),
    { ...variable("apiKey", ""), secret: true },
  ],
}

/** Turns `testControls` into `test-controls`. */
const folderOf = (section: string): string =>
  section.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const ended = (text: string): string => `${text.trimEnd()}\n`

/** The files of examples/bruno, by their path in it. */
export const brunoFiles = (requests: ReadonlyArray<MerchantRequest>): ReadonlyMap<string, string> => {
  const collection = { version: "1", name: "Corrente", type: "collection", ignore: [] }
  const auth = { mode: "bearer", bearer: { token: "{{apiKey}}" } }
  const files = new Map([
    ["bruno.json", JSON.stringify(collection, null, 2)],
    ["collection.bru", bruno.jsonToCollectionBru({ auth })],
    ["environments/local.bru", bruno.envJsonToBruV2(environment)],
    ...requests.map(
      (request, index) =>
        [`${folderOf(request.section)}/${request.operationId}.bru`, requestText(request, index + 1)] as const,
    ),
  ])
  return new Map([...files].map(([path, text]) => [path, ended(text)]))
}

/** JSON Schema in the document, with the keywords that our own code reads. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly enum?: ReadonlyArray<unknown>
  readonly examples?: ReadonlyArray<unknown>
}

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

export interface MediaType {
  readonly schema: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, JsonSchema>> | undefined
}

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, JsonSchema>>
  readonly content?: Readonly<Record<string, MediaType>>
}

export interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags: ReadonlyArray<string>
  /** The group that the operation is declared in. */
  readonly "x-section"?: string
  readonly security: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, MediaType>> }
  readonly responses: Readonly<Record<string, ResponseObject>>
}

interface Named {
  readonly name: string
  readonly description: string
}

/** Operations by method, by path or event type. */
type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** OpenAPI 3.1, as far as this contract uses it. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly contact?: Readonly<Record<string, string>>
    readonly license?: Readonly<Record<string, string>>
  }
  readonly servers: ReadonlyArray<{ readonly url: string; readonly description: string }>
  /** The readers. */
  readonly tags: ReadonlyArray<Named>
  /** The groups that operations are declared in, in reading order. */
  readonly "x-sections": ReadonlyArray<Named>
  readonly paths: Operations
  readonly webhooks?: Operations
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
    readonly headers: Readonly<Record<string, unknown>>
    readonly parameters: Readonly<Record<string, unknown>>
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>
  }
}

import type { HttpApi, HttpApiGroup } from "effect/http-api"
import type { Event } from "../../../client/src/types.ts"
import type { api } from "../../../schema/api/index.ts"

type Endpoint =
  typeof api extends HttpApi.HttpApi<infer _Id, infer Groups> ? HttpApiGroup.Endpoints<Groups> : never
type Endpoints = { readonly [E in Endpoint as `${E["method"]} ${E["path"]}`]: E }

/** A route of the contract: `GET /v1/me/transactions/:id`. */
export type Route = keyof Endpoints

type TypeOf<Part> = Part extends { readonly Type: infer Type } ? Type : never

/** Numbers are written into the address as text is; undefined and empty ones are left out. */
type QueryOf<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] | (string extends Fields[Name] ? number : never) | undefined
}
type Optional<Part> = Partial<Part> extends Part ? { readonly query?: Part } : { readonly query: Part }

/** What a route takes: its `:names`, its query and its body, as far as it has them. */
export type Given<R extends Route> = ([Endpoints[R]["~Params"]] extends [never]
  ? unknown
  : { readonly params: TypeOf<Endpoints[R]["~Params"]> }) &
  ([Endpoints[R]["~Query"]] extends [never] ? unknown : Optional<QueryOf<TypeOf<Endpoints[R]["~Query"]>>>) &
  ([Endpoints[R]["~Payload"]] extends [never] ? unknown : { readonly body: TypeOf<Endpoints[R]["~Payload"]> })

/** The client's types tell events apart; their schema in the contract is made when the service starts. */
interface EventAnswers {
  readonly "GET /v1/me/events": Page<Event>
  readonly "GET /v1/me/events/:id": Event
}

/** The JSON that a route answers; texts are for downloads. */
export type Answer<R extends Route> = R extends keyof EventAnswers
  ? EventAnswers[R]
  : Exclude<TypeOf<Endpoints[R]["~Success"]>, string>

/** A page of a list, as the service answers it. */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly next_cursor: string | null
}

/** Routes of lists, of which more is read on request. */
export type ListRoute = {
  [R in Route]: Answer<R> extends Page<unknown> ? R : never
}[Route]

/** What a list has. */
export type Item<R extends ListRoute> = Answer<R> extends Page<infer A> ? A : never

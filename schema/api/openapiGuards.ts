import { Context } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { limits } from "../limits.ts"
import { type MemberRole, memberRoles } from "../memberRoles.ts"
import { OptionalBody } from "./common.ts"
import { type Reader, readersOf } from "./readers.ts"
import {
  ApiKeyAuth,
  BrowserGuard,
  FeedAuth,
  KeyScope,
  OperatorAuth,
  RolesOfMembers,
  SellerAuth,
  type StepUpDemand,
  stepUpOf,
  TestModeOnly,
  UserAuth,
} from "./security.ts"

/** Facts about an operation that the generator does not know. */
export interface Guard {
  readonly readers: ReadonlyArray<Reader>
  readonly takesMode: boolean
  readonly isBodyOptional: boolean
  /** Who may call it, and what it needs besides. */
  readonly description: string
}

/** The guards of all operations, by operation id. */
export type Guards = ReadonlyMap<string, Guard>

const credentials: Readonly<Record<string, string>> = {
  [ApiKeyAuth.key]: "Takes an API key, which names the seller and the mode.",
  [FeedAuth.key]: "Takes an API key, or a seller's session with the mode in the query.",
  [SellerAuth.key]: "Takes a seller's session; `X-Mode` names the mode.",
  [UserAuth.key]: "Takes the session of any user.",
  [OperatorAuth.key]: "Takes an operator's session.",
  [BrowserGuard.key]: "Needs no credential. Pages of other sites are refused.",
}

const stepUpMinutes = limits.stepUpMillis / 60_000
const stepUpDescription = (stepUp: StepUpDemand): string => {
  if (stepUp === "once")
    return "Needs a second factor at some time in the session, such as the code at sign-in."
  const needed = `Needs a step-up: \`POST /v1/me/auth/step-up\` within the last ${stepUpMinutes} minutes`
  if (stepUp === "always") return `${needed}, always.`
  return `${needed}, unless the user has turned \`${stepUp}\` off in \`/v1/me/security/step-up-prefs\`.`
}

/** Nothing where everybody in the team may. */
const rolesDescription = (roles: ReadonlyArray<MemberRole>): ReadonlyArray<string> =>
  roles.length === memberRoles.length
    ? []
    : [`A session needs the role ${roles.map((role) => `\`${role}\``).join(" or ")}.`]

const testOnlyDescription = (keys: ReadonlyArray<string>): string =>
  keys.includes(ApiKeyAuth.key)
    ? "Live keys are refused."
    : "`live` is refused, and so is a missing `X-Mode`."

const guardOf = (endpoint: HttpApiEndpoint.Top): Guard => {
  const keys = [...endpoint.middlewares].map(({ key }) => key)
  const credential = keys.map((key) => credentials[key]).find((text) => text !== undefined)
  const stepUp = stepUpOf(endpoint)
  const isTestOnly = Context.get(endpoint.annotations, TestModeOnly)
  const scope = Context.get(endpoint.annotations, KeyScope)
  const roles = Context.get(endpoint.annotations, RolesOfMembers)
  return {
    readers: readersOf(endpoint),
    takesMode: keys.includes(SellerAuth.key),
    isBodyOptional: Context.get(endpoint.annotations, OptionalBody),
    description: [
      credential ?? "Needs no credential.",
      ...(scope === undefined ? [] : [`A key needs the scope \`${scope}\`.`]),
      ...(roles === undefined ? [] : rolesDescription(roles)),
      ...(isTestOnly ? [testOnlyDescription(keys)] : []),
      ...(stepUp === undefined ? [] : [stepUpDescription(stepUp)]),
    ].join(" "),
  }
}

/** The guards of all operations of a contract, by operation id. */
export const guardsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
): Guards => {
  const guards = new Map<string, Guard>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      guards.set(endpoint.identifier, guardOf(endpoint))
    },
  })
  return guards
}

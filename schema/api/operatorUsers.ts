import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { OperatorUser } from "../resources/operator.ts"
import { Email } from "../resources/transaction.ts"
import { listOf } from "./common.ts"
import {
  AwaitingSecondOperator,
  decisionFields,
  operatorDecision,
  operatorErrors,
} from "./operatorDecision.ts"
import { route } from "./route.ts"
import { OperatorAuth } from "./security.ts"

const UserAct = Schema.Struct(decisionFields).annotate({
  identifier: "UserAct",
  examples: [{ reason: "The laptop was stolen" }],
})

const act = operatorDecision(UserAct, OperatorUser)
const enabling = operatorDecision(UserAct, [OperatorUser, AwaitingSecondOperator])

/** Operators shut users out, and let them in again. */
export const operatorUsersGroup = HttpApiGroup.make("operatorUsers")
  .add(
    route.get("listUsers", "/v1/admin/users", {
      summary: "The users of a seller's team, its owner first, or of an e-mail address",
      query: {
        seller_id: Schema.optionalKey(Schema.String).annotateKey({
          description: "Only users in the team of this seller.",
        }),
        email: Schema.optionalKey(Email).annotateKey({ description: "Only the user of this address." }),
      },
      success: listOf(OperatorUser),
      errors: ["validation_failed", ...operatorErrors],
    }),
    route.post("disableUser", "/v1/admin/users/:id/disable", {
      ...act,
      summary: "Disable a user: everything it is signed in with ends, and it cannot sign in",
      body: "optional",
    }),
    route.post("enableUser", "/v1/admin/users/:id/enable", {
      ...enabling,
      summary: "Let a disabled user sign in again",
      body: "optional",
    }),
    route.post("endUserSessions", "/v1/admin/users/:id/end-sessions", {
      ...act,
      summary: "End all sessions, pending sign-ins and trusted devices of a user",
      body: "optional",
    }),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "Operators shut users out, and let them in again.")

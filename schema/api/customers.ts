import { HttpApiGroup, OpenApi } from "effect/http-api"
import { rolesFor } from "../memberRoles.ts"
import { Customer, MergeCustomer } from "../resources/customer.ts"
import { idParams, pageOf, pageQuery, windowQuery } from "./common.ts"
import { route } from "./route.ts"
import { ApiKeyAuth, SellerAuth } from "./security.ts"
import { wordsFilter } from "./transactions.ts"

const list = {
  summary: "Customers, the one with the newest charge first",
  query: {
    ...pageQuery,
    from: windowQuery.from.annotateKey({
      description:
        "Only customers whose newest charge was created then or later: a date-time with its zone, or a date, which starts at its first moment in America/Sao_Paulo.",
    }),
    to: windowQuery.to.annotateKey({
      description:
        "Only customers whose newest charge was created then or earlier: a date-time with its zone, or a date, which ends with its last millisecond in America/Sao_Paulo.",
    }),
    q: wordsFilter(
      "only customers that have each as the beginning of a word of the name, of the e-mail, or of the first six digits or more of the document, or as the six digits in the middle of a CPF; 11 digits are a whole CPF.",
    ),
  },
  success: pageOf(Customer),
} as const
const single = {
  summary: "A customer as it is now, or the one that it was merged into",
  params: idParams,
  success: Customer,
} as const
const ofCharge = { ...single, summary: "The customer of a charge" } as const

/** Customers. */
export const customersGroup = HttpApiGroup.make("customers")
  .add(
    route.get("listCustomers", "/v1/customers", {
      scope: "charges:read",
      ...list,
      errors: ["validation_failed", "invalid_cursor", "invalid_api_key"],
    }),
    route.get("getCustomer", "/v1/customers/:id", {
      scope: "charges:read",
      ...single,
      errors: ["invalid_api_key", "resource_not_found"],
    }),
    route.get("getTransactionCustomer", "/v1/transactions/:id/customer", {
      scope: "charges:read",
      ...ofCharge,
      errors: ["invalid_api_key", "resource_not_found"],
    }),
  )
  .middleware(ApiKeyAuth)
  .annotate(
    OpenApi.Description,
    "Who pays: made by themselves from charges, one for each document. Amounts are integers in centavos.",
  )

const session = ["validation_failed", "session_required", "permission_denied"] as const

/** The same for a session with `X-Mode`, which can merge too. */
export const sessionCustomersGroup = HttpApiGroup.make("sessionCustomers")
  .add(
    route.get("listMyCustomers", "/v1/me/customers", {
      roles: rolesFor.reading,
      ...list,
      errors: [...session, "invalid_cursor"],
    }),
    route.get("getMyCustomer", "/v1/me/customers/:id", {
      roles: rolesFor.reading,
      ...single,
      errors: [...session, "resource_not_found"],
    }),
    route.get("getMyTransactionCustomer", "/v1/me/transactions/:id/customer", {
      roles: rolesFor.reading,
      ...ofCharge,
      errors: [...session, "resource_not_found"],
    }),
    route.post("mergeCustomer", "/v1/me/customers/:id/merge", {
      roles: rolesFor.serving,
      summary: "Make a customer a part of another",
      params: idParams,
      payload: MergeCustomer,
      success: Customer,
      errors: [
        ...session,
        "origin_not_allowed",
        "resource_not_found",
        "invalid_state",
        "length_required",
        "payload_too_large",
        "unsupported_media_type",
      ],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "A seller's customers, for a dashboard.")

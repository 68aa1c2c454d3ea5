import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { Closing, ClosingDetail } from "../resources/closing.ts"
import { modeFilter, pageOf, pageQuery } from "./common.ts"
import { operatorErrors } from "./operatorDecision.ts"
import { route } from "./route.ts"
import { OperatorAuth } from "./security.ts"

/** Operators read the closings of days. */
export const closingsGroup = HttpApiGroup.make("closings")
  .add(
    route.get("listClosings", "/v1/admin/closings", {
      summary: "Closed days, newest first",
      query: { ...pageQuery, mode: modeFilter },
      success: pageOf(Closing),
      errors: ["validation_failed", "invalid_cursor", ...operatorErrors],
    }),
    route.get("getClosing", "/v1/admin/closings/:day", {
      summary: "A closed day: opening, movements and closing, of the platform and by seller",
      params: {
        day: Schema.String.annotateKey({ description: "A day of America/Sao_Paulo such as `2026-11-21`." }),
      },
      query: { ...pageQuery, mode: modeFilter },
      success: ClosingDetail,
      errors: ["validation_failed", "invalid_cursor", "resource_not_found", ...operatorErrors],
    }),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "The books of each day, closed half an hour after its end.")

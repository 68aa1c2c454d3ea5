import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { rolesFor } from "../memberRoles.ts"
import { CreateReport, Report } from "../resources/report.ts"
import { idParams, listOf } from "./common.ts"
import { route } from "./route.ts"
import { SellerAuth } from "./security.ts"

/** Reports by mail, for a session with `X-Mode` (`docs/contract/reports.md`). */
export const reportsGroup = HttpApiGroup.make("reports")
  .add(
    route.get("listReports", "/v1/me/reports", {
      roles: rolesFor.reading,
      summary: "Reports by mail, newest first",
      success: listOf(Report),
      errors: ["validation_failed", "session_required", "permission_denied"],
    }),
    route.post("createReport", "/v1/me/reports", {
      roles: rolesFor.reporting,
      summary: "Create a report that is mailed every day, week or month",
      stepUp: "webhook",
      payload: CreateReport,
      success: Report.pipe(HttpApiSchema.status(201)),
      errors: [
        ...["validation_failed", "session_required", "permission_denied", "origin_not_allowed"],
        ...["mfa_required", "kyc_required", "invalid_state", "length_required", "payload_too_large"],
        ...["unsupported_media_type", "rate_limited"],
      ] as const,
    }),
    route.post("sendReport", "/v1/me/reports/:id/send", {
      roles: rolesFor.reporting,
      summary: "Mail a report now, with its last whole day, week or month",
      params: idParams,
      success: Report.pipe(HttpApiSchema.status(202)),
      errors: [
        ...["validation_failed", "session_required", "permission_denied", "origin_not_allowed"],
        ...["resource_not_found", "invalid_state", "rate_limited"],
      ] as const,
    }),
    route.delete("deleteReport", "/v1/me/reports/:id", {
      roles: rolesFor.reporting,
      summary: "Delete a report and end all its links",
      params: idParams,
      success: HttpApiSchema.NoContent,
      errors: [
        ...["validation_failed", "session_required", "permission_denied", "origin_not_allowed"],
        "resource_not_found",
      ] as const,
    }),
  )
  .middleware(SellerAuth)
  .annotate(
    OpenApi.Description,
    "Reports that are mailed every day, week or month, to other people too, each with a link to its file.",
  )

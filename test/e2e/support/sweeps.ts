import type { ServiceHealth } from "../../../schema/api/operations.ts"
import type { Exception } from "../../../schema/resources/exception.ts"
import { until } from "../../support/until.ts"
import { eventually } from "./client.ts"
import type { DashboardClient } from "./dashboardClient.ts"
import type { Stage } from "./stage.ts"

/** All exceptions that are recorded, as operators see them. */
export const exceptionsNow = async ({ redis }: Pick<Stage, "redis">): Promise<ReadonlyArray<Exception>> => {
  const keys = (await redis("KEYS", "exception:*")) as ReadonlyArray<string>
  const documents = await Promise.all(keys.map((key) => redis("HGET", key, "document")))
  return documents.map((document) => JSON.parse(String(document)))
}

/** The exception of that kind with that end-to-end id among its details, once it is recorded. */
export const exceptionWhen = (
  stage: Pick<Stage, "redis">,
  kind: Exception["kind"],
  endToEndId: string,
): Promise<Exception> =>
  eventually(`the ${kind} of ${endToEndId}`, async () =>
    (await exceptionsNow(stage)).find(
      (found) => found.kind === kind && found.details.end_to_end_id === endToEndId,
    ),
  )

/** Why live payouts are frozen, as operators are told; null while they are not. */
export const freezeReason = async ({
  operator,
}: {
  readonly operator: DashboardClient
}): Promise<string | null | undefined> =>
  // While Redis is away the answer is an error.
  (await operator.get<Partial<ServiceHealth>>("/v1/admin/health")).body.payouts?.reason

/** Waits until live payouts are frozen for this reason, or (null) are not frozen. */
export const untilFrozenBy = (
  stage: { readonly operator: DashboardClient },
  reason: string | null,
): Promise<void> =>
  until(
    () => `payouts to be frozen by ${reason}`,
    async () => (await freezeReason(stage)) === reason,
  )

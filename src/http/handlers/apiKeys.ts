import { Effect } from "effect"
import type { apiKeysGroup } from "../../../schema/api/apiKeys.ts"
import { ApiKeyManagement } from "../../accounts/apiKeyManagement.ts"
import type { GroupHandlers } from "../request.ts"

/** Routes of API keys (spec 4.5). */
export const makeApiKeyHandlers = Effect.gen(function* () {
  const keys = yield* ApiKeyManagement

  const handlers: GroupHandlers<typeof apiKeysGroup> = {
    // Both modes, unless one is asked for in so many words.
    listApiKeys: ({ principal, browser }) =>
      Effect.map(keys.list(principal.sellerId, browser.mode === "" ? undefined : principal.mode), (data) => ({
        status: 200,
        body: JSON.stringify({ data }),
      })),

    createApiKey: ({ payload, principal }) =>
      Effect.map(keys.create(principal.sellerId, payload.mode, payload.name), (made) => ({
        status: 201,
        body: JSON.stringify(made),
      })),

    rotateApiKey: ({ params, principal }) =>
      Effect.map(keys.rotate(principal.sellerId, params.id), (made) => ({
        status: 201,
        body: JSON.stringify(made),
      })),

    deleteApiKey: ({ params, principal }) =>
      Effect.as(keys.delete(principal.sellerId, params.id), { status: 204, body: "" }),
  }
  return handlers
})

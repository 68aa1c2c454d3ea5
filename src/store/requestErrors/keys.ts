import type { Feed } from "../../../schema/ids.ts"
import { family, type KeyFamilies } from "../keyFamily.ts"
import { tagOf } from "../tags.ts"

/** Stream: a mode's newest refused requests (docs/contract/request-errors.md). */
export const requestErrorsKey = ({ sellerId, mode }: Feed): string =>
  `request-errors:${tagOf(sellerId)}:${sellerId}:${mode}`

/** The key family of refused requests. */
export const requestErrorFamilies: KeyFamilies = {
  ofMode: (feed) => [
    family("request errors", requestErrorsKey(feed), "stream", `newest refused requests in ${feed.mode}`),
  ],
}

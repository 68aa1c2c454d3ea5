/** One bucket of `GET /v1/me/series`: `at` is its start. */
export interface Point {
  readonly at: string
  readonly value: number | null
}

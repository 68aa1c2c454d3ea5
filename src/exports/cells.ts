import { localTimeOf } from "../../actors/values/saoPauloDays.ts"

/** A moment as clocks in São Paulo show it: `2026-11-21`, `09:00:00`, or one of the two. */
export interface LocalMoment {
  readonly day?: string
  readonly time?: string
}

/** What a cell of a sheet holds; numbers are centavos, null is nothing. */
export type Cell = string | number | LocalMoment | null

/** A moment of a resource in a sheet; nothing where it has not come. */
export const momentCell = (at: string | null): Cell => (at === null ? null : localTimeOf(Date.parse(at)))

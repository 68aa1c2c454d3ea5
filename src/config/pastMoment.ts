import { Schema } from "effect"
import { dayStartMillis } from "../../actors/values/saoPauloDays.ts"
import { DateTimeText } from "../../schema/api/common.ts"
import type { SettingKind } from "../env/settingKinds.ts"

const millisOf = (text: string): number => (text.includes("T") ? Date.parse(text) : dayStartMillis(text))

/** A date-time that is over, as text (RFC 3339 section 5.6); a date alone is its first moment in America/Sao_Paulo. */
export const pastMoment: SettingKind<string> = {
  codec: DateTimeText.check(Schema.makeFilter((text) => millisOf(text) <= Date.now())),
  mustBe: "a date-time with its zone that is not in the future, such as 2026-11-21T00:00:00-03:00",
}

/** The moment of such a text in ms; undefined stays so. */
export const momentMillis = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : millisOf(text)

import { programAndSystem } from "../../../../src/mail/deviceName.ts"

/** The device of a session, by its `User-Agent`, in our own names: the header says whatever its sender wants. */
export const deviceOf = (userAgent: string | null, unknown: string): string => {
  const names = programAndSystem(userAgent ?? "").filter((name) => name !== undefined)
  return names.length === 0 ? unknown : names.join(" · ")
}

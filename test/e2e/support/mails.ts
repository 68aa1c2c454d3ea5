import type { Stage } from "./stage.ts"

/** A mail as the stream `mail` has it. */
export interface StoredMail {
  readonly to: string
  readonly purpose: string
  readonly subject: string
  readonly text: string
}

/** What the service has mailed to an address, oldest first. */
export const mailsTo = async (stage: Stage, email: string): Promise<ReadonlyArray<StoredMail>> => {
  const entries = (await stage.redis("XRANGE", "mail", "-", "+")) as ReadonlyArray<[string, Array<string>]>
  return entries
    .map(([, fields]) => {
      const at = (name: string) => fields[fields.indexOf(name) + 1] ?? ""
      return { to: at("to"), purpose: at("purpose"), subject: at("subject"), text: at("text") }
    })
    .filter(({ to }) => to === email)
}

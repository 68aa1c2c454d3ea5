/** Headers of a tracker as people type them: `Name: value`, one a line; undefined where a line is none. */
export const parseHeaders = (text: string): Readonly<Record<string, string>> | undefined => {
  const headers: Record<string, string> = {}
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue
    const match = /^\s*(?<name>[^\s:]+)\s*:(?<value>.*)$/.exec(line)
    if (match?.groups?.name === undefined) return undefined
    headers[match.groups.name] = (match.groups.value ?? "").trim()
  }
  return headers
}

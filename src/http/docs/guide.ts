const sectionStart = /^## In ten minutes$/m
const nextSection = /^## /m

/** A link to another page of docs/, which is not served; the page of events has a counterpart that is. */
const servedLink = (text: string, target: string): string =>
  target.startsWith("contract/events.md") ? `[${text}](docs/events)` : text

/** The part of docs/guide.md that `/docs` begins with, in Markdown: its first section, with links that lead somewhere. */
export const tenMinuteGuide = (page: string): string => {
  const start = sectionStart.exec(page)
  if (start === null) throw new Error("docs/guide.md has no section `In ten minutes`")
  const rest = page.slice(start.index + start[0].length)
  const body = rest.slice(0, nextSection.exec(rest)?.index)
  const linked = body.replace(/\[([^\]]+)\]\((?!https?:)([^)]+)\)/g, (_, text: string, target: string) =>
    servedLink(text, target),
  )
  return `# In ten minutes\n${linked.replace(/^###/gm, "##").trimEnd()}\n`
}

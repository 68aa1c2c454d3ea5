/** Every page lies below it. */
const base = "/app"

/** Pages of somebody who is not signed in: nobody is led back to one. */
const entrances = ["/sign-in", "/sign-up", "/reset-password", "/two-factor-recovery", "/verify-email"]

/**
 * Where a sign-in leads: the path of `?next=`, below `/app` and with its query, or the first page. Anything that would leave the
 * application is not followed, whatever its form: other origins, `//host`, `..`, backslashes.
 */
export const nextPage = (wanted: string | null): string => {
  if (wanted === null || !/^\/(?![/\\])/.test(wanted)) return "/"
  const origin = "https://here.invalid"
  if (!URL.canParse(base + wanted, origin)) return "/"
  const url = new URL(base + wanted, origin)
  const isInside = url.origin === origin && url.pathname.startsWith(`${base}/`)
  const path = url.pathname.slice(base.length)
  if (!isInside || entrances.includes(path.replace(/\/+$/, ""))) return "/"
  return path + url.search
}

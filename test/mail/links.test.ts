import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { ApiError } from "../../schema/errors.ts"
import { Links, LinksLive } from "../../src/mail/links.ts"
import { anyUrl } from "../support/anyUrl.ts"

const base = "https://pay.example.com"
const dashboard = "https://dash.example.com:8443"
const links = Effect.runSync(Effect.provide(Links, LinksLive(base, [dashboard])))

/** The link to a redirect target, or the code and parameter of its refusal. */
const linkTo = (target: string | undefined, token = "t0ken"): string => {
  const wanted = links.wanted(target, "redirectTo", "/app/reset-password")
  return wanted instanceof ApiError ? `${wanted.code} at ${wanted.param}` : wanted(token)
}
const refused = "validation_failed at redirectTo"

describe("a link to one of our own paths", () => {
  it("a link to one of our paths carries the token in its query", () => {
    expect(links.to("/app/verify-email", "token", "t0ken")).toBe(`${base}/app/verify-email?token=t0ken`)
  })

  it("a link keeps the path of the service's public URL", () => {
    const below = Effect.runSync(Effect.provide(Links, LinksLive(`${base}/corrente`, [])))
    expect(below.to("/app/sign-up", "invite_token", "t0ken")).toBe(
      `${base}/corrente/app/sign-up?invite_token=t0ken`,
    )
    const wanted = below.wanted(undefined, "redirectTo", "/app/reset-password")
    expect(wanted instanceof ApiError ? wanted : wanted("t0ken")).toBe(
      `${base}/corrente/app/reset-password?token=t0ken`,
    )
  })

  it("a link uses the base URL that is current when the link is made", () => {
    let now = "http://localhost:0"
    const later = Effect.runSync(
      Effect.provide(
        Links,
        LinksLive(() => now, []),
      ),
    )
    now = "http://localhost:4000"
    expect(later.to("/app/sign-up", "invite_token", "t0ken")).toBe(`${now}/app/sign-up?invite_token=t0ken`)
    const wanted = later.wanted(`${now}/elsewhere`, "redirectTo", "/app/reset-password")
    expect(wanted instanceof ApiError ? wanted : wanted("t0ken")).toBe(`${now}/elsewhere?token=t0ken`)
  })

  it("a link carries any token unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (token) => {
        expect(
          new URL(links.to("/app/sign-up", "invite_token", token)).searchParams.get("invite_token"),
        ).toBe(token)
      }),
    )
  })
})

describe("a link to a caller's redirect target", () => {
  it("a link without a redirect target leads to our own page", () => {
    expect(linkTo(undefined)).toBe(`${base}/app/reset-password?token=t0ken`)
  })

  it("a redirect target may be on our origin or a dashboard's", () => {
    expect(linkTo("/a/b")).toBe(`${base}/a/b?token=t0ken`)
    expect(linkTo(`${base}/x`)).toBe(`${base}/x?token=t0ken`)
    expect(linkTo(`${dashboard}/new?lang=pt&token=old#form`)).toBe(
      `${dashboard}/new?lang=pt&token=t0ken#form`,
    )
  })

  it.each([
    ...[
      "nonsense",
      "a page",
      "reset-password",
      "?lang=pt",
      "#form",
      "",
      " ",
      "http:",
      "//dash.example.com:8443/x",
    ],
    ...[
      `${base}/a page`,
      `${base}/a\tb`,
      ` ${base}/x`,
      `${base}\\x`,
      `${base}/<x>`,
      `${base}/ação`,
      "/a b",
      "/\\x",
    ],
  ])("a redirect target that is no URI is refused: '%s'", (target) => {
    expect(linkTo(target)).toBe(refused)
  })

  it("redirect_to must be a whole URI, unlike callbackURL, which may be a path", () => {
    for (const target of ["/a/b", "/"]) {
      expect(links.wanted(target, "redirect_to", "/x")).toBeInstanceOf(ApiError)
      expect(links.wanted(target, "callbackURL", "/x")).not.toBeInstanceOf(ApiError)
    }
    expect(links.wanted(`${base}/a%20b`, "redirect_to", "/x")).not.toBeInstanceOf(ApiError)
  })

  it("each token gets a link of its own to the same redirect target", () => {
    const wanted = links.wanted("/a", "redirectTo", "/b")
    if (wanted instanceof ApiError) throw wanted
    expect([wanted("one"), wanted("two")]).toEqual([`${base}/a?token=one`, `${base}/a?token=two`])
  })

  it("a redirect target of another origin or scheme is refused at its parameter", () => {
    const foreign = [
      ...[
        "https://evil.example",
        "//evil.example/x",
        "/\\evil.example",
        "\\\\evil.example",
        "https:\\\\evil.example",
      ],
      ...["http://pay.example.com/", "https://pay.example.com:444/", "https://dash.example.com/"],
      ...[
        "https://pay.example.com.evil.example/",
        "https://pay.example.com@evil.example/",
        "https://xpay.example.com",
      ],
      ...[
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        `blob:${base}/1`,
        "http://",
        "https://a b/",
      ],
      ...["\thttps://evil.example", "ht\ntps://evil.example"],
    ]
    for (const target of foreign) expect([target, linkTo(target)]).toEqual([target, refused])
  })

  it.each([
    ...["https://ana@pay.example.com/x", "https://ana:senha@pay.example.com/x", "https://@pay.example.com/x"],
    ...[
      "https://:@pay.example.com/x",
      "https://pay.example.com@pay.example.com/x",
      "https://%40@pay.example.com/",
    ],
  ])("a redirect target with a user or password is refused, even at our own origin: '%s'", (target) => {
    expect(linkTo(target)).toBe(refused)
  })

  it.each([
    ...[
      "//pay.example.com/x",
      "///pay.example.com/x",
      "/.//evil.example",
      "/..//evil.example",
      "/a/..//evil.example",
    ],
    ...["/%2F/evil.example", "/%2fevil.example", "/a//b", "/%5Cevil.example", "/%5c%2Fevil.example"],
    ...[`${base}//evil.example`, `${base}/%2Fevil.example`, `${base}/a/..//evil.example`],
    ...["https:pay.example.com/x", "https:/pay.example.com/x", "https:///pay.example.com/x"],
    ...["/%252F/evil.example", "/%252fevil.example", "/%25252fevil.example"],
  ])("a redirect target with two slashes, or what may be read as such, is refused: '%s'", (target) => {
    expect(linkTo(target)).toBe(refused)
  })

  it.each([
    "/%00",
    "/a%0d%0aX",
    "/%7F",
    "/%09/x",
    "/x?next=%0a",
    "/x#%1b",
    "/%250a",
    `${base}/%C2%9B`,
    "/%",
    "/%zz",
    "/%c",
  ])("a redirect target with an encoded control character or a broken escape is refused: '%s'", (target) => {
    expect(linkTo(target)).toBe(refused)
  })

  it("a redirect target may have other escapes, an @ in its path, and slashes in its query", () => {
    expect(linkTo("/a%20b/@ana?back=https://shop.example//x&to=%2F%2F")).toBe(
      `${base}/a%20b/@ana?back=https%3A%2F%2Fshop.example%2F%2Fx&to=%2F%2F&token=t0ken`,
    )
    expect(linkTo(`${base}/a%C3%A7%C3%A3o`)).toBe(`${base}/a%C3%A7%C3%A3o?token=t0ken`)
  })

  it("a link has no user, and no second slash that starts an authority, whatever the redirect target", () => {
    const piece = fc.constantFrom(
      ...[
        "/",
        "//",
        "\\",
        "@",
        ":",
        ".",
        "..",
        "%2F",
        "%2f",
        "%5C",
        "%252F",
        "%0A",
        "%40",
        "%",
        "?",
        "#",
        "a",
        "evil.example",
      ],
    )
    const start = fc.constantFrom("", "/", base, `${base}/`, "https://ana@pay.example.com/", "https:")
    const text = fc
      .tuple(start, fc.array(piece, { maxLength: 10 }))
      .map(([beginning, parts]) => beginning + parts.join(""))
    fc.assert(
      fc.property(text, (target) => {
        const link = linkTo(target)
        if (link === refused) return
        const url = new URL(link)
        expect([base, dashboard]).toContain(url.origin)
        expect(url.username + url.password).toBe("")
        let path = url.pathname
        for (;;) {
          expect(path).not.toMatch(/\/\/|\\|\p{Cc}/u)
          const decoded = decodeURIComponent(path)
          if (decoded === path) return
          path = decoded
        }
      }),
    )
  })

  it("a link never leads to another origin, whatever the redirect target", () => {
    const piece = fc.constantFrom(
      ...["https:", "http:", "//", "/", "\\", "@", "pay.example.com", "evil.example"],
    )
    const text = fc.oneof(
      anyUrl,
      fc.string(),
      fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 8 }).map((parts) => parts.join("")),
    )
    fc.assert(
      fc.property(text, (target) => {
        const link = linkTo(target)
        if (link === refused) return
        expect([base, dashboard]).toContain(new URL(link).origin)
        expect(link).toMatch(/^https:\/\//)
      }),
    )
  })
})

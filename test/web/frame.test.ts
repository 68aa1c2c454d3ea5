import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { axe, type Cockpit, describePages, openCockpit, ready } from "./support/cockpit.ts"

describePages("the pages in a browser", () => {
  let cockpit: Cockpit
  beforeAll(async () => {
    cockpit = await openCockpit()
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  it("whoever is not signed in comes to the sign-in page, from / too", async () => {
    const page = await cockpit.open("/")
    expect(new URL(page.url()).pathname).toBe("/app/sign-in")
    await page.context().close()
  })

  it("a session's cookie is enough: the page is served under its own address, and again after a reload", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/charges", { as: seller })
    expect(new URL(page.url()).pathname).toBe("/app/charges")
    await page.reload()
    await ready(page)
    await expect.poll(() => page.getByTestId("sign-out").count()).toBe(1)
    await page.context().close()
  })

  it("what pages complain of is noticed: errors, exceptions, other origins, and what axe-core finds", async () => {
    const page = await cockpit.open("/app/sign-in")
    await page.evaluate("console.error('an error'); setTimeout(() => { throw new Error('thrown') })")
    await page.evaluate("new Image().src = 'https://elsewhere.example/x.png'")
    await page.evaluate("document.body.append(new Image())")
    const seen: Array<string> = []
    await expect
      .poll(() => {
        seen.push(...cockpit.complaints())
        return seen.join("\n")
      })
      .toMatch(/thrown/)
    expect(seen.join("\n")).toContain("/app/sign-in: an error")
    expect(seen.join("\n")).toMatch(/Content Security Policy|calls https:\/\/elsewhere\.example/)
    expect(await axe(page)).toContainEqual(expect.stringContaining("image-alt"))
    await page.context().close()
    cockpit.complaints()
  })
})

import type { Page } from "playwright-core"

/**
 * Sends the page's one form, or that of the open dialog, with Enter, and waits for its answer. A form that a busy service refused
 * for the moment is sent again.
 */
export const pressSubmit = async (page: Page): Promise<void> => {
  const form = page.locator("form", { has: page.getByTestId("submit") }).last()
  for (;;) {
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() !== "GET"),
      form.locator("input:not([type=checkbox])").last().press("Enter"),
    ])
    if (answer.status() !== 503) return
  }
}

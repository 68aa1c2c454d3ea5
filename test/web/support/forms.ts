import type { Page } from "playwright-core"

/**
 * Sends the page's one form, or that of the open dialog, with Enter, and waits for its answer. A form that a busy service refused
 * for the moment is sent again.
 */
export const pressSubmit = async (page: Page): Promise<void> => {
  for (;;) {
    const form = page.locator("form", { has: page.getByTestId("submit") }).last()
    await form.locator("input:not([type=checkbox])").last().press("Enter")
    await page.waitForFunction("document.querySelector('form[aria-busy=true]') === null")
    const refusal = page.locator('[data-testid="form-error"][data-code="service_unavailable"]')
    if ((await refusal.count()) === 0) return
  }
}

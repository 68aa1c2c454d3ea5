import type { Download, Page } from "playwright-core"

/** Saves what a page shows in a format, and waits for the file. */
export const saved = async (page: Page, format: string): Promise<Download> => {
  const waiting = page.waitForEvent("download")
  if (format !== "xlsx") await page.getByTestId("export-others").click()
  await page.getByTestId(`export-${format}`).click()
  return waiting
}

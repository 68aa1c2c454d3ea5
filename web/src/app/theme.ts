import { signal } from "@preact/signals"

/** `system` follows the device. */
export type Theme = "system" | "light" | "dark"

const themeKey = "corrente.theme"

const storedTheme = (): Theme => {
  const stored = localStorage.getItem(themeKey)
  return stored === "light" || stored === "dark" ? stored : "system"
}

/** The colours of all pages. */
export const theme = signal<Theme>(storedTheme())

/** Shows all pages in these colours from now on, also after a reload. */
export const chooseTheme = (next: Theme): void => {
  localStorage.setItem(themeKey, next)
  theme.value = next
}

/** Keeps `<html data-theme>` true, which the styles follow. */
export const followTheme = (): (() => void) =>
  theme.subscribe((value) => {
    if (value === "system") delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = value
  })

/** Where the pages of the dashboard are (`docs/decisions/0086-pages-built-once.md`). */
export const appPath = "/app"

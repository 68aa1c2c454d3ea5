/** Commands to copy, for the service at `baseUrl`. The key is read from the environment, so that it stands in no history twice. */
export const commandsFor = (baseUrl: string) => ({
  follow: `curl -N ${baseUrl}/events -H "Authorization: Bearer $CORRENTE_API_KEY"`,
  listen: [
    `export CORRENTE_BASE_URL=${baseUrl}`,
    "npx corrente listen --forward-to http://localhost:4000",
    "npx corrente trigger transaction.paid",
  ].join("\n"),
})

// Shows the reference. The service behind it is the one that served this page, whatever proxy is in between.
/* global Scalar */
const base = new URL("..", location.href).href.replace(/\/$/, "")

/** Gives every operation an Idempotency-Key of this visit: a key of the last one would bring back what it made. */
const withKeys = (shown) => {
  const key = `docs-${Date.now().toString(36)}`
  for (const { parameters = [] } of Object.values(shown.paths).flatMap(Object.values)) {
    for (const parameter of parameters) if (parameter.name === "Idempotency-Key") parameter.example = key
  }
  return shown
}

const show = async () => {
  const answer = await fetch(`${base}/docs/openapi.json`)
  if (!answer.ok) throw new Error(`The service answered ${answer.status}`)
  Scalar.createApiReference("#reference", {
    content: withKeys(await answer.json()),
    servers: [{ url: base, description: "This service" }],
    authentication: { preferredSecurityScheme: "apiKey" },
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    metaData: { title: "Corrente API" },
    documentDownloadType: "none",
    operationTitleSource: "summary",
    // Nothing is asked of, or told to, anyone else.
    agent: { disabled: true },
    hideClientButton: true,
    mcp: { disabled: true },
    showDeveloperTools: "never",
    telemetry: false,
    withDefaultFonts: false,
  })
}

show().catch((error) => {
  const message = document.createElement("p")
  message.className = "without-script"
  message.textContent = `The reference cannot be shown: ${error.message}. Load the page again.`
  document.querySelector("#reference").append(message)
})

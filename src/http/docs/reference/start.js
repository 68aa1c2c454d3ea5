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

/** Whether an element has more text than it shows, which only scrolling brings into sight. */
const scrolls = (element) => {
  const { overflowX, overflowY } = getComputedStyle(element)
  const isMore = (overflow, size, shown) => /auto|scroll/.test(overflow) && size > shown
  return (
    isMore(overflowX, element.scrollWidth, element.clientWidth) ||
    isMore(overflowY, element.scrollHeight, element.clientHeight)
  )
}

/** Lets the keyboard reach the code blocks that scroll: the reference makes them for the mouse only. */
const letKeyboardScroll = () => {
  for (const code of document.querySelectorAll("#reference pre, #reference code")) {
    let element = code
    while (element !== null && element.id !== "reference" && !scrolls(element))
      element = element.parentElement
    const isBlock = element !== null && element.id !== "reference" && !element.hasAttribute("tabindex")
    if (!isBlock || element.querySelector("a[href], button, input, select, textarea, [tabindex]")) continue
    element.tabIndex = 0
    element.setAttribute("role", "region")
    element.setAttribute("aria-label", "Code example")
  }
}

/** Looks for code blocks whenever the page has changed, once it has been still for a moment. */
const watchCodeBlocks = () => {
  let waiting
  const look = () => {
    clearTimeout(waiting)
    waiting = setTimeout(letKeyboardScroll, 150)
  }
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true })
  addEventListener("resize", look)
  look()
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

watchCodeBlocks()
show().catch((error) => {
  const message = document.createElement("p")
  message.className = "without-script"
  message.textContent = `The reference cannot be shown: ${error.message}. Load the page again.`
  document.querySelector("#reference").append(message)
})

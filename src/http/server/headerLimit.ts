/**
 * Maximum size of request line and headers; uWebSockets.js answers 431 above it. Its default of 4 KiB is too little
 * for dashboards' cookies and tracing headers; 16 KiB is Node's.
 */
const headerBytesMax = 16 * 1024

// The native module reads this once, when it loads, so this file must be imported first.
process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(headerBytesMax)

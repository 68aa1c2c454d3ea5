/**
 * Bytes of request line and headers that are read at most; above it uWebSockets.js answers 431 by itself. Its own
 * default of 4 KiB is less than what dashboards' cookies and tracing headers may take; 16 KiB is Node's.
 */
export const headerBytesMax = 16 * 1024

// The native module reads this once, when it loads: this file must be imported before it.
process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(headerBytesMax)

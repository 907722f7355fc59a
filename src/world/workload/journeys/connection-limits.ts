/** The limits of connections that users keep alive. */

/** Connections older than this are not reused. */
export const MAX_CONNECTION_AGE_MS = 1000
/** The number of idle connections to one origin that are kept. */
export const MAX_FREE_CONNECTIONS = 256

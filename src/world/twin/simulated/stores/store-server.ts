/** What the servers of all simulated stores have in common. */

/** Long enough for active requests, as for stores that listen on sockets. */
export const MAX_STORE_GRACE_MS = 200

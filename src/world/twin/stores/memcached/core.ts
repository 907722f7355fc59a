/** The parts of memcached that need no sockets. */
export { CLOSED_BY_CLIENT, CLOSED_BY_SERVER, createClientOver } from './memcached-client-over.ts'
export { MemcachedServer, TOO_LARGE } from './memcached-server.ts'

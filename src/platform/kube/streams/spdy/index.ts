/** Exec, attach and port-forward over SPDY/3.1. */
export { acceptSpdy } from './accept-spdy.ts'
export { acceptSpdyCommand } from './accept-spdy-command.ts'
export { serveSpdyPortForward } from './serve-spdy-port-forward.ts'

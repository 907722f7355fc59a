/** The SPDY/3.1 forms of exec, attach and port-forward. */
export { acceptSpdy } from './accept-spdy.ts'
export { acceptSpdyCommand } from './accept-spdy-command.ts'
export { serveSpdyPortForward } from './serve-spdy-port-forward.ts'

/** The upgraded connections of the API server: exec, attach and port-forward, over WebSocket and SPDY. */
export { servePortForward } from './serve-port-forward.ts'
export { serveRemoteCommand } from './serve-remote-command.ts'
export { refuseUpgrade, type Upgrade, upgradeRequired } from './upgrade.ts'

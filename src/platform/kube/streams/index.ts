/** Exec, attach and port-forward over WebSocket and SPDY. */

export { serveRemoteCommand } from './command/serve-remote-command.ts'
export { servePortForward } from './port-forward/serve-port-forward.ts'
export { rejectUpgrade, type Upgrade, upgradeRequired } from './upgrade.ts'

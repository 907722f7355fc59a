/** The upgraded connections of the API server: exec, attach and port-forward, over WebSocket and SPDY. */
export type { RemoteCommandOptions } from './command-connection.ts'
export type { ConnectToPort } from './forward-port.ts'
export { type PortForwardOptions, servePortForward } from './serve-port-forward.ts'
export { type CommandStreams, type RunCommand, serveRemoteCommand } from './serve-remote-command.ts'
export { refuseUpgrade, type Upgrade, upgradeRequired } from './upgrade.ts'

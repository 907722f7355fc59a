/** Exec, attach and port-forward over WebSocket. */
export { acceptWebSocket, webSocketStream } from './accept-web-socket.ts'
export { acceptWebSocketCommand } from './accept-web-socket-command.ts'
export { serveChannelPortForward } from './serve-channel-port-forward.ts'

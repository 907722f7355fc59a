/** Accepts exec and attach over a WebSocket. */
import {
  type CommandConnection,
  type RemoteCommandOptions,
  versionOf,
} from '../command/command-connection.ts'
import type { Upgrade } from '../upgrade.ts'
import { acceptWebSocket } from './accept-web-socket.ts'
import { createChannelSocket } from './channel-socket.ts'

const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const

const PROTOCOLS = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'v4.base64.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
  'base64.channel.k8s.io',
  '',
]

export const acceptWebSocketCommand = (
  upgrade: Upgrade,
  options: RemoteCommandOptions,
): CommandConnection | undefined => {
  const accepted = acceptWebSocket(upgrade, PROTOCOLS)
  if (accepted === undefined) return undefined
  const { webSocket, protocol } = accepted
  const version = versionOf(protocol)
  const format = { base64: protocol.includes('base64'), closable: version >= 5 }
  const socket = createChannelSocket(webSocket, format, options.clock)

  const stdout = options.stdout ? socket.openOutput(CHANNEL.stdout) : undefined
  const stderr = options.stderr ? socket.openOutput(CHANNEL.stderr) : undefined
  const error = socket.openOutput(CHANNEL.error)
  // An empty message on the first channel signals to clients that the command is connected.
  const first = stdout ?? stderr ?? error
  first.write(Buffer.alloc(0))
  return {
    version,
    stdin: options.stdin ? socket.openChannel(CHANNEL.stdin).input : undefined,
    stdout,
    stderr,
    error,
    resize: options.tty ? socket.openChannel(CHANNEL.resize).input : undefined,
    closed: socket.closed,
    close: socket.close,
  }
}

/** Port-forward over WebSocket channels: a data and an error channel for each port of the query. */
import type { WebSocket } from 'ws'
import type { Clock } from '#kit'
import type { Channel } from '../channel.ts'
import { createChannelSocket } from './channel-socket.ts'

/** Resolves when all connections have ended. `forward` resolves with an error message if it fails. */
export const serveChannelPortForward = async (
  webSocket: WebSocket,
  options: { base64: boolean; ports: readonly number[]; clock: Clock },
  forward: (channel: Channel, port: number) => Promise<string | undefined>,
): Promise<void> => {
  const socket = createChannelSocket(webSocket, { base64: options.base64, closable: false }, options.clock)
  const forwardToPort = async (port: number, index: number): Promise<void> => {
    const data = socket.openChannel(index * 2)
    const error = socket.openOutput(index * 2 + 1)
    const prefix = Buffer.alloc(2)
    prefix.writeUInt16LE(port, 0)
    data.output.write(prefix)
    error.write(prefix)
    const problem = await forward(data, port)
    if (problem !== undefined) error.write(problem)
    await new Promise<void>((resolve) => error.end(resolve))
  }
  await Promise.all(options.ports.map(forwardToPort))
  socket.close()
}

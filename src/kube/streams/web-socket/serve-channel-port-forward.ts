/** Port-forward over WebSocket channels: for every port in the query one channel for data and one for an error. */
import type { WebSocket } from 'ws'
import type { Clock } from '../../../kit/index.ts'
import type { Lane } from '../lane.ts'
import { createChannelSocket } from './channel-socket.ts'

/** Resolves when all connections are over. `forward` gives back what to tell the client if one failed. */
export const serveChannelPortForward = async (
  webSocket: WebSocket,
  options: { base64: boolean; ports: readonly number[]; clock: Clock },
  forward: (lane: Lane, port: number) => Promise<string | undefined>,
): Promise<void> => {
  const socket = createChannelSocket(webSocket, { base64: options.base64, closable: false }, options.clock)
  const forwardOne = async (port: number, index: number): Promise<void> => {
    const data = socket.openLane(index * 2)
    const error = socket.openOutput(index * 2 + 1)
    const prefix = Buffer.alloc(2)
    prefix.writeUInt16LE(port, 0)
    data.output.write(prefix)
    error.write(prefix)
    const problem = await forward(data, port)
    if (problem !== undefined) error.write(problem)
    await new Promise<void>((resolve) => error.end(resolve))
  }
  await Promise.all(options.ports.map(forwardOne))
  socket.close()
}

/** Receives datagrams on a socket. */
import type { ListenForDatagrams } from './start-jaeger-server.ts'

export const listenForDatagrams: ListenForDatagrams = async (port, onMessage) => {
  const { createSocket } = await import('node:dgram')
  const socket = createSocket('udp4')
  socket.on('message', (message) => onMessage(message.toString()))
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.bind(port, resolve)
  })
  return socket
}

/** Tests the HTTP client against a server that violates HTTP. The contract suite covers the rest. */
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { createHttpClient } from './create-http-client.ts'

it('reports a truncated response', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const client = createHttpClient({ address: async () => ({ host: '127.0.0.1', port }) })
  try {
    await expect(client.call({ method: 'GET', target: '/', headers: {} })).rejects.toMatchObject({
      kind: 'reset',
    })
  } finally {
    client.close()
    server.close()
  }
})

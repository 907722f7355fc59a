/** Spans in datagrams, to an agent that may not be there. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import type { Span } from '../../spec/index.ts'
import { createAgentLine } from './agent-line.ts'

const closing: (() => void)[] = []

afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const span: Span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: '00f067aa0ba902b7',
  name: 'GET /hotels',
  service: 'frontend',
  pod: 'frontend-0',
  kind: 'server',
  start: 1_700_000_000_000,
  durationMs: 4,
  status: 'ok',
  attributes: {},
}

const listen = async (port = 0): Promise<Socket> => {
  const socket = createSocket('udp4').bind(port, '127.0.0.1')
  await once(socket, 'listening')
  closing.push(() => socket.close())
  return socket
}

const lineTo = (port: number) => {
  const line = createAgentLine({ host: '127.0.0.1', port })
  closing.push(() => line.close())
  return (count: number) => {
    const spans = Array.from({ length: count }, () => span)
    line.send(spans, `${JSON.stringify({ spans })}\n`)
  }
}

/** How many spans have come. */
const counting = (socket: Socket) => {
  let count = 0
  socket.on('message', (message) => {
    count += JSON.parse(message.toString()).spans.length
  })
  return () => count
}

test('what is too much for one datagram comes in several', async () => {
  const agent = await listen()
  const arrived = counting(agent)
  const send = lineTo(agent.address().port)
  await expect
    .poll(() => {
      send(1)
      return arrived()
    })
    .toBeGreaterThan(0)
  const before = arrived()
  send(400)
  await expect.poll(arrived).toBeGreaterThanOrEqual(before + 400)
})

test('where nobody listens nothing happens, and who comes later is told', async () => {
  const probe = createSocket('udp4').bind(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise<void>((resolve) => probe.close(() => resolve()))
  const send = lineTo(port)
  for (let count = 0; count < 5; count++) {
    send(1)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const arrived = counting(await listen(port))
  await expect
    .poll(() => {
      send(1)
      return arrived()
    })
    .toBeGreaterThan(0)
})

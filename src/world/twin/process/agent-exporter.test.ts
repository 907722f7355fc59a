/** Tests the export of spans in datagrams to an agent. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import type { Span } from '#spec'
import { createAgentExporter } from './agent-exporter.ts'

const cleanups: (() => void)[] = []

afterEach(() => {
  for (const close of cleanups.splice(0)) close()
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

const startAgent = async (port = 0): Promise<Socket> => {
  const socket = createSocket('udp4').bind(port, '127.0.0.1')
  await once(socket, 'listening')
  cleanups.push(() => socket.close())
  return socket
}

const createSender = (port: number) => {
  const exporter = createAgentExporter({ host: '127.0.0.1', port })
  cleanups.push(() => exporter.close())
  return (count: number) => {
    const spans = Array.from({ length: count }, () => span)
    exporter.send(spans, `${JSON.stringify({ spans })}\n`)
  }
}

/** Counts the received spans. */
const countSpans = (socket: Socket) => {
  let count = 0
  socket.on('message', (message) => {
    count += JSON.parse(message.toString()).spans.length
  })
  return () => count
}

test('splits a batch that exceeds one datagram', async () => {
  const agent = await startAgent()
  const receivedCount = countSpans(agent)
  const send = createSender(agent.address().port)
  await expect
    .poll(() => {
      send(1)
      return receivedCount()
    })
    .toBeGreaterThan(0)
  const before = receivedCount()
  send(400)
  await expect.poll(receivedCount).toBeGreaterThanOrEqual(before + 400)
})

test('drops spans while no agent listens, and sends to one that starts later', async () => {
  const probe = createSocket('udp4').bind(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise<void>((resolve) => probe.close(() => resolve()))
  const send = createSender(port)
  for (let count = 0; count < 5; count++) {
    send(1)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const receivedCount = countSpans(await startAgent(port))
  await expect
    .poll(() => {
      send(1)
      return receivedCount()
    })
    .toBeGreaterThan(0)
})

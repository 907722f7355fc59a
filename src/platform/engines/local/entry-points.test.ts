/** Tests of entry points into a network namespace. Needs root. */
import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNetworkNamespace, listenInside, type NetworkNamespace, runChecked } from '#machine/linux'
import type { Client } from '#platform/kube'
import { type EntryPoints, openEntryPoints } from './entry-points.ts'

const PORT = 8080
/** An unused address that does not respond. */
const UNRESPONSIVE_ADDRESS = '10.99.0.9'
const SYN_SENT = '02'

let namespace: NetworkNamespace
let entryPoints: EntryPoints
/** Responds when the client has finished sending. */
const server = createServer({ allowHalfOpen: true }, async (socket) => {
  socket.end(`received ${(await text(socket)).length} characters`)
})

beforeAll(async () => {
  namespace = createNetworkNamespace()
  await runChecked('ip', ['link', 'set', 'lo', 'up'], { namespace })
  await runChecked('ip', ['link', 'add', 'nowhere', 'type', 'veth', 'peer', 'name', 'lost'], { namespace })
  await runChecked('ip', ['addr', 'add', '10.99.0.1/24', 'dev', 'nowhere'], { namespace })
  for (const end of ['nowhere', 'lost'])
    await runChecked('ip', ['link', 'set', end, 'arp', 'off', 'up'], { namespace })
  server.listen({ fd: listenInside(namespace, '127.0.0.1', PORT) })
  const addresses: Record<string, string> = { shop: '127.0.0.1', silent: UNRESPONSIVE_ADDRESS }
  const client = {
    get: (_kind: unknown, _namespace: string, name: string) => ({ spec: { clusterIP: addresses[name] } }),
  }
  const entries = ['shop', 'silent', 'none'].map((name) => ({
    name,
    namespace: 'n',
    service: name,
    port: PORT,
  }))
  entryPoints = await openEntryPoints(entries, { client: client as unknown as Client, namespace })
})
afterAll(async () => {
  await entryPoints.close()
  server.close()
  namespace.close()
})

const urlOf = (name: string): URL =>
  new URL(entryPoints.open.find((entryPoint) => entryPoint.name === name)!.url)
const connectTo = (name: string): Socket =>
  connect({ port: Number(urlOf(name).port), host: '127.0.0.1', allowHalfOpen: true })

/** Number of connections that are being established. */
const countConnecting = (): number =>
  namespace
    .inside(() => readFileSync('/proc/thread-self/net/tcp', 'utf8'))
    .split('\n')
    .filter((line) => line.trim().split(/\s+/)[3] === SYN_SENT).length

describe('an entry point', () => {
  it('forwards large requests of half-closed clients to the Service', async () => {
    for (const length of [1, 3_000_000]) {
      const socket = connectTo('shop')
      socket.end('x'.repeat(length))
      expect(await text(socket)).toBe(`received ${length} characters`)
    }
  })

  it('resets connections if there is no Service', async () => {
    await expect(fetch(urlOf('none'))).rejects.toThrow()
  })

  it('stops connecting when the client disconnects', async () => {
    const socket = connectTo('silent')
    socket.write('GET / HTTP/1.0\r\n\r\n')
    await expect.poll(countConnecting).toBe(1)
    socket.destroy()
    await expect.poll(countConnecting).toBe(0)
  })
})

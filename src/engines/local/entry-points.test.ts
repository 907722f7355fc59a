/** Needs root: doors that lead into a network namespace, for clients who stay and clients who go. */
import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../kube/index.ts'
import { createNetworkNamespace, listenInside, type NetworkNamespace, runChecked } from '../../linux/index.ts'
import { type EntryPoints, openEntryPoints } from './entry-points.ts'

const PORT = 8080
/** Nobody has it, and nobody says so. */
const SILENT = '10.99.0.9'
const SYN_SENT = '02'

let namespace: NetworkNamespace
let doors: EntryPoints
/** Answers when all has been said. */
const server = createServer({ allowHalfOpen: true }, async (socket) => {
  socket.end(`heard ${(await text(socket)).length} letters`)
})

beforeAll(async () => {
  namespace = createNetworkNamespace()
  await runChecked('ip', ['link', 'set', 'lo', 'up'], { namespace })
  await runChecked('ip', ['link', 'add', 'nowhere', 'type', 'veth', 'peer', 'name', 'lost'], { namespace })
  await runChecked('ip', ['addr', 'add', '10.99.0.1/24', 'dev', 'nowhere'], { namespace })
  for (const end of ['nowhere', 'lost'])
    await runChecked('ip', ['link', 'set', end, 'arp', 'off', 'up'], { namespace })
  server.listen({ fd: listenInside(namespace, '127.0.0.1', PORT) })
  const addresses: Record<string, string> = { shop: '127.0.0.1', silent: SILENT }
  const client = {
    get: (_kind: unknown, _namespace: string, name: string) => ({ spec: { clusterIP: addresses[name] } }),
  }
  const entries = ['shop', 'silent', 'none'].map((name) => ({
    name,
    namespace: 'n',
    service: name,
    port: PORT,
  }))
  doors = await openEntryPoints(entries, { client: client as unknown as Client, namespace })
})
afterAll(async () => {
  await doors.close()
  server.close()
  namespace.close()
})

const urlOf = (name: string): URL => new URL(doors.open.find((door) => door.name === name)!.url)
const enter = (name: string): Socket =>
  connect({ port: Number(urlOf(name).port), host: '127.0.0.1', allowHalfOpen: true })

/** How many connections inside wait for the other side. */
const trying = (): number =>
  namespace
    .inside(() => readFileSync('/proc/thread-self/net/tcp', 'utf8'))
    .split('\n')
    .filter((line) => line.trim().split(/\s+/)[3] === SYN_SENT).length

describe('a door', () => {
  it('leads to the Service, also for who says much and then only listens', async () => {
    for (const length of [1, 3_000_000]) {
      const socket = enter('shop')
      socket.end('x'.repeat(length))
      expect(await text(socket)).toBe(`heard ${length} letters`)
    }
  })

  it('refuses where there is no Service', async () => {
    await expect(fetch(urlOf('none'))).rejects.toThrow()
  })

  it('does not go on trying for a client who has gone', async () => {
    const socket = enter('silent')
    socket.write('GET / HTTP/1.0\r\n\r\n')
    await expect.poll(trying).toBe(1)
    socket.destroy()
    await expect.poll(trying).toBe(0)
  })
})

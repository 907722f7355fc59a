/** The contract of memcached servers and clients. */
import { describe, expect, it } from 'vitest'
import type { StoreClient } from '#world/twin/ports'
import type { WithStoreSubject } from './store-subject.ts'

const send = (client: StoreClient, ...memcached: unknown[]): Promise<unknown> =>
  client.query({ memcached }, 1000)

export const describeMemcached = (name: string, withSubject: WithStoreSubject): void => {
  describe(name, () => {
    it('returns stored values', () =>
      withSubject(async ({ startServer, createClient }) => {
        const client = createClient((await startServer()).port)
        expect(await send(client, 'set', 'text', 'ü\r\nEND\r\n')).toBe(true)
        expect(await send(client, 'set', 'map', { a: [1, null] }, 100)).toBe(true)
        expect(await send(client, 'get', 'text')).toBe('ü\r\nEND\r\n')
        expect(await send(client, 'gets', ['map', 'none', 'text'])).toEqual({
          map: { a: [1, null] },
          text: 'ü\r\nEND\r\n',
        })
        expect(await send(client, 'add', 'text', 'other')).toBe(false)
        expect(await send(client, 'delete', 'text')).toBe(true)
        expect(await send(client, 'get', 'text')).toBeNull()
        await send(client, 'set', 'n', '5')
        expect(await send(client, 'incr', 'n', 3)).toBe(8)
        expect(await send(client, 'incr', 'none', 3)).toBeNull()
        await expect(send(client, 'get', 'a\r\nflush_all')).rejects.toMatchObject({
          kind: 'answer',
          message: 'CLIENT_ERROR bad key "a\\r\\nflush_all"',
        })
        await expect(send(client, 'set', 'big', 'x'.repeat(2_000_000))).rejects.toMatchObject({
          message: 'SERVER_ERROR object too large for cache',
        })
      }))

    it('expires and evicts items', () =>
      withSubject(async ({ startServer, createClient, sleep }) => {
        const client = createClient((await startServer({ maxMemoryMiB: 1 })).port)
        await send(client, 'set', 'short', 'x', 1)
        await sleep(1100)
        expect(await send(client, 'get', 'short')).toBeNull()
        const big = 'x'.repeat(300_000)
        for (const key of ['a', 'b', 'c']) await send(client, 'set', key, big)
        await send(client, 'get', 'a')
        await send(client, 'set', 'd', big)
        expect(Object.keys((await send(client, 'gets', ['a', 'b', 'c', 'd'])) as object)).toEqual([
          'a',
          'c',
          'd',
        ])
      }))

    it('keeps a connection over the limit waiting until another one closes', () =>
      withSubject(async ({ startServer, createClient, sleep }) => {
        const { port } = await startServer({ maxConnections: 1 })
        const first = createClient(port)
        await send(first, 'set', 'a', 'b')
        let answered: unknown
        const waiting = send(createClient(port), 'get', 'a').then((value) => {
          answered = value
        })
        await sleep(30)
        expect(answered).toBeUndefined()
        first.close()
        await waiting
        expect(answered).toBe('b')
      }))

    it('reports a server that does not listen', () =>
      withSubject(async ({ startServer, createClient, host }) => {
        const server = await startServer()
        await server.close()
        await expect(send(createClient(server.port), 'get', 'a')).rejects.toMatchObject({
          kind: 'refused',
          message: `connect ECONNREFUSED ${host}:${server.port}`,
        })
      }))
  })
}

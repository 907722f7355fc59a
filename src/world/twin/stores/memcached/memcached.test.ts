/** Tests the memcached server over its text protocol, and the client. */
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { ListeningServer, StoreServerOptions } from '#world/twin/ports'
import { createMemcachedClient } from './create-memcached-client.ts'
import { startMemcachedServer } from './start-memcached-server.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

const start = async (options: Partial<StoreServerOptions> = {}): Promise<ListeningServer> => {
  const server = await startMemcachedServer({
    port: 0,
    users: [],
    databases: [],
    environment: {},
    log: () => undefined,
    onCommand: () => undefined,
    ...options,
  })
  cleanups.push(() => server.close())
  return server
}

const createSend = ({ port }: ListeningServer, options = {}) => {
  const client = createMemcachedClient({ address: async () => ({ host: '127.0.0.1', port }), ...options })
  cleanups.push(() => client.close())
  return (...memcached: unknown[]) => client.query({ memcached }, 1_000)
}

/** Sends the text and resolves with the output up to the pattern. */
const exchange = ({ port }: ListeningServer, text: string, until: RegExp): Promise<string> =>
  new Promise((resolve) => {
    let output = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => {
      output += chunk.toString()
      if (until.test(output)) socket.destroy()
    })
    socket.once('close', () => resolve(output))
  })

test('answers a batch of commands of the text protocol', async () => {
  const server = await start()
  const output = await exchange(
    server,
    'set a 5 0 3\r\nx\ry\r\nset n 0 0 1 noreply\r\n9\r\nincr n 3\r\nget a b n\r\ngets n\r\nadd a 0 0 1\r\nz\r\n' +
      'append a 0 0 2\r\n!!\r\nget a\r\ncas n 0 0 1 1\r\n1\r\ntouch a -1\r\nget a\r\ndelete a\r\nnonsense\r\n' +
      'set b 0 0 -1\r\ndecr n 99\r\nversion\r\n',
    /VERSION/,
  )
  expect(output.split('\r\n')).toEqual([
    ...['STORED', '12', 'VALUE a 5 3', 'x\ry', 'VALUE n 0 2', '12', 'END', 'VALUE n 0 2 3', '12', 'END'],
    ...[
      'NOT_STORED',
      'STORED',
      'VALUE a 5 5',
      'x\ry!!',
      'END',
      'EXISTS',
      'TOUCHED',
      'END',
      'NOT_FOUND',
      'ERROR',
    ],
    ...['CLIENT_ERROR bad data chunk', '0', 'VERSION 1.6.7', ''],
  ])
  const stats = await exchange(server, 'stats\r\n', /END/)
  expect(stats).toMatch(/STAT curr_items 1\r\n/)
  expect(stats).toMatch(/STAT get_hits 4\r\n/)
})

test('returns stored values to the client', async () => {
  const send = createSend(await start())
  expect(await send('set', 'text', 'ü\r\nEND\r\n')).toBe(true)
  expect(await send('set', 'map', { a: [1, null] }, 100)).toBe(true)
  expect(await send('get', 'text')).toBe('ü\r\nEND\r\n')
  expect(await send('gets', ['map', 'none', 'text'])).toEqual({ map: { a: [1, null] }, text: 'ü\r\nEND\r\n' })
  expect(await send('add', 'text', 'other')).toBe(false)
  expect(await send('delete', 'text')).toBe(true)
  expect(await send('get', 'text')).toBeNull()
  await expect(send('get', 'a\r\nflush_all')).rejects.toMatchObject({ kind: 'answer' })
  await expect(send('set', 'big', 'x'.repeat(2_000_000))).rejects.toMatchObject({
    message: 'SERVER_ERROR object too large for cache',
  })
  expect(await Promise.all([1, 2, 3].map((n) => send('set', `n${n}`, n)))).toEqual([true, true, true])
})

test('evicts the least recently used item when the memory is full', async () => {
  const send = createSend(await start({ maxMemoryMiB: 1 }))
  const big = 'x'.repeat(300_000)
  for (const key of ['a', 'b', 'c']) await send('set', key, big)
  await send('get', 'a')
  await send('set', 'd', big)
  expect(Object.keys((await send('gets', ['a', 'b', 'c', 'd'])) as object)).toEqual(['a', 'c', 'd'])
})

test('keeps a connection over the limit waiting until another one closes', async () => {
  const server = await start({ maxConnections: 1 })
  const first = createMemcachedClient({ address: async () => ({ host: '127.0.0.1', port: server.port }) })
  await first.query({ memcached: ['set', 'a', 'b'] })
  const second = createSend(server)
  const answer = second('get', 'a')
  const TIMED_OUT = Symbol('timed out')
  const pause = new Promise((resolve) => setTimeout(() => resolve(TIMED_OUT), 30))
  expect(await Promise.race([answer, pause])).toBe(TIMED_OUT)
  first.close()
  expect(await answer).toBe('b')
})

test('rejects oversized and malformed input', async () => {
  const server = await start()
  const large = `set big 0 0 3000000\r\n${'x'.repeat(3_000_000)}\r\nversion\r\nquit\r\n`
  expect(await exchange(server, large, /never/)).toBe(
    'SERVER_ERROR object too large for cache\r\nVERSION 1.6.7\r\n',
  )
  const huge = 'set big 0 0 999999999999999\r\nversion\r\n'
  expect(await exchange(server, huge, /too large/)).toBe('SERVER_ERROR object too large for cache\r\n')
  expect(await exchange(server, 'y'.repeat(200_000), /never/)).toBe('ERROR\r\n')
  const full = `set a 0 0 900000\r\n${'x'.repeat(900_000)}\r\nget${' a'.repeat(20_000)}\r\n`
  expect(await exchange(server, full, /END|SERVER_ERROR/)).toContain(
    'SERVER_ERROR out of memory writing get response',
  )
  expect(await createSend(server)('get', 'a')).toHaveLength(900_000)
})

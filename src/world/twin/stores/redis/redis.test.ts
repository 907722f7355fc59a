/** Tests the Redis server with the ioredis client library, and the client of the twin. */
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterEach, expect, test } from 'vitest'
import { CallFailure, type ListeningServer, type StoreServerOptions } from '#world/twin/ports'
import { processHost } from '../process-host.ts'
import { startStoreProcess } from '../testing/store-process.ts'
import { createRedisClient } from './create-redis-client.ts'
import { Dataset, findCommand } from './dataset.ts'
import { createMatcher } from './glob.ts'
import { RespReader } from './resp.ts'
import { startRedisServer } from './start-redis-server.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const start = async (options: Partial<StoreServerOptions> = {}): Promise<ListeningServer> => {
  const server = await startRedisServer({
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

const connectTo = ({ port }: ListeningServer, options = {}): Redis => {
  const redis = new Redis({ port, retryStrategy: () => null, maxRetriesPerRequest: 0, ...options })
  redis.on('error', () => undefined)
  cleanups.push(() => redis.disconnect())
  return redis
}

const createClient = ({ port }: { port: number }, options = {}) => {
  const client = createRedisClient({ address: async () => ({ host: '127.0.0.1', port }), ...options })
  cleanups.push(() => client.close())
  return client
}

test('answers a real client for every type of value', async () => {
  const redis = connectTo(await start())
  expect(await redis.set('a', 'ü', 'EX', 100)).toBe('OK')
  expect(await redis.get('a')).toBe('ü')
  expect(await redis.ttl('a')).toBe(100)
  expect(await redis.set('a', 'other', 'NX')).toBeNull()
  expect(await redis.incrby('n', 41)).toBe(41)
  expect(await redis.incr('n')).toBe(42)
  await expect(redis.incr('a')).rejects.toThrow('ERR value is not an integer or out of range')
  expect(await redis.hset('h', { one: '1', two: '2' })).toBe(2)
  expect(await redis.hgetall('h')).toEqual({ one: '1', two: '2' })
  expect(await redis.rpush('l', 'b', 'c')).toBe(2)
  expect(await redis.lpush('l', 'a', 'z')).toBe(4)
  expect(await redis.lrange('l', 0, -1)).toEqual(['z', 'a', 'b', 'c'])
  expect(await redis.lrange('l', 1, -2)).toEqual(['a', 'b'])
  expect(await redis.sadd('s', 'x', 'y', 'x')).toBe(2)
  expect(await redis.zadd('z', 3, 'three', 1, 'one', 2, 'two')).toBe(3)
  expect(await redis.zadd('z', 0, 'three')).toBe(0)
  expect(await redis.call('ZRANGE', 'z', 0, -1, 'WITHSCORES')).toEqual(['three', '0', 'one', '1', 'two', '2'])
  expect(await redis.zrevrange('z', 0, 1)).toEqual(['two', 'one'])
  expect(await redis.zrangebyscore('z', '(0', 99)).toEqual(['one', 'two'])
  await expect(redis.get('z')).rejects.toThrow('WRONGTYPE')
  expect(await redis.type('z')).toBe('zset')
  expect((await redis.keys('*')).sort()).toEqual(['a', 'h', 'l', 'n', 's', 'z'])
  expect(await redis.scan(0, 'MATCH', '?', 'COUNT', 100)).toEqual(['0', ['a', 'n', 'h', 'l', 's', 'z']])
  expect(await redis.lpop('l', 9)).toHaveLength(4)
  expect(await redis.exists('l')).toBe(0)
  await expect(redis.call('NONSENSE', 'x')).rejects.toThrow(
    'ERR unknown command `NONSENSE`, with args beginning with: `x`, ',
  )
})

test('preserves binary values and answers a pipeline in order', async () => {
  const redis = connectTo(await start())
  const bytes = Buffer.from([0, 255, 13, 10, 36, 200])
  await redis.set('raw', bytes)
  expect(await redis.getBuffer('raw')).toEqual(bytes)
  const pipeline = redis.pipeline()
  for (let round = 0; round < 500; round++) pipeline.incr('count')
  const replies = await pipeline.exec()
  expect(replies?.map(([, value]) => value)).toEqual(Array.from({ length: 500 }, (_, index) => index + 1))
})

test('requires a password, which can be set and removed at run time', async () => {
  const server = await start({ users: [{ name: 'default', password: 'secret' }] })
  await expect(createClient(server).query({ redis: ['GET', 'a'] })).rejects.toMatchObject({
    kind: 'login',
    message: 'NOAUTH Authentication required.',
  })
  const wrong = createClient(server, { login: { user: 'default', password: 'no' } })
  await expect(wrong.query({ redis: ['PING'] })).rejects.toMatchObject({ kind: 'login' })
  const right = createClient(server, { login: { user: '', password: 'secret' } })
  expect(await right.query({ redis: ['CONFIG', 'SET', 'requirepass', ''] })).toBe('OK')
  expect(await createClient(server).query({ redis: ['PING'] })).toBe('PONG')
})

test('restores confirmed changes after a restart, even if the file is truncated', async () => {
  const folder = makeFolder()
  const first = await start({ folder })
  const client = createClient(first)
  await client.query({ redis: ['SET', 'a', 'ä'] })
  await client.query({ redis: ['SET', 'short', '1', 'PX', 30] })
  await client.query({ redis: ['ZADD', 'z', 2, 'b', 1, 'a'] })
  const thirdDatabase = connectTo(first, { db: 3 })
  await thirdDatabase.rpush('l', '1', '2')
  await first.close()
  appendFileSync(join(folder, 'appendonly.aof'), '*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$5\r\nab')
  await new Promise((resolve) => setTimeout(resolve, 40))
  const second = await start({ folder })
  const restarted = createClient(second)
  expect(await restarted.query({ redis: ['GET', 'a'] })).toBe('ä')
  expect(await restarted.query({ redis: ['GET', 'short'] })).toBeNull()
  expect(await restarted.query({ redis: ['ZRANGE', 'z', 0, -1] })).toEqual(['a', 'b'])
  expect(await connectTo(second, { db: 3 }).lrange('l', 0, -1)).toEqual(['1', '2'])
  await restarted.query({ redis: ['SET', 'x', 'whole'] })
  await second.close()
  expect(await createClient(await start({ folder })).query({ redis: ['GET', 'x'] })).toBe('whole')
})

test('limits memory and clients', async () => {
  const server = await start({ maxMemoryMiB: 1, maxConnections: 2 })
  const client = createClient(server)
  const big = 'x'.repeat(300_000)
  for (const key of ['a', 'a', 'a', 'a', 'b', 'c', 'd']) await client.query({ redis: ['SET', key, big] })
  await expect(client.query({ redis: ['SET', 'e', big] })).rejects.toMatchObject({
    kind: 'answer',
    message: "OOM command not allowed when used memory > 'maxmemory'.",
  })
  expect(await client.query({ redis: ['DEL', 'a'] })).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 110))
  expect(await client.query({ redis: ['SET', 'd', big] })).toBe('OK')
  const second = createClient(server)
  await second.query({ redis: ['PING'] })
  await expect(createClient(server).query({ redis: ['PING'] })).rejects.toMatchObject({
    message: 'ERR max number of clients reached',
  })
})

test('limits the time that a client waits for a connection and for an answer', async () => {
  const server = await start()
  const client = createClient(server, { poolSize: 1, poolWaitMs: 10_000 })
  const stuck = createRedisClient({
    address: () => new Promise(() => undefined),
    poolSize: 1,
    poolWaitMs: 20,
  })
  void stuck.query({ redis: ['PING'] }, 100).catch(() => undefined)
  await expect(stuck.query({ redis: ['PING'] })).rejects.toMatchObject({ kind: 'pool' })
  await expect(stuck.query({ redis: ['PING'] }, 5)).rejects.toMatchObject({ kind: 'timeout' })
  const increments = Array.from({ length: 50 }, () => client.query({ redis: ['INCR', 'n'] }))
  expect((await Promise.all(increments)).at(-1)).toBe(50)
  await server.close()
  await expect(client.query({ redis: ['PING'] })).rejects.toBeInstanceOf(CallFailure)
  await expect(client.query({ redis: ['PING'] })).rejects.toMatchObject({ kind: 'refused' })
})

test('rejects writes while the disk is full, and keeps earlier ones after a crash', async () => {
  const folder = makeFolder()
  const first = await startStoreProcess('redis', { folder })
  cleanups.push(() => first.kill())
  const client = createClient(first)
  await client.query({ redis: ['SET', 'a', 'x'.repeat(10_000)] })
  const { size } = statSync(join(folder, 'appendonly.aof'))
  expect(size).toBeGreaterThan(10_000)
  first.limitFileSize(size + 100)
  const writeError = { kind: 'answer', message: 'MISCONF Errors writing to the AOF file: File too large' }
  await expect(client.query({ redis: ['SET', 'b', 'y'.repeat(500)] })).rejects.toMatchObject(writeError)
  await expect(client.query({ redis: ['DEL', 'a'] })).rejects.toMatchObject(writeError)
  expect(await client.query({ redis: ['EXISTS', 'a'] })).toBe(1)
  expect(statSync(join(folder, 'appendonly.aof')).size).toBe(size)
  first.limitFileSize()
  await expect.poll(() => client.query({ redis: ['SET', 'c', '1'] }).catch(() => 'refused')).toBe('OK')
  await first.kill()
  const second = createClient(await start({ folder }))
  expect(await second.query({ redis: ['MGET', 'b', 'c'] })).toEqual(['y'.repeat(500), '1'])
  expect(await second.query({ redis: ['STRLEN', 'a'] })).toBe(10_000)
})

/** Sends the pieces and resolves with the output when the server closes the connection. */
const exchange = ({ port }: ListeningServer, ...pieces: string[]): Promise<string> =>
  new Promise((resolve) => {
    let output = ''
    const socket = connect(port, '127.0.0.1', () => {
      for (const piece of pieces) socket.write(piece, 'latin1')
    })
    socket.on('data', (chunk) => {
      output += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(output))
  })

test('closes only the connection of a client that sends malformed input', async () => {
  const server = await start()
  expect(await exchange(server, 'PING\r\n*33000000\r\n')).toBe(
    '+PONG\r\n-ERR Protocol error: invalid multibulk length\r\n',
  )
  expect(await exchange(server, '*1\r\n', '*1\r\n')).toBe("-ERR Protocol error: expected '$', got '*'\r\n")
  expect(await exchange(server, '*1\r\n$-1\r\n')).toContain('invalid bulk length')
  expect(await exchange(server, 'x'.repeat(100_000))).toContain('too big inline request')
  expect(await exchange(server, 'PING\r\nQUIT\r\nPING\r\n')).toBe('+PONG\r\n+OK\r\n')
  const redis = connectTo(server)
  await expect(redis.call('CONFIG', 'GET', '(')).resolves.toEqual([])
  await expect(redis.keys('[z-a')).resolves.toEqual([])
  await expect(redis.call('a\r\nb')).rejects.toThrow('ERR unknown command `a  b`')
  const many = Array.from({ length: 200_000 }, (_, index) => String(index))
  const client = createClient(server)
  expect(await client.query({ redis: ['RPUSH', 'l', ...many] })).toBe(200_000)
  expect(await client.query({ redis: ['LPUSH', 'l', ...many] })).toBe(400_000)
})

test('stops answering a client that does not read', async () => {
  const server = await start()
  const redis = connectTo(server)
  await redis.set('big', 'x'.repeat(1_000_000))
  const socket = connect(server.port, '127.0.0.1')
  cleanups.push(() => socket.destroy())
  socket.pause()
  const before = process.memoryUsage().rss
  socket.write('GET big\r\n'.repeat(2_000))
  await expect.poll(() => redis.ping()).toBe('PONG')
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(process.memoryUsage().rss - before).toBeLessThan(500_000_000)
})

test('parses values that arrive in pieces', () => {
  const text = '*2\r\n$3\r\nGET\r\n$5\r\na\r\nbc\r\nPING\r\n'
  const reader = new RespReader()
  const commands: (readonly string[])[] = []
  for (const character of text) {
    reader.push(Buffer.from(character, 'latin1'))
    for (let words = reader.nextCommand(); words !== undefined; words = reader.nextCommand())
      commands.push(words)
  }
  expect(commands).toEqual([['GET', 'a\r\nbc'], ['PING']])
})

test.each([
  ['a*c', 'abbc', true],
  ['a*c', 'abbd', false],
  ['h[^a-c]llo', 'hello', true],
  ['h[^a-e]llo', 'hello', false],
  ['h[e-a]llo', 'hello', true],
  ['a\\*', 'a*', true],
  ['a\\*', 'ab', false],
  ['?', '', false],
  ['***', '', true],
  [`${'*a'.repeat(30)}b`, 'a'.repeat(5_000), false],
])('matches the pattern %s against %s: %s', (glob, text, matches) => {
  expect(createMatcher(glob)(text)).toBe(matches)
})

const run = (data: Dataset, ...words: string[]): unknown =>
  data.run(0, words[0]!, findCommand(words[0]!)!, words)

test('rewrites a file that has grown, and keeps its data', async () => {
  const folder = makeFolder()
  const data = new Dataset(processHost)
  const logged: string[] = []
  await data.open(folder, (_, text) => logged.push(text), 2_000)
  const many = Array.from({ length: 2_500 }, (_, index) => `m${index}`)
  run(data, 'RPUSH', 'list', ...many)
  run(data, 'SADD', 'set', ...many)
  for (let round = 0; round < 300; round++) {
    run(data, 'INCR', 'n')
    run(data, 'SET', 'k', String(round), 'EX', '1000')
    await data.settle()
  }
  await data.close()
  expect(logged).toContain('Background AOF rewrite finished successfully')
  const restarted = new Dataset(processHost)
  await restarted.open(folder, () => undefined, 2_000)
  cleanups.push(() => restarted.close())
  expect([run(restarted, 'GET', 'n'), run(restarted, 'GET', 'k'), run(restarted, 'TTL', 'k')]).toEqual([
    '300',
    '299',
    1000,
  ])
  expect(run(restarted, 'LRANGE', 'list', '0', '-1')).toEqual(many)
  expect(run(restarted, 'SCARD', 'set')).toBe(2_500)
})

test('removes keys that expired before a restart, and keeps those created later', async () => {
  const folder = makeFolder()
  const data = new Dataset(processHost)
  await data.open(folder, () => undefined)
  run(data, 'SET', 'a', '1', 'PX', '30')
  run(data, 'INCR', 'a')
  run(data, 'SET', 'b', '7', 'PX', '30')
  run(data, 'SET', 'c', '7')
  run(data, 'EXPIRE', 'c', '-1')
  run(data, 'INCR', 'c')
  await new Promise((resolve) => setTimeout(resolve, 50))
  run(data, 'INCR', 'b')
  await data.close()
  const restarted = new Dataset(processHost)
  await restarted.open(folder, () => undefined)
  cleanups.push(() => restarted.close())
  expect(['a', 'b', 'c'].map((key) => run(restarted, 'GET', key))).toEqual([null, '1', '1'])
})

test('fails only the call if the server speaks another protocol', async () => {
  const otherServer = createServer((socket) => socket.end('J\0\0\0\n5.7.34\0')).listen(0)
  cleanups.push(() => otherServer.close())
  const client = createClient(otherServer.address() as { port: number })
  await expect(client.query({ redis: ['PING'] }, 5_000)).rejects.toMatchObject({ kind: 'reset' })
})

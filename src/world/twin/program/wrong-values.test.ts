/** Tests the effects of wrong values in the environment and in files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Behaviour } from '#spec'
import { createTestTwins, type TestTwins, type TwinUnderTest } from './testing/create-test-twins.ts'

let testTwins: TestTwins
let folder: string
beforeEach(async () => {
  testTwins = await createTestTwins()
  folder = mkdtempSync(join(tmpdir(), 'wrong-values-'))
})
afterEach(async () => {
  await testTwins.close()
  rmSync(folder, { recursive: true })
})

const statusOf = async ({ port }: TwinUnderTest, path = '/'): Promise<number> =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).status

/** Responds after 200 ms. */
const BACK: Behaviour = {
  protocol: 'http',
  endpoints: { 'GET /': { steps: [{ wait: '200' }], reply: '1' } },
}

const FRONT: Behaviour = {
  protocol: 'http',
  logFormat: 'spring',
  logLevel: 'get(env, "LOG_LEVEL", "info")',
  upstreams: {
    back: {
      address: 'env.BACK_ADDR',
      timeout: 'int(get(env, "TIMEOUT_MS", "5000"))',
      pool: { size: 'int(get(env, "POOL", "10"))', waitMs: '50' },
    },
  },
  endpoints: {
    'GET /': {
      steps: [
        { log: '"asks"', level: 'debug' },
        { call: 'back GET /', as: 'one' },
      ],
      reply: 'one',
    },
  },
}

describe('a service', () => {
  it('logs the failed connection if the address or port of an upstream is wrong', async () => {
    await testTwins.start('back', BACK)
    const wrongPort = await testTwins.start('front', FRONT, { BACK_ADDR: '127.0.0.1:1' })
    expect(await statusOf(wrongPort)).toBe(500)
    expect(wrongPort.lines.at(-1)).toMatch(/ResourceAccessException: .*"http:\/\/back\/".*Connection refused/)
    const wrongHost = await testTwins.start('front', FRONT, { BACK_ADDR: 'back.invalid:80' })
    expect(await statusOf(wrongHost)).toBe(500)
    expect(wrongHost.lines.at(-1)).toContain('UnknownHostException: back')
    const invalidAddress = await testTwins.start('front', FRONT, { BACK_ADDR: 'back:http' })
    expect(await statusOf(invalidAddress)).toBe(500)
  })

  it('cannot log in with a wrong password', async () => {
    await testTwins.start('mysql', {
      protocol: 'mysql',
      store: { users: [{ name: '"ts"', password: '"right"' }], databases: ['ts'] },
    })
    const behaviour: Behaviour = {
      protocol: 'http',
      logFormat: 'spring',
      upstreams: {
        mysql: {
          address: 'env.MYSQL_ADDR',
          login: { user: '"ts"', password: 'env.PASSWORD', database: '"ts"' },
        },
      },
      endpoints: { 'GET /': { steps: [{ query: 'mysql', sql: 'SELECT 1' }] } },
    }
    expect(await statusOf(await testTwins.start('front', behaviour, { PASSWORD: 'right' }))).toBe(200)
    const wrongPassword = await testTwins.start('front', behaviour, { PASSWORD: 'wrong' })
    expect(await statusOf(wrongPassword)).toBe(500)
    expect(wrongPassword.lines.at(-1)).toMatch(
      /Unable to acquire JDBC Connection of mysql.*Access denied for user 'ts'/,
    )
  })

  it('fails the second concurrent call if its pool has one connection', async () => {
    await testTwins.start('back', BACK)
    const callTwice = async (pool: string): Promise<number[]> => {
      const front = await testTwins.start('front', FRONT, { POOL: pool })
      return (await Promise.all([statusOf(front), statusOf(front)])).sort()
    }
    expect(await callTwice('2')).toEqual([200, 200])
    expect(await callTwice('1')).toEqual([200, 500])
    await expect(testTwins.start('front', FRONT, { POOL: '0' })).rejects.toThrow('cannot be less than 1')
  })

  it('fails if a timeout is too short, and does not start if it is not a number', async () => {
    await testTwins.start('back', BACK)
    const shortTimeout = await testTwins.start('front', FRONT, { TIMEOUT_MS: '20' })
    expect(await statusOf(shortTimeout)).toBe(500)
    expect(shortTimeout.lines.at(-1)).toContain('Read timed out')
    await expect(testTwins.start('front', FRONT, { TIMEOUT_MS: 'soon' })).rejects.toThrow(
      'upstreams.back.timeout',
    )
  })

  it('logs at the configured level', async () => {
    await testTwins.start('back', BACK)
    const countLinesAt = async (level: string): Promise<number> => {
      const front = await testTwins.start('front', FRONT, { LOG_LEVEL: level, BACK_ADDR: '127.0.0.1:1' })
      await statusOf(front)
      return front.lines.length
    }
    expect(await countLinesAt('DEBUG')).toBe(2)
    expect(await countLinesAt('info')).toBe(1)
  })

  it('does not start with an invalid file, and reports its path', async () => {
    const path = join(folder, 'config.json')
    const behaviour: Behaviour = {
      protocol: 'http',
      files: { main: { path, format: 'json' } },
      listen: 'int(config.main.port)',
      endpoints: { 'GET /': { reply: 'config.main.greeting' } },
    }
    writeFileSync(path, '{"port": 0, "greeting": ')
    await expect(testTwins.start('front', behaviour)).rejects.toThrow(`${path} is not valid JSON`)
    writeFileSync(path, '{"greeting": "hello"}')
    await expect(testTwins.start('front', behaviour)).rejects.toThrow('front.listen')
    writeFileSync(path, '{"port": 0, "greeting": "hello"}')
    const front = await testTwins.start('front', behaviour)
    writeFileSync(path, 'broken later, and not read again')
    expect(await statusOf(front)).toBe(200)
  })
})

describe('a store with a failing command', () => {
  const STORES: readonly {
    protocol: Behaviour['protocol']
    command: string
    good: object
    bad: object
  }[] = [
    {
      protocol: 'redis',
      command: 'HSET',
      good: { redis: ['"PING"'] },
      bad: { redis: ['"HSET"', '"a"', '"b"', '"c"'] },
    },
    {
      protocol: 'memcached',
      command: 'get',
      good: { memcached: ['"set"', '"a"', '"b"'] },
      bad: { memcached: ['"get"', '"a"'] },
    },
    {
      protocol: 'mysql',
      command: 'INSERT',
      good: { sql: 'CREATE TABLE IF NOT EXISTS a (b INT)' },
      bad: { sql: 'INSERT INTO a VALUES (?)', with: ['1'] },
    },
    {
      protocol: 'mongodb',
      command: 'find',
      good: { mongo: '{"insert": "a", "documents": [{"b": 1}]}' },
      bad: { mongo: '{"find": "a", "filter": {}}' },
    },
  ]

  it.each(STORES)(
    'fails the $protocol command $command, and executes others',
    async ({ protocol, command, good, bad }) => {
      const endpoints = {
        'GET /good': { steps: [{ query: 'store', ...good }] },
        'GET /bad': { steps: [{ query: 'store', ...bad }] },
      }
      const login = { user: '"root"', password: '""', database: '"shop"' }
      const upstreams = { store: { address: 'env.STORE_ADDR', ...(protocol === 'mysql' ? { login } : {}) } }
      const startAndCall = async (defects: Behaviour['defects']): Promise<number[]> => {
        await testTwins.start('store', {
          protocol,
          store: { databases: ['shop'] },
          ...(defects && { defects }),
        })
        const front = await testTwins.start('front', { protocol: 'http', upstreams, endpoints })
        return [await statusOf(front, '/good'), await statusOf(front, '/bad')]
      }
      expect(await startAndCall(undefined)).toEqual([200, 200])
      expect(await startAndCall([{ kind: 'failing-endpoint', endpoint: command }])).toEqual([200, 500])
    },
  )
})

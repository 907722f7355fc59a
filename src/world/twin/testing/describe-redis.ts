/** The contract of Redis servers and clients. */
import { describe, expect, it } from 'vitest'
import type { StoreClient } from '#world/twin/ports'
import type { WithStoreSubject } from './store-subject.ts'

const send = (client: StoreClient, ...redis: (string | number)[]): Promise<unknown> =>
  client.query({ redis }, 2000)

const LOGIN = { user: '', password: 'secret' }
const USERS = { users: [{ name: '', password: 'secret' }] }

const describeData = (withSubject: WithStoreSubject): void => {
  it('keeps values of all types', () =>
    withSubject(async ({ startServer, createClient }) => {
      const client = createClient((await startServer()).port)
      expect(await send(client, 'SET', 'text', 'café')).toBe('OK')
      expect(await send(client, 'GET', 'text')).toBe('café')
      expect(await send(client, 'STRLEN', 'text')).toBe(5)
      expect(await send(client, 'RPUSH', 'list', 'a', 'b')).toBe(2)
      expect(await send(client, 'LRANGE', 'list', 0, -1)).toEqual(['a', 'b'])
      await send(client, 'HSET', 'map', 'k', 'v')
      expect(await send(client, 'HGETALL', 'map')).toEqual(['k', 'v'])
      expect(await send(client, 'GET', 'missing')).toBeNull()
      await expect(send(client, 'GET', 'list')).rejects.toMatchObject({
        kind: 'answer',
        message: 'WRONGTYPE Operation against a key holding the wrong kind of value',
      })
      await expect(client.query({ mongo: {} })).rejects.toMatchObject({ kind: 'answer' })
    }))

  it('expires keys', () =>
    withSubject(async ({ startServer, createClient, sleep }) => {
      const client = createClient((await startServer()).port)
      await send(client, 'SET', 'short', '1', 'PX', 40)
      expect(await send(client, 'EXISTS', 'short')).toBe(1)
      await sleep(60)
      expect(await send(client, 'GET', 'short')).toBeNull()
      await send(client, 'SET', 'long', '1', 'EX', 100)
      expect(await send(client, 'TTL', 'long')).toBe(100)
    }))

  it('keeps its data in its folder', () =>
    withSubject(async ({ startServer, createClient, makeFolder }) => {
      const folder = makeFolder()
      const first = await startServer({ folder })
      const writer = createClient(first.port)
      await send(writer, 'SET', 'a', '1')
      await send(writer, 'SELECT', 0)
      await first.close()
      const reader = createClient((await startServer({ folder })).port)
      expect(await send(reader, 'GET', 'a')).toBe('1')
    }))
}

const describeConnections = (withSubject: WithStoreSubject): void => {
  it('requires the password', () =>
    withSubject(async ({ startServer, createClient }) => {
      const { port } = await startServer(USERS)
      expect(await send(createClient(port, { login: LOGIN }), 'PING')).toBe('PONG')
      await expect(send(createClient(port), 'PING')).rejects.toMatchObject({
        kind: 'login',
        message: 'NOAUTH Authentication required.',
      })
      const wrong = createClient(port, { login: { ...LOGIN, password: 'wrong' } })
      await expect(send(wrong, 'PING')).rejects.toMatchObject({
        kind: 'login',
        message: 'WRONGPASS invalid username-password pair or user is disabled.',
      })
    }))

  it('limits connections', () =>
    withSubject(async ({ startServer, createClient }) => {
      const { port } = await startServer({ maxConnections: 1, ...USERS })
      await send(createClient(port, { login: LOGIN }), 'PING')
      await expect(send(createClient(port, { login: LOGIN }), 'PING')).rejects.toMatchObject({
        kind: 'answer',
        message: 'ERR max number of clients reached',
      })
    }))

  it('reports a server that is lost or does not listen, and reconnects', () =>
    withSubject(async ({ startServer, createClient, host, sleep }) => {
      const first = await startServer()
      const client = createClient(first.port)
      await send(client, 'PING')
      await first.close()
      await sleep(50)
      await expect(send(client, 'PING')).rejects.toMatchObject({
        kind: 'refused',
        message: `connect ECONNREFUSED ${host}:${first.port}`,
      })
      await startServer({ port: first.port })
      expect(await send(client, 'PING')).toBe('PONG')
    }))

  it('counts commands, and fails those of a bad release', () =>
    withSubject(async ({ startServer, createClient }) => {
      const counted: string[] = []
      const { port } = await startServer({
        fails: (command) => command === 'GET',
        onCommand: (command, _ms, failure) => counted.push(`${command} ${failure}`),
      })
      const client = createClient(port)
      await send(client, 'SET', 'a', '1')
      await expect(send(client, 'GET', 'a')).rejects.toMatchObject({ message: 'ERR internal error' })
      expect(counted).toEqual(['SET undefined', 'GET ERR internal error'])
    }))
}

export const describeRedis = (name: string, withSubject: WithStoreSubject): void => {
  describe(name, () => {
    describeData(withSubject)
    describeConnections(withSubject)
  })
}

/** The contract of MongoDB servers and clients. */
import { describe, expect, it } from 'vitest'
import type { StoreClient } from '#world/twin/ports'
import type { WithStoreSubject } from './store-subject.ts'

const run = (client: StoreClient, mongo: Record<string, unknown>): Promise<any> =>
  client.query({ mongo }, 2000)

const USERS = { users: [{ name: 'shop', password: 'secret', databases: ['shop'] }] }
const LOGIN = { user: 'shop', password: 'secret', database: 'shop' }

const describeData = (withSubject: WithStoreSubject): void => {
  it('inserts, finds, updates and deletes documents', () =>
    withSubject(async ({ startServer, createClient }) => {
      const client = createClient((await startServer()).port)
      const documents = [
        { _id: 1, name: 'é', none: undefined, list: [1, { a: null }] },
        { _id: 2, big: 2 ** 40, half: 0.5 },
      ]
      expect(await run(client, { insert: 'things', documents })).toEqual({ n: 2 })
      expect(await run(client, { find: 'things', filter: { _id: 1 } })).toEqual([
        { _id: 1, name: 'é', list: [1, { a: null }] },
      ])
      const updates = [{ q: { _id: 2 }, u: { $inc: { half: 1 }, $set: { 'deep.path': true } } }]
      expect(await run(client, { update: 'things', updates })).toEqual({ n: 1, nModified: 1 })
      expect(await run(client, { find: 'things', sort: { _id: -1 }, limit: 1 })).toEqual([
        { _id: 2, big: 2 ** 40, half: 1.5, deep: { path: true } },
      ])
      await run(client, { delete: 'things', deletes: [{ q: {}, limit: 0 }] })
      expect(await run(client, { count: 'things' })).toEqual({ n: 0 })
    }))

  it('creates ids, and returns results of many batches', () =>
    withSubject(async ({ startServer, createClient }) => {
      const client = createClient((await startServer()).port)
      const documents = Array.from({ length: 250 }, (_, n) => ({ n }))
      await run(client, { insert: 'many', documents })
      const found = await run(client, { find: 'many' })
      expect(found.map(({ n }: { n: number }) => n)).toEqual(documents.map(({ n }) => n))
      expect(new Set(found.map(({ _id }: { _id: string }) => _id)).size).toBe(250)
      expect(found[0]._id).toMatch(/^[0-9a-f]{24}$/)
    }))

  it('reports duplicates and unknown commands', () =>
    withSubject(async ({ startServer, createClient }) => {
      const client = createClient((await startServer()).port)
      await run(client, { insert: 'things', documents: [{ _id: 1 }] })
      await expect(run(client, { insert: 'things', documents: [{ _id: 1 }] })).rejects.toMatchObject({
        kind: 'answer',
        message: 'E11000 duplicate key error collection: test.things index: _id_ dup key: { _id: 1 }',
      })
      await expect(run(client, { nonsense: 1 })).rejects.toMatchObject({
        kind: 'answer',
        message: "CommandNotFound: no such command: 'nonsense'",
      })
    }))

  it('keeps its data in its folder, and users that were changed', () =>
    withSubject(async ({ startServer, createClient, makeFolder }) => {
      const folder = makeFolder()
      const environment = { MONGO_INITDB_ROOT_USERNAME: 'root', MONGO_INITDB_ROOT_PASSWORD: 'r' }
      const first = await startServer({ folder, environment, ...USERS })
      const root = createClient(first.port, { login: { user: 'root', password: 'r', database: 'shop' } })
      await run(root, { insert: 'a', documents: [{ _id: 1 }] })
      await run(root, { $db: 'admin', updateUser: 'shop', pwd: 'changed' })
      await first.close()
      const { port } = await startServer({ folder, environment, ...USERS })
      const client = createClient(port, { login: { ...LOGIN, password: 'changed' } })
      expect(await run(client, { find: 'a' })).toEqual([{ _id: 1 }])
    }))
}

const describeConnections = (withSubject: WithStoreSubject): void => {
  it('requires a login, and checks roles', () =>
    withSubject(async ({ startServer, createClient }) => {
      const { port } = await startServer(USERS)
      const client = createClient(port, { login: LOGIN })
      expect(await run(client, { find: 'things' })).toEqual([])
      await expect(run(client, { $db: 'other', find: 'things' })).rejects.toMatchObject({
        kind: 'login',
        message: 'Unauthorized: not authorized on other to execute command { find: "things", $db: "other" }',
      })
      await expect(run(createClient(port), { find: 'things' })).rejects.toMatchObject({
        kind: 'login',
        message: 'Unauthorized: command find requires authentication',
      })
      const wrong = createClient(port, { login: { ...LOGIN, password: 'wrong' } })
      await expect(run(wrong, { find: 'things' })).rejects.toMatchObject({
        kind: 'login',
        message: 'AuthenticationFailed: Authentication failed.',
      })
    }))

  it('serves one search at a time', () =>
    withSubject(async ({ startServer, createClient, sleep }) => {
      const client = createClient((await startServer({ readMs: 40 })).port)
      let answered = 0
      const searches = [1, 2, 3].map(() => run(client, { find: 'a' }).then(() => (answered += 1)))
      await sleep(100)
      expect(answered).toBeLessThan(3)
      await Promise.all(searches)
      expect(answered).toBe(3)
    }))

  it('reports a server that is lost or does not listen, and logs connections', () =>
    withSubject(async ({ startServer, createClient, host, sleep }) => {
      const logged: { msg: string }[] = []
      const server = await startServer({ readMs: 500, log: (_, text) => logged.push(JSON.parse(text)) })
      const client = createClient(server.port)
      const pending = expect(run(client, { find: 'a' })).rejects.toMatchObject({
        kind: 'reset',
        message: 'MongoDB closed the connection',
      })
      await sleep(50)
      await server.close()
      await pending
      await expect(run(client, { find: 'a' })).rejects.toMatchObject({
        kind: 'refused',
        message: `connect ECONNREFUSED ${host}:${server.port}`,
      })
      expect(logged.map(({ msg }) => msg)).toEqual([
        'Listening on',
        'Waiting for connections',
        'Connection accepted',
        'Connection ended',
      ])
    }))
}

export const describeMongodb = (name: string, withSubject: WithStoreSubject): void => {
  describe(name, () => {
    describeData(withSubject)
    describeConnections(withSubject)
  })
}

/** Tests the server with the MongoDB driver, and the client of the twin. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient, ObjectId } from 'mongodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ListeningServer, StoreClientOptions, StoreServerOptions } from '#world/twin/ports'
import { startStoreProcess } from '../testing/store-process.ts'
import { createMongodbClient } from './create-mongodb-client.ts'
import { startMongodbServer } from './start-mongodb-server.ts'

let folder: string
const cleanups: (() => unknown)[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mongodb-'))
})

afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
  rmSync(folder, { recursive: true })
})

const lines: string[] = []
const commands: string[] = []

const start = async (options: Partial<StoreServerOptions> = {}): Promise<ListeningServer> => {
  const server = await startMongodbServer({
    port: 0,
    folder,
    users: [],
    databases: [],
    environment: {},
    log: (_, text) => lines.push(text),
    onCommand: (command, _, failure) => commands.push(failure ? `${command}: ${failure}` : command),
    ...options,
  })
  cleanups.push(() => server.close())
  return server
}

const connectWithDriver = async (port: number, login = ''): Promise<MongoClient> => {
  const client = new MongoClient(`mongodb://${login}127.0.0.1:${port}/?serverSelectionTimeoutMS=2000`)
  cleanups.push(() => client.close())
  return client.connect()
}

const createClient = (port: number, options: Partial<StoreClientOptions> = {}) => {
  const client = createMongodbClient({ address: async () => ({ host: '127.0.0.1', port }), ...options })
  cleanups.push(() => client.close())
  return client
}

describe('documents, with the MongoDB driver', () => {
  it('are inserted, found, sorted, projected, counted and deleted', async () => {
    const { port } = await start()
    const users = (await connectWithDriver(port)).db('shop').collection('users')
    const { insertedIds } = await users.insertMany([
      { name: 'ada', age: 36, tags: ['x', 'y'], address: { city: 'London' } },
      { name: 'bob', age: 20, tags: ['y'], address: { city: 'Berlin' } },
      { name: 'cyd', tags: [] },
    ])
    expect(insertedIds[0]).toBeInstanceOf(ObjectId)
    const findNames = async (filter: object) =>
      (await users.find(filter).sort({ name: 1 }).toArray()).map(({ name }) => name)
    expect(await findNames({ age: { $gte: 20, $lt: 36 } })).toEqual(['bob'])
    expect(await findNames({ age: { $gt: 20 } })).toEqual(['ada'])
    expect(await findNames({ age: { $lte: 36 } })).toEqual(['ada', 'bob'])
    expect(await findNames({ name: { $in: ['ada', 'cyd'] } })).toEqual(['ada', 'cyd'])
    expect(await findNames({ 'address.city': 'London' })).toEqual(['ada'])
    expect(await findNames({ tags: 'y' })).toEqual(['ada', 'bob'])
    expect(await findNames({ $or: [{ age: 36 }, { age: { $exists: false } }] })).toEqual(['ada', 'cyd'])
    expect(await findNames({ $and: [{ tags: 'y' }, { name: { $ne: 'ada' } }] })).toEqual(['bob'])
    expect(await findNames({ age: null })).toEqual(['cyd'])
    expect(await findNames({ name: /^[AB]/i })).toEqual(['ada', 'bob'])
    expect(await findNames({ _id: insertedIds[2] })).toEqual(['cyd'])
    const [second] = await users
      .find({}, { projection: { _id: 0, name: 1, 'address.city': 1 } })
      .sort({ age: -1 })
      .skip(1)
      .limit(1)
      .toArray()
    expect(second).toEqual({ name: 'bob', address: { city: 'Berlin' } })
    expect(await users.countDocuments({ tags: 'y' })).toBe(2)
    expect((await users.deleteOne({ tags: 'y' })).deletedCount).toBe(1)
    expect((await users.deleteMany({})).deletedCount).toBe(2)
  })

  it('are updated by operators, in bulk, and upserted', async () => {
    const { port } = await start()
    const posts = (await connectWithDriver(port)).db('feed').collection<any>('posts')
    await posts.insertMany([
      { _id: 1, likes: 1, comments: [{ by: 'ada' }], draft: true },
      { _id: 2, likes: 5, comments: [] },
    ])
    await posts.updateOne(
      { _id: 1 },
      { $inc: { likes: 2 }, $set: { 'meta.hot': true }, $unset: { draft: '' } },
    )
    await posts.updateOne({ _id: 1 }, {
      $push: { comments: { $each: [{ by: 'bob' }], $position: 0 } },
    } as never)
    expect(await posts.findOne({ _id: 1 })).toEqual({
      _id: 1,
      likes: 3,
      comments: [{ by: 'bob' }, { by: 'ada' }],
      meta: { hot: true },
    })
    await posts.updateOne({ _id: 1 }, { $pull: { comments: { by: 'ada' } } } as never)
    expect((await posts.findOne({ _id: 1 }))?.comments).toEqual([{ by: 'bob' }])
    const all = await posts.updateMany({}, { $set: { seen: true } })
    expect(all).toMatchObject({ matchedCount: 2, modifiedCount: 2 })
    expect(await posts.updateMany({}, { $set: { seen: true } })).toMatchObject({ modifiedCount: 0 })
    const upserted = await posts.updateOne({ _id: 3 }, { $set: { likes: 0 } }, { upsert: true })
    expect(upserted).toMatchObject({ upsertedId: 3, upsertedCount: 1 })
    expect(
      await posts.findOneAndUpdate({ _id: 3 }, { $inc: { likes: 1 } }, { returnDocument: 'after' }),
    ).toEqual({ _id: 3, likes: 1 })
    await posts.replaceOne({ _id: 2 }, { text: 'new' })
    expect(await posts.findOne({ _id: 2 })).toEqual({ _id: 2, text: 'new' })
    await expect(posts.updateOne({ _id: 3 }, { $set: { 'likes.much': 1 } })).rejects.toMatchObject({
      code: 28,
    })
  })

  it('are returned in batches, and grouped', async () => {
    const { port } = await start()
    const client = await connectWithDriver(port)
    const numbers = client.db('math').collection('numbers')
    await numbers.insertMany(Array.from({ length: 1000 }, (_, n) => ({ n, odd: n % 2 === 1 })))
    expect((await numbers.find({}, { batchSize: 100 }).toArray()).map(({ n }) => n).sort()).toHaveLength(1000)
    const grouped = await numbers
      .aggregate([
        { $match: { n: { $lt: 10 } } },
        { $group: { _id: '$odd', total: { $sum: '$n' }, count: { $sum: 1 } } },
        { $sort: { _id: 1 } },
      ])
      .toArray()
    expect(grouped).toEqual([
      { _id: false, total: 20, count: 5 },
      { _id: true, total: 25, count: 5 },
    ])
    const cursor = numbers.find({}, { batchSize: 10 })
    await cursor.next()
    await cursor.close()
    expect(commands).toContain('killCursors')
  })

  it('are unique under a unique index', async () => {
    const { port } = await start()
    const client = await connectWithDriver(port)
    const users = client.db('shop').collection<any>('users')
    await users.createIndex({ name: 1 }, { unique: true })
    await users.insertOne({ _id: 1, name: 'ada' })
    await expect(users.insertOne({ _id: 2, name: 'ada' })).rejects.toMatchObject({
      code: 11000,
      keyValue: { name: 'ada' },
    })
    await expect(users.insertOne({ _id: 1, name: 'bob' })).rejects.toMatchObject({ code: 11000 })
    await users.insertOne({ _id: 2, name: 'bob' })
    await expect(users.updateOne({ _id: 2 }, { $set: { name: 'ada' } })).rejects.toMatchObject({
      code: 11000,
    })
    await expect(
      users.insertMany([{ name: 'ada' }, { name: 'cyd' }], { ordered: false }),
    ).rejects.toMatchObject({ code: 11000 })
    expect(await users.countDocuments()).toBe(3)
    expect((await users.indexes()).map(({ name }) => name)).toEqual(['_id_', 'name_1'])
    expect((await client.db('shop').listCollections().toArray()).map(({ name }) => name)).toEqual(['users'])
    expect((await client.db().admin().listDatabases()).databases.map(({ name }) => name)).toContain('shop')
    await users.drop()
    await client.db('shop').dropDatabase()
    expect(await client.db('shop').listCollections().toArray()).toEqual([])
    await expect(client.db('shop').command({ fly: 1 })).rejects.toMatchObject({ code: 59 })
    expect((await client.db('admin').command({ serverStatus: 1 })).process).toBe('mongod')
    expect((await client.db('admin').command({ buildInfo: 1 })).version).toBe('4.4.6')
  })
})

describe('logins', () => {
  const root = { MONGO_INITDB_ROOT_USERNAME: 'root', MONGO_INITDB_ROOT_PASSWORD: 'secret' }

  it.each(['SCRAM-SHA-1', 'SCRAM-SHA-256'])('are verified by %s', async (mechanism) => {
    const { port } = await start({ environment: root })
    const client = new MongoClient(`mongodb://root:secret@127.0.0.1:${port}/?authMechanism=${mechanism}`)
    cleanups.push(() => client.close())
    await client.connect()
    await client.db('any').collection('things').insertOne({ a: 1 })
    await expect(connectWithDriver(port, 'root:wrong@')).rejects.toMatchObject({ code: 18 })
    await expect(connectWithDriver(port, 'nobody:secret@')).rejects.toMatchObject({ code: 18 })
    const anonymous = await connectWithDriver(port)
    await expect(anonymous.db('any').collection('things').findOne()).rejects.toMatchObject({ code: 13 })
  })

  it('are required with --auth, except to create the first user from localhost', async () => {
    const { port } = await start({ args: ['--auth', '--bind_ip', '127.0.0.1'] })
    const anonymous = await connectWithDriver(port)
    await expect(anonymous.db('geo').collection('x').findOne()).rejects.toMatchObject({ code: 13 })
    await anonymous.db('admin').command({ createUser: 'root', pwd: 'pw', roles: ['root'] })
    await expect(
      anonymous.db('admin').command({ createUser: 'two', pwd: 'pw', roles: ['root'] }),
    ).rejects.toMatchObject({ code: 13 })
    await (await connectWithDriver(port, 'root:pw@')).db('geo').collection('x').insertOne({ a: 1 })
  })

  it('are authorised by roles, which can change while connected', async () => {
    const { port } = await start({
      environment: root,
      users: [{ name: 'geo', password: 'pw', databases: ['geo-db'] }],
    })
    const admin = (await connectWithDriver(port, 'root:secret@')).db('admin')
    const client = createClient(port, { login: { user: 'geo', password: 'pw', database: 'geo-db' } })
    const insert = { mongo: { insert: 'hotels', documents: [{ name: 'inn' }] } }
    const find = { mongo: { find: 'hotels' } }
    await client.query(insert)
    await expect(client.query({ mongo: { find: 'x', $db: 'rate-db' } })).rejects.toMatchObject({
      kind: 'login',
    })
    await admin.command({ revokeRolesFromUser: 'geo', roles: [{ role: 'readWrite', db: 'geo-db' }] })
    await expect(client.query(find)).rejects.toMatchObject({ kind: 'login' })
    await admin.command({ grantRolesToUser: 'geo', roles: [{ role: 'read', db: 'geo-db' }] })
    expect(await client.query(find)).toMatchObject([{ name: 'inn' }])
    await expect(client.query(insert)).rejects.toThrow(
      'not authorized on geo-db to execute command { insert: "hotels", $db: "geo-db" }',
    )
    expect((await admin.command({ usersInfo: 'geo' })).users).toMatchObject([
      { user: 'geo', roles: [{ role: 'read', db: 'geo-db' }] },
    ])
    expect((await admin.command({ usersInfo: 1 })).users).toHaveLength(2)
    await admin.command({ updateUser: 'geo', pwd: 'new' })
    await expect(
      createClient(port, { login: { user: 'geo', password: 'pw' } }).query(find),
    ).rejects.toMatchObject({
      kind: 'login',
    })
    await admin.command({ dropUser: 'geo' })
    await expect(client.query(find)).rejects.toMatchObject({ kind: 'login' })
    await expect(admin.command({ dropUser: 'geo' })).rejects.toMatchObject({ code: 11 })
  })

  it('still fail for a deleted user after a restart', async () => {
    const users = [{ name: 'geo', password: 'pw', databases: ['geo-db'] }]
    const first = await start({ environment: root, users })
    await (await connectWithDriver(first.port, 'root:secret@')).db('admin').command({ dropUser: 'geo' })
    await first.close()
    const { port } = await start({ environment: root, users })
    await expect(connectWithDriver(port, 'geo:pw@')).rejects.toMatchObject({ code: 18 })
    await connectWithDriver(port, 'root:secret@')
  })
})

describe('the client', () => {
  it('returns plain data, and all batches of a find', async () => {
    const { port } = await start()
    const client = createClient(port, { login: { user: '', password: '', database: 'post' } })
    const documents = Array.from({ length: 300 }, (_, id) => ({ post: id, at: new Date(0) }))
    expect(await client.query({ mongo: { insert: 'posts', documents } })).toEqual({ n: 300 })
    const found = (await client.query({ mongo: { find: 'posts', filter: {} } })) as any[]
    expect(found).toHaveLength(300)
    expect(found[7]).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      post: 7,
      at: '1970-01-01T00:00:00.000Z',
    })
    expect(await client.query({ mongo: { count: 'posts', query: { post: { $lt: 5 } } } })).toEqual({ n: 5 })
  })

  it('reports refused connections, errors and lost connections', async () => {
    const server = await start()
    const client = createClient(server.port)
    await expect(client.query({ mongo: { find: 'x', filter: { a: 1 } } })).resolves.toEqual([])
    await client.query({ mongo: { insert: 'x', documents: [{ _id: 1 }] } })
    await expect(client.query({ mongo: { find: 'x', filter: { a: { $odd: 1 } } } })).rejects.toMatchObject({
      kind: 'answer',
      message: 'BadValue: unknown operator: $odd',
    })
    await expect(client.query({ mongo: { insert: 'x', documents: [{ _id: 1 }] } })).rejects.toThrow('E11000')
    await server.close()
    await expect(client.query({ mongo: { ping: 1 } })).rejects.toMatchObject({
      kind: expect.stringMatching(/refused|reset/),
    })
  })
})

describe('the server', () => {
  it('closes connections without TLS if it requires TLS', async () => {
    writeFileSync(join(folder, 'mongod.conf'), 'net:\n  port: 27017\n  tls:\n    mode: requireTLS # all\n')
    const { port } = await start({ args: ['--config', join(folder, 'mongod.conf'), '--port', '0'] })
    await expect(createClient(port).query({ mongo: { ping: 1 } })).rejects.toMatchObject({ kind: 'reset' })
    expect(lines.join('\n')).toContain('only allow SSL connections')
  })

  it('serves TLS connections if it has a certificate', async () => {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
    const subject = ['-subj', '/CN=localhost', '-days', '1']
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', ...subject].concat([
        '-keyout',
        key,
        '-out',
        certificate,
      ]),
      { stdio: 'ignore' },
    )
    const pem = join(folder, 'server.pem')
    writeFileSync(pem, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
    const args = ['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', pem]
    const { port } = await start({ args })
    const client = new MongoClient(`mongodb://127.0.0.1:${port}/?tls=true&tlsInsecure=true`)
    cleanups.push(() => client.close())
    await client.db('a').collection('b').insertOne({ c: 1 })
    await expect(createClient(port).query({ mongo: { ping: 1 } })).rejects.toMatchObject({ kind: 'reset' })
    await expect(start({ args: [...args.slice(0, 3), join(folder, 'none.pem')] })).rejects.toThrow('ENOENT')
  })

  it('answers the OP_QUERY handshake of old drivers', async () => {
    const { port } = await start()
    const body = Buffer.from(`${'\0'.repeat(4)}admin.$cmd\0${'\0'.repeat(4)}\xff\xff\xff\xff`, 'latin1')
    const document = Buffer.from('130000001069734d61737465720001000000 00'.replaceAll(' ', ''), 'hex')
    document.writeInt32LE(document.length, 0)
    const header = Buffer.alloc(16)
    header.writeInt32LE(16 + body.length + document.length, 0)
    header.writeInt32LE(2004, 12)
    const socket = connect(port, '127.0.0.1')
    cleanups.push(() => socket.destroy())
    socket.write(Buffer.concat([header, body, document]))
    const reply = await new Promise<Buffer>((resolve) => socket.once('data', resolve))
    expect(reply.readInt32LE(12)).toBe(1)
    expect(reply.toString('latin1')).toContain('maxWireVersion')
  })

  it('limits connections', async () => {
    const { port } = await start({ maxConnections: 1 })
    await createClient(port).query({ mongo: { ping: 1 } })
    await expect(createClient(port).query({ mongo: { ping: 1 } })).rejects.toMatchObject({ kind: 'reset' })
  })

  it('restores confirmed changes after a crash, and rejects writes when the disk is full', async () => {
    const data = join(folder, 'data')
    const first = await startStoreProcess('mongodb', { folder: data })
    cleanups.push(() => first.kill())
    const client = createClient(first.port)
    const insert = (_id: number, size: number) =>
      client.query({ mongo: { insert: 'x', documents: [{ _id, text: 'a'.repeat(size) }] } })
    await insert(1, 10)
    first.limitFileSize(5000)
    await expect(insert(2, 10_000)).rejects.toThrow('OutOfDiskSpace')
    expect(await client.query({ mongo: { count: 'x' } })).toEqual({ n: 1 })
    first.limitFileSize()
    await insert(2, 10_000)
    await first.kill()
    const second = await startStoreProcess('mongodb', { folder: data })
    cleanups.push(() => second.kill())
    const found = (await createClient(second.port).query({
      mongo: { find: 'x', projection: { _id: 1 } },
    })) as object[]
    expect(found).toEqual([{ _id: 1 }, { _id: 2 }])
  })

  it('uses the data folder given in its arguments', async () => {
    const dataFolder = join(folder, 'elsewhere')
    const { port } = await start({ args: [`--dbpath=${dataFolder}`] })
    await createClient(port).query({ mongo: { insert: 'x', documents: [{ a: 1 }] } })
    expect(existsSync(dataFolder)).toBe(true)
  })

  it('fails to start if its folder cannot be used', async () => {
    writeFileSync(join(folder, 'file'), '')
    await expect(start({ folder: join(folder, 'file') })).rejects.toThrow('EEXIST')
    await expect(start({ args: ['--config', '/none'] })).rejects.toThrow('ENOENT')
  })
})

/** Tests the MongoDB shell as an operator uses it in a pod. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadStoreServer } from '#world/twin/stores'

let server: { port: number; close(): Promise<void> }

beforeAll(async () => {
  const start = await loadStoreServer('mongodb')
  server = await start({
    port: 0,
    users: [],
    databases: [],
    environment: { MONGO_INITDB_ROOT_USERNAME: 'root', MONGO_INITDB_ROOT_PASSWORD: 'secret' },
    log: () => {},
    onCommand: () => {},
  })
})

afterAll(() => server.close())

const run = (program: string, words: readonly string[], input = '') =>
  new Promise<{ code: number | null; output: string; errors: string }>((resolve) => {
    const child = spawn(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, `${program}.ts`),
      '--port',
      String(server.port),
      ...words,
    ])
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    child.on('close', (code) => resolve({ code, output, errors }))
    child.stdin.end(input)
  })

const asRoot = ['-u', 'root', '-p', 'secret', '--authenticationDatabase', 'admin', '--eval']

it('creates a user, changes its roles and lists it', async () => {
  const script = `
    db.createUser({user: 'geo', pwd: "pw", roles: [{role: "readWrite", db: "geo-db"}]});
    db.revokeRolesFromUser('geo', [{role: 'readWrite', db: 'geo-db'}])
    db.grantRolesToUser('geo', [{role: 'read', db: 'geo-db'}]);
    db.getUsers()`
  const { code, output, errors } = await run('mongo', ['admin', ...asRoot, script])
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
  const users = JSON.parse(output.slice(output.indexOf('[')))
  expect(users.map(({ user, roles }: any) => [user, roles])).toEqual([
    ['root', [{ role: 'root', db: 'admin' }]],
    ['geo', [{ role: 'read', db: 'geo-db' }]],
  ])
})

it('reads and writes documents, also with a script from stdin', async () => {
  const script = `
    use admin
    db.auth('root', 'secret')
    use shop
    db.users.insertMany([
      {name: "ada; (the first)", age: 36}, // a comment
      {name: 'bob', age: 20},
    ])
    db.users.find({age: {$gt: 10}}, {_id: 0})
      .sort({age: 1})
      .limit(1)
    db.users.count()
    show collections
    print("done")`
  const { output, errors } = await run('mongosh', ['--quiet'], script)
  expect(errors).toBe('')
  expect(output.split('\n').slice(-7)).toEqual([
    '{"name":"bob","age":20}',
    '2',
    '[',
    '  "users"',
    ']',
    'done',
    '',
  ])
})

it.each([
  [
    'a wrong password',
    ['-u', 'root', '-p', 'x', '--authenticationDatabase', 'admin', '--eval', '1'],
    /Authentication failed/,
  ],
  ['no login', ['--eval', 'db.users.find()'], /requires authentication/],
  ['a syntax error', ['--eval', 'db.users.find('], /Error: /],
  ['an unknown option', ['--fly'], /unrecognised option '--fly'/],
])('exits with 1 for %s', async (_, words, message) => {
  const { code, errors } = await run('mongo', words)
  expect(code).toBe(1)
  expect(errors).toMatch(message)
})

it('runs commands with `db.runCommand`, and supports ids and dates', async () => {
  const { output } = await run('mongo', [...asRoot, 'db.runCommand({ping: 1})'])
  expect(JSON.parse(output)).toEqual({ ok: 1 })
  const id = '0123456789abcdef01234567'
  await run('mongo', [...asRoot, `db.x.insertOne({_id: ObjectId("${id}"), at: new Date(0)})`])
  const found = await run('mongo', [...asRoot, `db.x.findOne({_id: ObjectId("${id}")})`])
  expect(JSON.parse(found.output)).toEqual({ _id: id, at: '1970-01-01T00:00:00.000Z' })
})

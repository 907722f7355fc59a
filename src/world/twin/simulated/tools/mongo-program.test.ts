/** Tests the MongoDB shell in a container with a simulated server: it prints what its process prints. */
import { expect, it } from 'vitest'
import { UnsupportedCommand } from '#spec'
import { createSimulatedTwinHost } from '../create-simulated-twin-host.ts'
import { createSimulatedTwins } from '../testing/index.ts'
import { mongoProgram } from './mongo-program.ts'

const startServer = async () => {
  const twins = createSimulatedTwins()
  const server = twins.hosts.add({ name: 'db' })
  await twins.run(async () => {
    const start = await createSimulatedTwinHost(server).protocols.storeServer('mongodb')
    await start({
      port: 27017,
      users: [],
      databases: [],
      environment: { MONGO_INITDB_ROOT_USERNAME: 'root', MONGO_INITDB_ROOT_PASSWORD: 'secret' },
      log: () => undefined,
      onCommand: () => undefined,
    })
  })
  return async (args: readonly string[], input = '') => {
    const host = twins.hosts.add({ name: 'client', args: ['--host', 'db', ...args], input })
    await twins.run(() => mongoProgram(host))
    return { code: host.exitCode, out: host.output, err: host.errorOutput }
  }
}

const LOGIN = ['-u', 'root', '-p', 'secret', '--authenticationDatabase', 'admin', '--eval']

it('runs statements from options and the input, and reports errors', async () => {
  const run = await startServer()
  const script = `
    use admin
    db.auth('root', 'secret')
    use shop
    db.users.insertMany([{name: "ada", age: 36}, {name: 'bob', age: 20}])
    db.users.find({age: {$gt: 10}}, {_id: 0}).sort({age: 1}).limit(1)`
  const { code, out, err } = await run(['--quiet'], script)
  expect({ code, err, last: out.split('\n').slice(-2) }).toEqual({
    code: 0,
    err: '',
    last: ['{"name":"bob","age":20}', ''],
  })
  expect(await run([...LOGIN, 'db.runCommand({ping: 1})'])).toEqual({
    code: 0,
    out: '{\n  "ok": 1\n}\n',
    err: '',
  })
  expect(await run(['shop', ...LOGIN, 'db.dropDatabase(); db.users.count()'])).toMatchObject({ code: 0 })
  expect(await run(['--eval', 'db.users.find()'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('requires authentication'),
  })
  expect(await run(['--port', '1', '--eval', '1'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('ECONNREFUSED'),
  })
})

it('rejects if a statement is not supported', async () => {
  const run = await startServer()
  await expect(run([...LOGIN, 'db.users.find().forEach(print)'])).rejects.toThrow(UnsupportedCommand)
})

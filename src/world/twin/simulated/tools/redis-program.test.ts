/** Tests `redis-cli` in a container with a simulated server: it prints what its process prints. */
import { expect, it } from 'vitest'
import { createSimulatedTwinHost } from '../create-simulated-twin-host.ts'
import { createSimulatedTwins } from '../testing/index.ts'
import { redisProgram } from './redis-program.ts'

it('runs one command, or commands from stdin', async () => {
  const twins = createSimulatedTwins()
  const server = twins.hosts.add({ name: 'db' })
  await twins.run(async () => {
    const start = await createSimulatedTwinHost(server).protocols.storeServer('redis')
    await start({
      port: 6379,
      users: [{ name: 'default', password: 'secret' }],
      databases: [],
      environment: {},
      log: () => undefined,
      onCommand: () => undefined,
    })
  })
  const run = async (args: readonly string[], input = '') => {
    const host = twins.hosts.add({ name: 'client', args: ['-h', 'db', ...args], input })
    await twins.run(() => redisProgram(host))
    return { code: host.exitCode, out: host.output, err: host.errorOutput }
  }
  expect(await run(['-a', 'secret', 'SET', 'a', 'one two'])).toEqual({ code: 0, out: 'OK\n', err: '' })
  expect(await run(['-a', 'secret'], 'get a\nSET b "x y"\nMGET a b\n')).toEqual({
    code: 0,
    out: 'one two\nOK\none two\nx y\n',
    err: '',
  })
  expect(await run(['GET', 'a'])).toMatchObject({ code: 1, out: 'NOAUTH Authentication required.\n' })
  expect(await run(['-p', '1', 'PING'])).toEqual({
    code: 1,
    out: '',
    err: 'Could not connect to Redis at db:1: Connection refused\n',
  })
})

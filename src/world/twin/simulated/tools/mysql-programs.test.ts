/** Tests the programs for MySQL in a container with a simulated server: they print what their processes print. */
import { expect, it } from 'vitest'
import { createSimulatedTwinHost } from '../create-simulated-twin-host.ts'
import { createSimulatedTwins } from '../testing/index.ts'
import { mysqladminProgram, mysqlProgram } from './mysql-programs.ts'

const startServer = async () => {
  const twins = createSimulatedTwins()
  const server = twins.hosts.add({ name: 'db' })
  await twins.run(async () => {
    const start = await createSimulatedTwinHost(server).protocols.storeServer('mysql')
    await start({
      port: 3306,
      users: [{ name: 'shop', password: 'secret', databases: ['ts'] }],
      databases: ['ts'],
      environment: { MYSQL_LOG_FOLDER: '/nowhere' },
      log: () => undefined,
      onCommand: () => undefined,
    })
  })
  return async (program: typeof mysqlProgram, args: readonly string[], input = '') => {
    const host = twins.hosts.add({ name: 'client', args: ['-hdb', ...args], input })
    await twins.run(() => program(host))
    return { code: host.exitCode, out: host.output, err: host.errorOutput }
  }
}

it('runs statements from options and the input, and reports errors', async () => {
  const run = await startServer()
  const login = ['-ushop', '-psecret', '-D', 'ts']
  expect(await run(mysqlProgram, [...login, '-e', 'SELECT 1'])).toEqual({ code: 0, out: '1\n1\n', err: '' })
  expect(await run(mysqlProgram, [...login, '-N'], 'SELECT 2')).toEqual({ code: 0, out: '2\n', err: '' })
  expect(await run(mysqlProgram, ['-ushop', '-pwrong', '-e', 'SELECT 1'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('ERROR 1045'),
  })
})

it('checks whether a server runs', async () => {
  const run = await startServer()
  expect(await run(mysqladminProgram, ['ping', '-uroot'])).toEqual({
    code: 0,
    out: 'mysqld is alive\n',
    err: '',
  })
  expect(await run(mysqladminProgram, ['-P1', 'ping'])).toMatchObject({ code: 1, out: '' })
})

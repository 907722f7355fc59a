/** Tests the client of the laboratory over one connection to a simulated store. */
import { expect, it } from 'vitest'
import { createVirtualClock, runVirtually } from '#kit'
import type { StoreCommand } from '#world/twin/ports'
import { DEFAULT_STORE_OPTIONS } from '#world/twin/testing'
import { createSimulatedTwinHost } from './create-simulated-twin-host.ts'
import { openSimulatedStoreClient } from './open-simulated-store-client.ts'
import { createTestHosts } from './testing/index.ts'

const LOGIN = { user: 'shop', password: 'secret', database: 'ts' }

const CASES: readonly [
  protocol: 'redis' | 'mongodb' | 'mysql' | 'memcached',
  command: StoreCommand,
  answer: unknown,
][] = [
  ['redis', { redis: ['PING'] }, 'PONG'],
  ['mongodb', { mongo: { count: 'things' } }, { n: 0 }],
  ['mysql', { sql: { statement: 'SELECT 1 AS one', parameters: [] } }, [{ one: 1 }]],
  ['memcached', { memcached: ['get', 'a'] }, null],
]

it.each(CASES)('queries %s, and fails if the login is refused', async (protocol, command, answer) => {
  const clock = createVirtualClock()
  const hosts = createTestHosts(clock)
  const server = hosts.add({ name: 'server' })
  const laboratory = hosts.add({ name: 'laboratory' })
  const start = await createSimulatedTwinHost(server).protocols.storeServer(protocol)
  await runVirtually(clock, async () => {
    const users = [{ name: 'shop', password: 'secret', databases: ['ts'] }]
    const databases = ['ts']
    const login = protocol === 'redis' ? { user: 'shop', password: 'secret' } : LOGIN
    const { port } = await start({ ...DEFAULT_STORE_OPTIONS, users, databases })
    const connection = await laboratory.network.connect('server', port)
    const client = openSimulatedStoreClient(protocol, connection, login)
    expect(await client.query(command)).toEqual(answer)
    expect(await client.query(command)).toEqual(answer)
    if (protocol === 'memcached') return
    const other = await laboratory.network.connect('server', port)
    const wrong = openSimulatedStoreClient(protocol, other, { ...login, password: 'wrong' })
    await expect(wrong.query(command)).rejects.toMatchObject({ kind: 'login' })
  })
})

it('rejects other protocols', () => {
  expect(() => openSimulatedStoreClient('http', {} as never, undefined)).toThrow('"http"')
})

/** Tests of probes inside pods and stores: each response becomes a fact, and a lost connection makes a probe reject. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MYSQL_PRIVILEGES } from '#exam/fault-parts'
import { fakeStoreContext, type StoreEndpoint, startStore } from '#exam/testing'
import { defined } from '#kit'
import type { ApiObject, ExecOutcome, FaultContext, FaultTarget, SystemView } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { loadFault } from './index.ts'

const tickets = createSystemView(await loadSystem('train-ticket'))
const hotels = createSystemView(await loadSystem('hotel-reservation'))
const boutique = createSystemView(await loadSystem('online-boutique'))
const podFail = await loadFault('pod-fail')
const login = await loadFault('login-revoked')
const databaseDropped = await loadFault('database-dropped')
const cpuStress = await loadFault('cpu-stress')
const [droppedTarget] = databaseDropped.targets(tickets)

const POD: ApiObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', uid: 'u' },
  spec: { containers: [] },
}
const RUNNING: ApiObject = {
  ...POD,
  spec: { containers: [{ name: 'server' }] },
  status: {
    containerStatuses: [
      { name: 'server', containerID: 'c', state: { running: { startedAt: '2026-01-01T00:00:00Z' } } },
    ],
  },
}
const INJECTED: ApiObject = {
  apiVersion: 'chaos-mesh.org/v1alpha1',
  kind: 'StressChaos',
  metadata: { name: 'a' },
  status: { conditions: [{ type: 'AllInjected', status: 'True' }] },
}
const LOST = new Error('the connection to the pod was lost')

const outcome = (stdout: string, exitCode = 0): ExecOutcome => ({ exitCode, stdout, stderr: '' })

/** A fake cluster with one pod, in which commands return these outcomes in order, and then the last one repeatedly. */
const createContext = (
  system: SystemView,
  target: FaultTarget,
  outcomes: readonly (ExecOutcome | Error)[],
  pod: ApiObject = POD,
) => {
  const commands: string[] = []
  const context = {
    system,
    target,
    params: {},
    laboratory: 'laboratory',
    share: 1,
    signal: new AbortController().signal,
    sleep: async () => {},
    api: {
      list: async () => ({ items: [pod], resourceVersion: '1' }),
      get: async ({ plural }: { plural: string }) => (plural === 'pods' ? pod : INJECTED),
      exec: async (_pod: unknown, command: readonly string[]) => {
        const outcome = outcomes[Math.min(commands.length, outcomes.length - 1)]!
        commands.push(command.join(' '))
        if (outcome instanceof Error) throw outcome
        return outcome
      },
    },
  } as unknown as FaultContext
  return { context, commands }
}

/** Starts a server that accepts connections and never answers. */
const startSilentServer = async (): Promise<{ port: number }> => {
  const server = createServer(() => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port }
}

describe('a user of a database', () => {
  const target = { service: 'tsdb-mysql' }
  const startMysql = async () => {
    const users = [{ name: 'ts', password: 'Ts_123456', databases: ['ts'] }]
    const store = await startStore('mysql', { users, databases: ['ts'] })
    const run = (statement: string) => store.client.query({ sql: { statement, parameters: [] } })
    const probe = () => login.probe!(fakeStoreContext(tickets, target, store).context, {})
    const { rights } = await probe()
    const isRepaired = async () => {
      const facts = JSON.parse(JSON.stringify(await probe()))
      const nothing = { get: () => undefined, list: () => [] }
      const objects = { baseline: nothing, injected: nothing, now: nothing }
      return login.isGone({ system: tickets, target, params: {}, state: { rights }, facts, ...objects }).holds
    }
    return { run, isRepaired, store }
  }

  it('is judged by its effective permissions, however they were granted', async () => {
    const { run, isRepaired } = await startMysql()
    expect(await isRepaired()).toBe(true)
    await run("REVOKE ALL PRIVILEGES ON ts.* FROM 'ts'@'%'")
    expect(await isRepaired()).toBe(false)
    await run("GRANT SELECT ON ts.* TO 'ts'@'%'")
    expect(await isRepaired()).toBe(false)
    await run(`GRANT ${MYSQL_PRIVILEGES.database.join(', ')} ON ts.* TO 'ts'@'%'`)
    expect(await isRepaired()).toBe(true)
    await run("GRANT SUPER ON *.* TO 'ts'@'%'")
    expect(await isRepaired()).toBe(false)
  })

  it('can be recreated with the deployed password', async () => {
    const { run, isRepaired } = await startMysql()
    await run("DROP USER 'ts'@'%'")
    expect(await isRepaired()).toBe(false)
    await run("CREATE USER 'ts'@'%' IDENTIFIED BY 'other'; GRANT ALL PRIVILEGES ON ts.* TO 'ts'@'%'")
    expect(await isRepaired()).toBe(false)
    await run("ALTER USER 'ts'@'%' IDENTIFIED BY 'Ts_123456'")
    expect(await isRepaired()).toBe(true)
  })

  it('of MongoDB has the actions of its roles', async () => {
    const environment = { MONGO_INITDB_ROOT_USERNAME: 'root', MONGO_INITDB_ROOT_PASSWORD: 'root' }
    const users = [{ name: 'admin', password: 'admin', databases: ['geo-db'] }]
    const store = await startStore('mongodb', { users, environment })
    const { context } = fakeStoreContext(hotels, { service: 'mongodb-geo' }, store)
    const expected = { allowed: true, rights: ['read@geo-db', 'schema@geo-db', 'write@geo-db'], writes: true }
    expect(await login.probe!(context, {})).toEqual(expected)
  })

  it('must be able to write, whatever the store lists as its permissions', async () => {
    const { run, store } = await startMysql()
    const probe = () => login.probe!(fakeStoreContext(tickets, target, store).context, {})
    const { rights, ...allowed } = await probe()
    expect(allowed).toEqual({ allowed: true, writes: true })
    // The probe removes what it has written.
    expect(await run('SHOW TABLES FROM ts')).toEqual([])
    await run("REVOKE ALL PRIVILEGES ON ts.* FROM 'ts'@'%'; GRANT SELECT ON ts.* TO 'ts'@'%'")
    expect(await probe()).toMatchObject({ allowed: true, writes: false })
    const nothing = { get: () => undefined, list: () => [] }
    const objects = { baseline: nothing, injected: nothing, now: nothing }
    const judge = (facts: object) =>
      login.isGone({
        system: tickets,
        target,
        params: {},
        state: { rights },
        facts: { allowed: true, rights, ...facts },
        ...objects,
      })
    expect(judge({ writes: false })).toMatchObject({
      holds: false,
      evidence: expect.stringMatching(/but cannot write to it$/),
    })
    expect([judge({ writes: true }).holds, judge({}).holds]).toEqual([true, true])
  })

  it('cannot be probed if the store is unreachable', async () => {
    const probe = (endpoint: StoreEndpoint, pods?: readonly ApiObject[]) =>
      login.probe!(fakeStoreContext(tickets, target, endpoint, pods).context, {})
    await expect(probe(LOST)).rejects.toThrow(LOST)
    await expect(probe({ port: 1 }, [])).rejects.toThrow('no pod that its workload created')
    const { context } = fakeStoreContext(tickets, target, await startSilentServer())
    const controller = new AbortController()
    const probed = login.probe!({ ...context, signal: controller.signal }, {})
    setTimeout(() => controller.abort(), 50)
    await expect(probed).rejects.toThrow()
  })

  it('is probed in a pod that the workload created, not in another one with the same labels', async () => {
    const { store } = await startMysql()
    const { storePod } = fakeStoreContext(tickets, target, store)
    const { spec, metadata } = storePod
    const labels = { app: 'tsdb-mysql', role: 'leader' }
    const changed = structuredClone(storePod) as ApiObject & {
      spec: { containers: { command?: string[] }[] }
    }
    changed.spec.containers[0]!.command = ['sh', '-c', 'fake']
    const fakes = [
      { ...POD, spec, metadata: { name: '0', uid: '0', labels } },
      { ...changed, metadata: { ...metadata, name: '1', uid: '1', labels } },
      {
        ...storePod,
        metadata: {
          ...metadata,
          name: '2',
          uid: '2',
          labels,
          ownerReferences: [{ ...(metadata.ownerReferences as object[])[0], uid: 'x' }],
        },
      },
    ] as ApiObject[]
    const { context, connectedUids } = fakeStoreContext(tickets, target, store, [...fakes, storePod])
    await login.probe!(context, {})
    expect(new Set(connectedUids)).toEqual(new Set(['own']))
  })

  it('keeps its permissions if they cannot be listed', async () => {
    const { context, commands } = fakeStoreContext(tickets, target, LOST)
    await expect(login.inject(context)).rejects.toThrow(LOST)
    expect(commands).toEqual([])
  })
})

describe('a table', () => {
  const isRestored = async (
    context: FaultContext,
    entries: unknown,
    { system, target }: { system: SystemView; target: FaultTarget },
  ) => {
    const state = { entries: (entries as { entries: unknown }).entries }
    const facts = JSON.parse(JSON.stringify(await databaseDropped.probe!(context, state)))
    const nothing = { get: () => undefined, list: () => [] }
    const objects = { baseline: nothing, injected: nothing, now: nothing }
    return databaseDropped.isGone({ system, target, params: {}, state, facts, ...objects }).holds
  }

  it('is restored if every former row has the same content, except for generated values', async () => {
    const target = databaseDropped.targets(tickets).find(({ table }) => table === 'trip')!
    const store = await startStore('mysql', { databases: ['ts'] })
    const run = (statement: string) => store.client.query({ sql: { statement, parameters: [] } })
    await run('CREATE TABLE ts.trip (tripId VARCHAR(9) PRIMARY KEY, id VARCHAR(36), routeId VARCHAR(36))')
    await run("INSERT INTO ts.trip VALUES ('G1', 'a', 'r1'), ('G2', 'b', 'r2')")
    const { context } = fakeStoreContext(tickets, target, store)
    const before = await databaseDropped.probe!(context, { entries: { trip: [] } })
    const isTableRestored = () => isRestored(context, before, { system: tickets, target })
    await run('DROP TABLE ts.trip')
    expect(await isTableRestored()).toBe(false)
    await run('CREATE TABLE ts.trip (tripId VARCHAR(9) PRIMARY KEY, id VARCHAR(36), routeId VARCHAR(36))')
    await run("INSERT INTO ts.trip VALUES ('G1', '', ''), ('G2', '', '')")
    expect(await isTableRestored()).toBe(false)
    await run("UPDATE ts.trip SET id = 'c', routeId = 'r1' WHERE tripId = 'G1'")
    expect(await isTableRestored()).toBe(false)
    await run("UPDATE ts.trip SET routeId = 'r2' WHERE tripId = 'G2'")
    expect(await isTableRestored()).toBe(true)
  })

  it('of MongoDB is restored if its documents have the same content, regardless of their ids', async () => {
    const target = databaseDropped.targets(hotels).find(({ table }) => table === 'hotels')!
    const store = await startStore('mongodb', {})
    const run = (mongo: object) => store.client.query({ mongo: { ...mongo, $db: 'profile-db' } })
    const documents = [{ id: '1', name: 'Clift', address: { lat: 1, lon: 2 } }]
    await run({ insert: 'hotels', documents })
    const { context } = fakeStoreContext(hotels, target, store)
    const before = await databaseDropped.probe!(context, { entries: { hotels: [] } })
    const isTableRestored = () => isRestored(context, before, { system: hotels, target })
    await run({ dropDatabase: 1 })
    await run({ insert: 'hotels', documents: [{ id: '1' }] })
    expect(await isTableRestored()).toBe(false)
    await run({ insert: 'hotels', documents: [{ address: { lon: 2, lat: 1 }, name: 'Clift', id: '1' }] })
    expect(await isTableRestored()).toBe(true)
  })

  it.each(['unreachable', 'empty'])('is not dropped if the store is %s', async (state) => {
    const endpoint = state === 'unreachable' ? LOST : await startStore('mysql', { databases: ['ts'] })
    const { context, commands } = fakeStoreContext(tickets, droppedTarget!, endpoint)
    await expect(databaseDropped.inject(context)).rejects.toThrow()
    expect(commands).toEqual([])
  })
})

it('the state of workers is unknown if the host cannot list the programs of the pod', async () => {
  const state = { pod: 'a', uid: 'u', container: 'c' }
  const { context, commands } = createContext(
    tickets,
    { service: 'ts-order-service' },
    [outcome('0')],
    RUNNING,
  )
  const probe = (programsIn?: FaultContext['programsIn']) =>
    cpuStress.probe!({ ...context, ...defined({ programsIn }) }, state)
  expect(await probe(async () => ['node', 'stress-ng'])).toEqual({})
  expect(await probe(async () => ['node'])).toEqual({ ended: 'is no longer affected' })
  await expect(probe(() => Promise.reject(LOST))).rejects.toThrow(LOST)
  await expect(probe()).rejects.toThrow('cannot list the programs')
  expect(commands).toEqual([])
})

describe('a pod that does nothing', () => {
  const target = { service: 'frontend' }
  const { podSpec } = boutique.workloadOf(target.service)
  const [main] = podSpec.containers
  const isRepaired = async (...images: readonly string[]): Promise<boolean> => {
    const containers = images.map((image, index) => ({ ...(podSpec.containers[index] ?? main), image }))
    const pod = { ...POD, spec: { containers } }
    const { context } = createContext(boutique, target, [], pod)
    const state = { pod: 'a', uid: 'u', container: '' }
    const objects = { get: () => undefined, list: () => [pod] }
    const facts = await podFail.probe!(context, state)
    // A record contains the facts as JSON.
    const snapshot = {
      system: boutique,
      target,
      params: {},
      state,
      facts: JSON.parse(JSON.stringify(facts)),
    }
    return podFail.isGone({ ...snapshot, baseline: objects, injected: objects, now: objects }).holds
  }

  it('is repaired in place only by its former image', async () => {
    expect(await isRepaired('pause:latest')).toBe(false)
    expect(await isRepaired('busybox:1')).toBe(false)
    expect(await isRepaired(main!.image!, 'pause:latest')).toBe(false)
    expect(await isRepaired(main!.image!)).toBe(true)
  })
})

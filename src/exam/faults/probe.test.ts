/** Tests of probes inside pods and stores: every response is a fact, and a lost connection rejects. */
import { describe, expect, it } from 'vitest'
import type { ApiObject, ExecOutcome, FaultContext, FaultTarget, SystemView } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { loadFault } from './index.ts'

const tickets = createSystemView(await loadSystem('train-ticket'))
const boutique = createSystemView(await loadSystem('online-boutique'))
const failing = await loadFault('pod-fail')
const login = await loadFault('login-revoked')
const database = await loadFault('database-dropped')
const stress = await loadFault('cpu-stress')
const [dropped] = database.targets(tickets)

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
const contextOf = (
  system: SystemView,
  target: FaultTarget,
  answers: readonly (ExecOutcome | Error)[],
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
        const answer = answers[Math.min(commands.length, answers.length - 1)]!
        commands.push(command.join(' '))
        if (answer instanceof Error) throw answer
        return answer
      },
    },
  } as unknown as FaultContext
  return { context, commands }
}

describe('a user of a database', () => {
  const target = { service: 'tsdb-mysql' }
  const probe = (...answers: (ExecOutcome | Error)[]) =>
    login.probe!(contextOf(tickets, target, answers).context, {})

  it('is rejected only by the store', async () => {
    expect(await probe(outcome('orders'), outcome('GRANT B\nGRANT A'))).toMatchObject({
      allowed: true,
      rights: 'GRANT A\nGRANT B',
    })
    expect(await probe(outcome('', 1))).toMatchObject({ allowed: false })
    await expect(probe(LOST)).rejects.toThrow(LOST)
    await expect(probe(outcome('orders'), LOST)).rejects.toThrow(LOST)
  })

  it.each([LOST, outcome('', 1)])('keeps its permissions if they could not be listed', async (answer) => {
    const { context, commands } = contextOf(tickets, target, [answer])
    await expect(login.inject(context)).rejects.toThrow()
    expect(commands.join()).not.toContain('REVOKE')
  })
})

describe('a table', () => {
  const probe = (answer: ExecOutcome | Error) =>
    database.probe!(contextOf(tickets, dropped!, [answer]).context, {})

  it('has the rows that the store counts', async () => {
    expect(await probe(outcome('12\n'))).toEqual({ rows: 12 })
    expect(await probe(outcome('', 1))).toEqual({ rows: 0 })
    await expect(probe(LOST)).rejects.toThrow(LOST)
  })

  it.each([LOST, outcome('', 1), outcome('0\n')])('is not dropped if it has no rows', async (answer) => {
    const { context, commands } = contextOf(tickets, dropped!, [answer])
    await expect(database.inject(context)).rejects.toThrow()
    expect(commands.join()).not.toMatch(/drop/i)
  })
})

it('the state of workers is unknown if the pod cannot be probed', async () => {
  const state = { pod: 'a', uid: 'u', container: 'c' }
  const target = { service: 'ts-order-service' }
  const probe = (answer: ExecOutcome | Error) =>
    stress.probe!(contextOf(tickets, target, [answer], RUNNING).context, state)
  expect(await probe(outcome('2\n'))).toEqual({})
  expect(await probe(outcome('0\n'))).toEqual({ ended: 'is no longer affected' })
  expect(await probe(outcome('', 137))).toEqual({})
  await expect(probe(LOST)).rejects.toThrow(LOST)
})

describe('a pod that does nothing', () => {
  const target = { service: 'frontend' }
  const { podSpec } = boutique.workloadOf(target.service)
  const [main] = podSpec.containers
  const isRepaired = async (...images: readonly string[]): Promise<boolean> => {
    const containers = images.map((image, index) => ({ ...(podSpec.containers[index] ?? main), image }))
    const pod = { ...POD, spec: { containers } }
    const { context } = contextOf(boutique, target, [], pod)
    const state = { pod: 'a', uid: 'u', container: '' }
    const objects = { get: () => undefined, list: () => [pod] }
    const facts = await failing.probe!(context, state)
    // The facts as they are read from a record.
    const snapshot = {
      system: boutique,
      target,
      params: {},
      state,
      facts: JSON.parse(JSON.stringify(facts)),
    }
    return failing.isGone({ ...snapshot, baseline: objects, injected: objects, now: objects }).holds
  }

  it('is repaired in place only by its former image', async () => {
    expect(await isRepaired('pause:latest')).toBe(false)
    expect(await isRepaired('busybox:1')).toBe(false)
    expect(await isRepaired(main!.image!, 'pause:latest')).toBe(false)
    expect(await isRepaired(main!.image!)).toBe(true)
  })
})

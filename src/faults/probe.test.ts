/** What probes inside pods and stores take for a fact: an answer of whatever kind, and never that nobody could be asked. */
import { describe, expect, it } from 'vitest'
import type { ApiObject, ExecOutcome, FaultContext, FaultTarget, SystemView } from '../spec/index.ts'
import { createSystemView } from '../system-view/index.ts'
import { loadSystem } from '../systems/index.ts'
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
const IN_FORCE: ApiObject = {
  apiVersion: 'chaos-mesh.org/v1alpha1',
  kind: 'StressChaos',
  metadata: { name: 'a' },
  status: { conditions: [{ type: 'AllInjected', status: 'True' }] },
}
const LOST = new Error('the connection to the pod was lost')

const said = (stdout: string, exitCode = 0): ExecOutcome => ({ exitCode, stdout, stderr: '' })

/** A cluster of one pod, in which commands come to these one after the other, and the last one again and again. */
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
      get: async ({ plural }: { plural: string }) => (plural === 'pods' ? pod : IN_FORCE),
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
  const ask = (...answers: (ExecOutcome | Error)[]) =>
    login.probe!(contextOf(tickets, target, answers).context, {})

  it('is refused or not by the store alone', async () => {
    expect(await ask(said('orders'), said('GRANT B\nGRANT A'))).toMatchObject({
      allowed: true,
      rights: 'GRANT A\nGRANT B',
    })
    expect(await ask(said('', 1))).toMatchObject({ allowed: false })
    await expect(ask(LOST)).rejects.toThrow(LOST)
    await expect(ask(said('orders'), LOST)).rejects.toThrow(LOST)
  })

  it.each([LOST, said('', 1)])('keeps rights that could not be read before', async (answer) => {
    const { context, commands } = contextOf(tickets, target, [answer])
    await expect(login.inject(context)).rejects.toThrow()
    expect(commands.join()).not.toContain('REVOKE')
  })
})

describe('a table', () => {
  const ask = (answer: ExecOutcome | Error) =>
    database.probe!(contextOf(tickets, dropped!, [answer]).context, {})

  it('has the rows that the store counts', async () => {
    expect(await ask(said('12\n'))).toEqual({ rows: 12 })
    expect(await ask(said('', 1))).toEqual({ rows: 0 })
    await expect(ask(LOST)).rejects.toThrow(LOST)
  })

  it.each([LOST, said('', 1), said('0\n')])('is not dropped where none were counted', async (answer) => {
    const { context, commands } = contextOf(tickets, dropped!, [answer])
    await expect(database.inject(context)).rejects.toThrow()
    expect(commands.join()).not.toMatch(/drop/i)
  })
})

it('workers are neither there nor gone where nobody could look', async () => {
  const state = { pod: 'a', uid: 'u', container: 'c' }
  const target = { service: 'ts-order-service' }
  const ask = (answer: ExecOutcome | Error) =>
    stress.probe!(contextOf(tickets, target, [answer], RUNNING).context, state)
  expect(await ask(said('2\n'))).toEqual({})
  expect(await ask(said('0\n'))).toEqual({ ended: 'is free of it' })
  expect(await ask(said('', 137))).toEqual({})
  await expect(ask(LOST)).rejects.toThrow(LOST)
})

describe('a pod that does nothing', () => {
  const target = { service: 'frontend' }
  const { podSpec } = boutique.workloadOf(target.service)
  const [main] = podSpec.containers
  const isMended = async (...images: readonly string[]): Promise<boolean> => {
    const containers = images.map((image, index) => ({ ...(podSpec.containers[index] ?? main), image }))
    const pod = { ...POD, spec: { containers } }
    const { context } = contextOf(boutique, target, [], pod)
    const state = { pod: 'a', uid: 'u', container: '' }
    const objects = { get: () => undefined, list: () => [pod] }
    const facts = await failing.probe!(context, state)
    // As it is recorded, and read again.
    const scene = {
      system: boutique,
      target,
      params: {},
      state,
      facts: JSON.parse(JSON.stringify(facts)),
    }
    return failing.isGone({ ...scene, baseline: objects, injected: objects, now: objects }).holds
  }

  it('is mended in its place by the image that it had, and by no other', async () => {
    expect(await isMended('pause:latest')).toBe(false)
    expect(await isMended('busybox:1')).toBe(false)
    expect(await isMended(main!.image, 'pause:latest')).toBe(false)
    expect(await isMended(main!.image)).toBe(true)
  })
})

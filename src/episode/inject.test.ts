/** Faults over time: sudden, gradual, intermittent, transient, and one after another. */
import { describe, expect, it } from 'vitest'
import type { ApiObject, Fault } from '../spec/index.ts'
import { createInjection } from './inject.ts'
import { createFakeLab, fakeFault, toPlanned } from './testing/fake-lab.ts'

const kinds = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type)

/** What the laboratory is blamed for, after a fault that was to vanish is taken back in this way. */
const failureOf = async (recover: Fault['recover']): Promise<string | undefined> => {
  const { core } = createFakeLab([{ ...fakeFault([]), recover }])
  const injection = createInjection(core)
  await injection.begin([toPlanned({ shape: { kind: 'transient', forMs: 1 } })])
  injection.letTimePass()
  await core.time.sleep(50)
  await injection.stop()
  return core.failure?.message
}

describe('an injection', () => {
  it('of a sudden fault is done once, whole', async () => {
    const notes: string[] = []
    const { core, log } = createFakeLab([fakeFault(notes)])
    const injection = createInjection(core)
    await injection.begin([toPlanned()])
    expect(notes).toEqual(['inject 1'])
    expect(log.events.at(-1)).toMatchObject({
      type: 'fault-injected',
      index: 0,
      fault: 'broken',
      state: { pod: 'greeter-1' },
    })
    await injection.stop()
  })

  it('of a gradual one grows, and is whole before anybody is told', async () => {
    const notes: string[] = []
    const { core } = createFakeLab([fakeFault(notes)])
    const injection = createInjection(core)
    await injection.begin([toPlanned({ shape: { kind: 'gradual', overMs: 8 } })])
    expect(notes).toEqual(['inject 0.25', 'inject 0.5 again', 'inject 0.75 again', 'inject 1 again'])
  })

  it('of a transient one is taken back by the laboratory', async () => {
    const notes: string[] = []
    const { core, log } = createFakeLab([fakeFault(notes)])
    const injection = createInjection(core)
    await injection.begin([toPlanned({ shape: { kind: 'transient', forMs: 60 } })])
    injection.letTimePass()
    await expect.poll(() => kinds(log.events)).toContain('fault-recovered')
    expect(notes).toEqual(['inject 1', 'recover'])
    expect(injection.faults[0]!.isRecovered).toBe(true)
  })

  it('of a transient one waits for whoever holds it', async () => {
    const notes: string[] = []
    const { core } = createFakeLab([fakeFault(notes)])
    const injection = createInjection(core)
    await injection.begin([toPlanned({ shape: { kind: 'transient', forMs: 1 } })])
    const release = await injection.hold()
    injection.letTimePass()
    await core.time.sleep(50)
    expect(notes).toEqual(['inject 1'])
    release()
    await expect.poll(() => notes).toEqual(['inject 1', 'recover'])
  })

  it.each([
    [404, undefined],
    [409, 'A fault could not go on: no.'],
  ])('that cannot go on, since the API says %i, is the failure %s', async (code, failure) => {
    const recover = async () => {
      throw Object.assign(new Error('no'), { code })
    }
    expect(await failureOf(recover)).toEqual(failure)
  })

  it('that the end of the episode finds in the middle of something has not failed', async () => {
    const recover: Fault['recover'] = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    expect(await failureOf(recover)).toBeUndefined()
  })

  it('of an intermittent one comes and goes until somebody has mended it', async () => {
    const notes: string[] = []
    const mended: ApiObject[] = []
    const { core } = createFakeLab([fakeFault(notes, () => mended)])
    const injection = createInjection(core)
    await injection.begin([toPlanned({ shape: { kind: 'intermittent', onMs: 5, offMs: 5 } })])
    injection.letTimePass()
    await expect.poll(() => notes.length).toBeGreaterThanOrEqual(4)
    expect(notes.slice(0, 4)).toEqual(['inject 1', 'recover', 'inject 1 again', 'recover'])
    mended.push({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'new' } })
    await core.time.sleep(60)
    const count = notes.length
    await core.time.sleep(60)
    expect(notes.length).toBe(count)
    await injection.stop()
  })

  it('of several keeps to their order, and says which of the problem each is', async () => {
    const { core, log } = createFakeLab([fakeFault([])])
    const injection = createInjection(core)
    const first = core.time.precise()
    await injection.begin([toPlanned({ afterMs: 50 }), toPlanned()])
    expect(core.time.precise() - first).toBeGreaterThanOrEqual(49)
    expect(log.events.map((event) => (event as { index?: number }).index)).toEqual([1, 0])
  })

  it('of a fault that does not exist is refused', async () => {
    const { core } = createFakeLab()
    await expect(createInjection(core).begin([toPlanned()])).rejects.toThrow('There is no fault "broken"')
  })
})

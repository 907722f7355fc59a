/** Tests faults over time: sudden, gradual, intermittent, transient, and several in order. */
import { describe, expect, it } from 'vitest'
import type { ApiObject, Fault } from '#spec'
import { createFakeLab, fakeFault, toPlanned } from '../testing/fake-lab.ts'
import { createInjection } from './injection.ts'

const typesOf = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type)

/** Returns the failure of the laboratory, if any, after `recover` was called for a transient fault. */
const failureOf = async (recover: Fault['recover']): Promise<string | undefined> => {
  const { equipment } = createFakeLab([{ ...fakeFault([]), recover }])
  const injection = createInjection(equipment)
  await injection.start([toPlanned({ shape: { kind: 'transient', forMs: 1 } })])
  injection.startSchedules()
  await equipment.time.sleep(50)
  await injection.stop()
  return equipment.failure.current?.message
}

describe('an injection', () => {
  it('of a sudden fault happens once', async () => {
    const notes: string[] = []
    const { equipment, log } = createFakeLab([fakeFault(notes)])
    const injection = createInjection(equipment)
    await injection.start([toPlanned()])
    expect(notes).toEqual(['inject 1'])
    expect(log.events.at(-1)).toMatchObject({
      type: 'fault-injected',
      index: 0,
      fault: 'broken',
      state: { pod: 'greeter-1' },
    })
    await injection.stop()
  })

  it('of a gradual fault grows, and is complete when the injection resolves', async () => {
    const notes: string[] = []
    const { equipment } = createFakeLab([fakeFault(notes)])
    const injection = createInjection(equipment)
    await injection.start([toPlanned({ shape: { kind: 'gradual', overMs: 8 } })])
    expect(notes).toEqual(['inject 0.25', 'inject 0.5 again', 'inject 0.75 again', 'inject 1 again'])
  })

  it('of a transient fault is recovered by the laboratory', async () => {
    const notes: string[] = []
    const { equipment, log } = createFakeLab([fakeFault(notes)])
    const injection = createInjection(equipment)
    await injection.start([toPlanned({ shape: { kind: 'transient', forMs: 60 } })])
    injection.startSchedules()
    await expect.poll(() => typesOf(log.events)).toContain('fault-recovered')
    expect(notes).toEqual(['inject 1', 'recover'])
    expect(injection.faults[0]!.isRecovered).toBe(true)
  })

  it('of a transient fault waits while schedules are held', async () => {
    const notes: string[] = []
    const { equipment } = createFakeLab([fakeFault(notes)])
    const injection = createInjection(equipment)
    await injection.start([toPlanned({ shape: { kind: 'transient', forMs: 1 } })])
    const release = await injection.hold()
    injection.startSchedules()
    await equipment.time.sleep(50)
    expect(notes).toEqual(['inject 1'])
    release()
    await expect.poll(() => notes).toEqual(['inject 1', 'recover'])
  })

  it.each([
    [404, undefined],
    [409, 'The schedule of a fault failed: no.'],
  ])('whose schedule receives the API error %i reports the failure %s', async (code, failure) => {
    const recover = async () => {
      throw Object.assign(new Error('no'), { code })
    }
    expect(await failureOf(recover)).toEqual(failure)
  })

  it('does not fail if the end of the episode interrupts it', async () => {
    const recover: Fault['recover'] = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    expect(await failureOf(recover)).toBeUndefined()
  })

  it('of an intermittent fault alternates until it is repaired', async () => {
    const notes: string[] = []
    const repaired: ApiObject[] = []
    const { equipment } = createFakeLab([fakeFault(notes, () => repaired)])
    const injection = createInjection(equipment)
    await injection.start([toPlanned({ shape: { kind: 'intermittent', onMs: 5, offMs: 5 } })])
    injection.startSchedules()
    await expect.poll(() => notes.length).toBeGreaterThanOrEqual(4)
    expect(notes.slice(0, 4)).toEqual(['inject 1', 'recover', 'inject 1 again', 'recover'])
    repaired.push({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'new' } })
    await equipment.time.sleep(60)
    const count = notes.length
    await equipment.time.sleep(60)
    expect(notes.length).toBe(count)
    await injection.stop()
  })

  it('of several faults keeps their order, and records their indexes', async () => {
    const { equipment, log } = createFakeLab([fakeFault([])])
    const injection = createInjection(equipment)
    const startedAt = equipment.time.precise()
    await injection.start([toPlanned({ afterMs: 50 }), toPlanned()])
    expect(equipment.time.precise() - startedAt).toBeGreaterThanOrEqual(49)
    expect(log.events.map((event) => (event as { index?: number }).index)).toEqual([1, 0])
  })

  it('rejects an unknown fault', async () => {
    const { equipment } = createFakeLab()
    await expect(createInjection(equipment).start([toPlanned()])).rejects.toThrow(
      'There is no fault "broken"',
    )
  })
})

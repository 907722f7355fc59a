/** Tests that a failed probe is recorded, unless the laboratory failed. */
import { expect, it } from 'vitest'
import { type Fault, type FaultContext, RemediumError } from '#spec'
import { createFakeLab } from '../testing/fake-lab.ts'
import type { InjectedFault } from './fault-switch.ts'
import { probeCause } from './probe-cause.ts'

const probeWith = async (probe: NonNullable<Fault['probe']>) => {
  const { equipment, log } = createFakeLab()
  const time = {
    ...equipment.time,
    sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms / 100)),
  }
  const injected = { index: 0, state: {}, fault: { probe } } as unknown as InjectedFault
  const contextOf = () => ({ signal: new AbortController().signal }) as FaultContext
  await probeCause({ equipment: { ...equipment, time }, log, injection: { contextOf } }, injected)
  return log.events.filter(({ type }) => type === 'cause-probed')
}

it('records the observation', async () => {
  expect(await probeWith(async () => ({ left: 0 }))).toMatchObject([{ index: 0, facts: { left: 0 } }])
})

it('records why a probe failed or was late', async () => {
  const probeFailingWith = (error: Error) => probeWith(() => Promise.reject(error))
  expect(await probeFailingWith(new Error('no pod'))).toMatchObject([{ facts: {}, failed: 'no pod' }])
  expect((await probeFailingWith(new Error('x'.repeat(9999))))[0]).toMatchObject({ failed: 'x'.repeat(300) })
  let isAborted = false
  const hanging = probeWith(
    ({ signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => {
          isAborted = true
        })
      }),
  )
  expect(await hanging).toMatchObject([{ facts: {}, failed: 'no answer within 5 s' }])
  expect(isAborted).toBe(true)
})

it('records nothing if the laboratory failed', async () => {
  expect(await probeWith(() => Promise.reject(new RemediumError('cluster-lost', 'Gone.')))).toEqual([])
})

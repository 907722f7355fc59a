/** Tests the record of a solver's writes. */
import { expect, it } from 'vitest'
import type { ApiWrite } from '#spec'
import type { NewEvent } from '../record/event-log.ts'
import { recordWrites } from './record-writes.ts'

const WRITE: ApiWrite = { verb: 'patch', object: 'deployments/a', code: 200, client: 'kubectl' }

it('records single writes up to a limit, counts equal ones beyond it, and stops at the end', () => {
  const events: NewEvent[] = []
  const listeners = new Set<(write: ApiWrite) => void>()
  const recording = recordWrites(
    {
      followWrites(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    { add: (event) => void events.push(event) },
  )
  const emitWrite = (more: Partial<ApiWrite> = {}): void => {
    for (const listener of listeners) listener({ ...WRITE, ...more })
  }
  for (let index = 0; index < 2000; index += 1) emitWrite()
  expect(events).toHaveLength(2000)
  expect(events[0]).toEqual({ type: 'write-audited', ...WRITE })
  for (let index = 0; index < 500; index += 1) emitWrite()
  for (let index = 0; index < 500; index += 1) emitWrite({ object: `pods/${index}`, verb: 'delete' })
  recording.end()
  emitWrite()
  const counted = events.slice(2000) as { count: number; object: string }[]
  expect(counted[0]).toEqual({ type: 'write-audited', ...WRITE, count: 500 })
  expect(counted.length).toBeLessThanOrEqual(202)
  expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(1000)
  expect(counted.at(-1)).toMatchObject({ object: '*', verb: 'delete' })
})

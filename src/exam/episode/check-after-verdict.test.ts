/** Tests when a check after the verdict becomes an event of the record. */
import { expect, it } from 'vitest'
import { RemediumError } from '#spec'
import { checkAfterVerdict } from './check-after-verdict.ts'
import type { EventLog } from './record/event-log.ts'
import { createFakeLab, toProblem } from './testing/fake-lab.ts'

const FINDING = { holds: true, evidence: 'all pods are ready' }

it('adds only the result of the check to the record', async () => {
  const { equipment, log } = createFakeLab()
  await checkAfterVerdict(equipment, toProblem([]), log, async ({ namespace }) => {
    expect(namespace).toBe(equipment.view.namespace)
    return FINDING
  })
  expect(log.events).toMatchObject([{ type: 'micro-remed-checked', ...FINDING }])
  expect(equipment.recorder.log).toBeUndefined()
})

it('adds nothing if the check does not apply', async () => {
  const { equipment, log } = createFakeLab()
  await checkAfterVerdict(equipment, toProblem([]), log, async () => undefined)
  expect(log.events).toEqual([])
})

it('adds nothing if the laboratory has failed, and does not reject', async () => {
  const { equipment, log } = createFakeLab()
  equipment.failure.set(new RemediumError('cluster-lost', 'The cluster is lost.'))
  await checkAfterVerdict(equipment, toProblem([]), log, async ({ throwIfFailed }) => {
    throwIfFailed()
    return FINDING
  })
  expect(log.events).toEqual([])
})

it.each([
  ['record-lost', true],
  ['clock-jumped', false],
] as const)('if adding the event fails with %s, rejects: %s', async (code, rejects) => {
  const { equipment } = createFakeLab()
  const log = {
    add() {
      throw new RemediumError(code, 'It failed.')
    },
  } as unknown as EventLog
  const recording = checkAfterVerdict(equipment, toProblem([]), log, async () => FINDING)
  await (rejects
    ? expect(recording).rejects.toThrow('It failed.')
    : expect(recording).resolves.toBeUndefined())
})

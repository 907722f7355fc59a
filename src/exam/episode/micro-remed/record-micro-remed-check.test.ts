/** Tests when MicroRemed's check becomes an event of the record. */
import { expect, it } from 'vitest'
import { RemediumError } from '#spec'
import type { EventLog } from '../record/event-log.ts'
import { createFakeLab, toPlanned, toProblem } from '../testing/fake-lab.ts'
import { recordMicroRemedCheck } from './record-micro-remed-check.ts'

const METRICS = {
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'PodMetrics',
  metadata: { name: 'greeter-1' },
  containers: [{ name: 'greeter', usage: { cpu: '1m', memory: '1Mi' } }],
}
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'greeter-1' },
  spec: { containers: [{ name: 'greeter' }] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
}

const createLab = () => {
  const lab = createFakeLab()
  Object.assign(lab.equipment.cluster.api, {
    list: async ({ apiVersion }: { apiVersion: string }) => ({
      items: [apiVersion === 'v1' ? POD : METRICS],
    }),
  })
  return lab
}
const problemWith = (...faults: string[]) => toProblem(faults.map((fault) => toPlanned({ fault })))

it("adds only the result of the check to the record, for MicroRemed's faults", async () => {
  const { equipment, log } = createLab()
  await recordMicroRemedCheck(equipment, problemWith('pod-fail', 'cpu-stress'), log)
  expect(log.events).toMatchObject([
    {
      type: 'micro-remed-checked',
      holds: true,
      evidence:
        'all pods are ready, and the target has metrics; the CPU usage of each container is below half of its limit',
    },
  ])
  expect(equipment.recorder.log).toBeUndefined()
})

it.each([[[]], [['release-slow']], [['pod-fail', 'release-slow']]])(
  'adds nothing for the faults %j',
  async (faults) => {
    const { equipment, log } = createLab()
    await recordMicroRemedCheck(equipment, problemWith(...faults), log)
    expect(log.events).toEqual([])
  },
)

it('adds nothing if the laboratory has failed, and does not reject', async () => {
  const { equipment, log } = createLab()
  equipment.failure.set(new RemediumError('cluster-lost', 'The cluster is lost.'))
  await recordMicroRemedCheck(equipment, problemWith('pod-fail'), log)
  expect(log.events).toEqual([])
})

it.each([
  ['record-lost', true],
  ['clock-jumped', false],
] as const)('if adding the event fails with %s, rejects: %s', async (code, rejects) => {
  const { equipment } = createLab()
  const log = {
    add() {
      throw new RemediumError(code, 'It failed.')
    },
  } as unknown as EventLog
  const recording = recordMicroRemedCheck(equipment, problemWith('pod-fail'), log)
  await (rejects
    ? expect(recording).rejects.toThrow('It failed.')
    : expect(recording).resolves.toBeUndefined())
})

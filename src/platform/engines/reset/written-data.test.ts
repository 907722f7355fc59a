/** Tests that data which a pod of an agent may have written does not survive a reset, and what that costs. */
import { afterEach, expect, it } from 'vitest'
import type { ResetReport } from '#spec'
import { createSimulatedReset, NAMESPACE, workloadSpec } from './testing/simulated-reset.ts'

const AGENT = { username: 'agent', groups: ['system:masters'] }
const PODS = { apiVersion: 'v1', plural: 'pods', namespace: NAMESPACE }
const DEPLOYMENTS = { apiVersion: 'apps/v1', plural: 'deployments', namespace: NAMESPACE }
const CLAIM = `${NAMESPACE}/data`
const STORE = 'idle'

let simulation: ReturnType<typeof createSimulatedReset>
afterEach(() => simulation.cluster.stop())

type Api = ReturnType<ReturnType<typeof createSimulatedReset>['cluster']['apiFor']>

interface ResetResult {
  readonly report: ResetReport
  /** The claims whose content was restored. */
  readonly restored: readonly string[]
}

/** Resets a cluster that has a store without a claim, a claim that users have changed, and two further workloads. */
const resetAfter = async (act: (api: Api) => Promise<void>, isTrusted = false): Promise<ResetResult> => {
  simulation = createSimulatedReset()
  simulation.create('apps/v1', 'Deployment', { metadata: { name: 'web' }, spec: workloadSpec('web') })
  const restored: string[] = []
  const reset = simulation.takeBaseline((error) => expect.unreachable(error.message), [STORE], {
    keepData: true,
    isTrusted,
    contents: {
      changed: async () => [CLAIM],
      async restore(claim) {
        restored.push(claim)
      },
    },
  })
  await act(simulation.cluster.apiFor(AGENT))
  simulation.clock.advance(60_000)
  return { report: await reset(), restored }
}

/** What `kubectl run` and `kubectl delete pod` do. */
const runAndDeletePod = async (api: Api): Promise<void> => {
  await api.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'writer', namespace: NAMESPACE },
    spec: { containers: [{ name: 'c', image: 'nginx:1.25' }] },
  })
  simulation.clock.advance(10_000)
  await api.delete({ ...PODS, name: 'writer' })
  simulation.clock.advance(60_000)
  expect((await api.list(PODS)).items.map(({ metadata }) => metadata.name)).not.toContain('writer')
}

it('keeps the data of users if nobody can have started a program', async () => {
  const { report, restored } = await resetAfter(async (api) => {
    await api.list(PODS)
  })
  expect([report.recreated, restored]).toEqual([[], []])
})

it('restores stores and claims after a pod of an agent, also if that pod is gone; the cost is a restart of the stores only', async () => {
  const { report, restored } = await resetAfter(runAndDeletePod)
  expect(report.recreated).toEqual([expect.stringMatching(`^Pod ${NAMESPACE}/${STORE}-`)])
  expect(report).toMatchObject({ deleted: [], updated: [] })
  expect(restored).toEqual([CLAIM])
})

it('restores stores and claims after a right repair of a workload; the other workloads keep their pods', async () => {
  const { report, restored } = await resetAfter(async (api) => {
    await api.patch({ ...DEPLOYMENTS, name: 'web' }, 'merge', { metadata: { labels: { team: 'x' } } })
    await api.patch({ ...DEPLOYMENTS, name: 'web' }, 'merge', { metadata: { labels: { team: null } } })
  })
  const restarted = report.recreated.filter((title) => !title.includes('/web'))
  expect(restarted).toEqual([expect.stringMatching(`^Pod ${NAMESPACE}/${STORE}-`)])
  expect(restored).toEqual([CLAIM])
})

it('keeps the data after a pod of a trusted solver, which does not write to stores', async () => {
  const { report, restored } = await resetAfter(runAndDeletePod, true)
  expect([report.recreated, restored]).toEqual([[], []])
})

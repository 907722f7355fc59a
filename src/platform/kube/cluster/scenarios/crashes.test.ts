/** Tests containers that crash repeatedly or run out of memory. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { expect, it } from 'vitest'
import { deployments, pods } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { ContainerExit } from '#platform/kube/ports'
import { conditionTexts, createScenario, type Scenario, webDeployment } from '../testing/create-scenario.ts'

const createCrashingScenario = (exit: ContainerExit): Scenario & { pod(): Stored<Pod> } => {
  const run = () => ({ exit: { ...exit, afterMs: 500 } })
  const scenario = createScenario({ images: { 'web:1': { present: true, run } } })
  scenario.client.create(deployments, webDeployment(1, { resources: { limits: { memory: '16Mi' } } }))
  return { ...scenario, pod: () => scenario.client.list(pods)[0]! }
}

it('the kubelet backs off restarting a failing container', () => {
  const { client, advanceSeconds, eventsOf, pod } = createCrashingScenario({ exitCode: 1, reason: 'Error' })
  advanceSeconds(60)
  const { namespace, name, uid } = pod().metadata
  const [status] = pod().status.containerStatuses!
  expect(status).toMatchObject({
    restartCount: 3,
    ready: false,
    started: false,
    state: {
      waiting: {
        reason: 'CrashLoopBackOff',
        message: `back-off 40s restarting failed container=c pod=${name}_${namespace}(${uid})`,
      },
    },
    lastState: { terminated: { exitCode: 1, reason: 'Error' } },
  })
  expect(conditionTexts(pod())).toEqual([
    'PodReadyToStartContainers True :',
    'Initialized True :',
    'Ready False ContainersNotReady: containers with unready status: [c]',
    'ContainersReady False ContainersNotReady: containers with unready status: [c]',
    'PodScheduled True :',
  ])
  expect(eventsOf(pod())).toEqual([
    `Normal Scheduled: Successfully assigned default/${name} to ${pod().spec.nodeName}`,
    'Normal Pulled: Container image "web:1" already present on machine',
    'Normal Created: Created container: c',
    'Normal Started: Started container c',
    `Warning BackOff: Back-off restarting failed container c in pod ${name}_${namespace}(${uid})`,
  ])
  const web = client.get(deployments, 'default', 'web')!
  expect(conditionTexts(web)).toContain(
    'Available False MinimumReplicasUnavailable: Deployment does not have minimum availability.',
  )
  advanceSeconds(3600)
  expect(pod().status.containerStatuses![0]!.state!.waiting!.message).toContain('back-off 5m0s restarting')
})

it('a container that runs out of memory has the last state OOMKilled', () => {
  const { until, pod } = createCrashingScenario({ exitCode: 137, reason: 'OOMKilled' })
  until(() => (pod().status.containerStatuses?.[0]?.restartCount ?? 0) >= 2)
  expect(pod().status.phase).toBe('Running')
  expect(pod().status.containerStatuses![0]!.lastState!.terminated).toMatchObject({
    exitCode: 137,
    reason: 'OOMKilled',
  })
})

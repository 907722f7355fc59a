/** Tests a rollout of an image that does not exist: the rollout gets stuck and is undone. */
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import { expect, it } from 'vitest'
import { deployments, pods, replicaSets } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { conditionTexts, createScenario, webDeployment } from '../testing/create-scenario.ts'

const PULL_ERROR =
  'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/web:2": not found'

it('a rollout of a missing image keeps the working pods, times out, and recovers when it is undone', () => {
  const scenario = createScenario({ images: { 'web:2': { pullError: PULL_ERROR } } })
  const { client, advanceSeconds, until, eventsOf } = scenario
  const web = (): Stored<Deployment> => client.get(deployments, 'default', 'web')!
  const rollTo = (image: string): void => {
    const { spec } = webDeployment(4, { image }, { progressDeadlineSeconds: 60 })
    client.update(deployments, { ...web(), spec: { ...web().spec, template: spec!.template } })
  }
  client.create(deployments, webDeployment(4, {}, { progressDeadlineSeconds: 60 }))
  until(() => web().status.readyReplicas === 4)
  const goodSet = client.list(replicaSets)[0]!.metadata.name

  rollTo('web:2')
  advanceSeconds(30)
  const badSet = client.list(replicaSets).find(({ metadata }) => metadata.name !== goodSet)!.metadata.name
  expect(conditionTexts(web())).toEqual([
    'Available True MinimumReplicasAvailable: Deployment has minimum availability.',
    `Progressing True ReplicaSetUpdated: ReplicaSet "${badSet}" is progressing.`,
  ])
  const badPod = client.list(pods).find(({ spec }) => spec.containers[0]!.image === 'web:2')!
  expect(badPod.status.containerStatuses![0]!.state).toEqual({
    waiting: {
      reason: 'ImagePullBackOff',
      message: `Back-off pulling image "web:2": ErrImagePull: ${PULL_ERROR}`,
    },
  })
  expect(eventsOf(badPod)).toEqual([
    `Normal Scheduled: Successfully assigned default/${badPod.metadata.name} to ${badPod.spec.nodeName}`,
    'Normal Pulling: Pulling image "web:2"',
    `Warning Failed: Failed to pull image "web:2": ${PULL_ERROR}`,
    'Warning Failed: Error: ErrImagePull',
    'Normal BackOff: Back-off pulling image "web:2"',
    'Warning Failed: Error: ImagePullBackOff',
  ])

  advanceSeconds(40)
  expect(conditionTexts(web())).toContain(
    `Progressing False ProgressDeadlineExceeded: ReplicaSet "${badSet}" has timed out progressing.`,
  )
  expect(web().status).toMatchObject({
    replicas: 5,
    updatedReplicas: 2,
    readyReplicas: 3,
    unavailableReplicas: 2,
  })

  rollTo('web:1')
  until(() => web().status.readyReplicas === 4 && web().status.replicas === 4)
  expect(conditionTexts(web())).toContain(
    `Progressing True NewReplicaSetAvailable: ReplicaSet "${goodSet}" has successfully progressed.`,
  )
  expect(web().metadata.annotations!['deployment.kubernetes.io/revision']).toBe('3')
  expect(eventsOf(web())).toEqual([
    `Normal ScalingReplicaSet: Scaled up replica set ${goodSet} from 0 to 4`,
    `Normal ScalingReplicaSet: Scaled up replica set ${badSet} from 0 to 1`,
    `Normal ScalingReplicaSet: Scaled down replica set ${goodSet} from 4 to 3`,
    `Normal ScalingReplicaSet: Scaled up replica set ${badSet} from 1 to 2`,
    `Normal ScalingReplicaSet: Scaled down replica set ${badSet} from 2 to 0`,
    `Normal ScalingReplicaSet: Scaled up replica set ${goodSet} from 3 to 4`,
  ])
})

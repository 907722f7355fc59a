/** Tests an exhausted quota: the ReplicaSet cannot create its pods, and the Deployment reports the reason. */
import { expect, it } from 'vitest'
import { deployments, replicaSets, resourceQuotas } from '#platform/kube/kinds'
import { conditionTexts, createScenario, webDeployment } from '../testing/create-scenario.ts'

it('a ReplicaSet stops at the quota, and continues when the quota is raised', () => {
  const { client, advanceSeconds, until, eventsOf } = createScenario()
  client.create(resourceQuotas, {
    metadata: { name: 'small', namespace: 'default' },
    spec: { hard: { pods: '2', 'requests.cpu': '1' } },
  })
  advanceSeconds(1)
  client.create(deployments, webDeployment(3, { resources: { requests: { cpu: '100m' } } }))
  advanceSeconds(30)
  const web = () => client.get(deployments, 'default', 'web')!
  const [set] = client.list(replicaSets)
  const creationError = (): string | undefined =>
    eventsOf(set!).find((text) => text.startsWith('Warning FailedCreate:'))
  expect(creationError()).toMatch(
    new RegExp(
      `^Warning FailedCreate: Error creating: pods "${set!.metadata.name}-\\w{5}" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2$`,
    ),
  )
  expect(conditionTexts(client.list(replicaSets)[0]!)).toEqual([
    expect.stringMatching(
      /^ReplicaFailure True FailedCreate: pods "web-\w+-\w{5}" is forbidden: exceeded quota: small,/,
    ),
  ])
  expect(conditionTexts(web())).toEqual([
    'Available False MinimumReplicasUnavailable: Deployment does not have minimum availability.',
    expect.stringMatching(
      /^ReplicaFailure True FailedCreate: pods "web-\w+-\w{5}" is forbidden: exceeded quota: small,/,
    ),
    `Progressing True ReplicaSetUpdated: ReplicaSet "${set!.metadata.name}" is progressing.`,
  ])
  const quota = client.get(resourceQuotas, 'default', 'small')!
  expect(quota.status).toEqual({
    hard: { pods: '2', 'requests.cpu': '1' },
    used: { pods: '2', 'requests.cpu': '200m' },
  })

  client.update(resourceQuotas, { ...quota, spec: { hard: { pods: '10', 'requests.cpu': '1' } } })
  until(() => web().status.readyReplicas === 3, 1200)
  advanceSeconds(1)
  expect(conditionTexts(web()).map((text) => text.split(' ', 2).join(' '))).toEqual([
    'Available True',
    'Progressing True',
  ])
})

/** Tests that the names and claims of a StatefulSet with volumes outlive its pods. */
import { expect, it } from 'vitest'
import {
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  statefulSets,
  storageClasses,
} from '#platform/kube/kinds'
import { createScenario } from '../testing/create-scenario.ts'

it('a StatefulSet keeps the claims of deleted pods and reuses them after scaling up', async () => {
  const { admin, client, until, eventsOf } = createScenario()
  if (client.list(storageClasses).length === 0)
    client.create(storageClasses, {
      metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'rancher.io/local-path',
    } as never)
  client.create(statefulSets, {
    metadata: { name: 'db', namespace: 'default' },
    spec: {
      serviceName: 'db',
      replicas: 2,
      selector: { matchLabels: { app: 'db' } },
      template: {
        metadata: { labels: { app: 'db' } },
        spec: {
          containers: [{ name: 'c', image: 'db:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
        },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  } as never)
  const readyReplicas = (): number => client.get(statefulSets, 'default', 'db')!.status.readyReplicas ?? 0
  const scale = (replicas: number): Promise<void> =>
    admin.scale({ apiVersion: 'apps/v1', plural: 'statefulsets', namespace: 'default', name: 'db' }, replicas)
  until(() => readyReplicas() === 2)
  const claims = () =>
    client
      .list(persistentVolumeClaims)
      .map(({ metadata, spec, status }) => [metadata.name, status.phase, spec.volumeName])
  const before = claims()
  expect(before.map(([name, phase]) => `${name} ${phase}`)).toEqual(['data-db-0 Bound', 'data-db-1 Bound'])
  expect(
    client
      .list(persistentVolumes)
      .map(({ spec }) => spec.claimRef!.name)
      .sort(),
  ).toEqual(['data-db-0', 'data-db-1'])
  expect(eventsOf(client.get(statefulSets, 'default', 'db')!)).toEqual([
    'Normal SuccessfulCreate: create Claim data-db-0 Pod db-0 in StatefulSet db success',
    'Normal SuccessfulCreate: create Pod db-0 in StatefulSet db successful',
    'Normal SuccessfulCreate: create Claim data-db-1 Pod db-1 in StatefulSet db success',
    'Normal SuccessfulCreate: create Pod db-1 in StatefulSet db successful',
  ])

  await scale(0)
  until(() => client.list(pods).length === 0)
  expect(eventsOf(client.get(statefulSets, 'default', 'db')!).slice(-2)).toEqual([
    'Normal SuccessfulDelete: delete Pod db-1 in StatefulSet db successful',
    'Normal SuccessfulDelete: delete Pod db-0 in StatefulSet db successful',
  ])
  expect(claims()).toEqual(before)
  await scale(2)
  until(() => readyReplicas() === 2)
  expect(claims()).toEqual(before)
})

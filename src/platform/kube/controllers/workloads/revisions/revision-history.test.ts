/** Tests of the data of ControllerRevisions. */
import { readFileSync } from 'node:fs'
import type { ControllerRevision, DaemonSet, StatefulSet } from 'kubernetes-types/apps/v1.d.ts'
import { expect, it } from 'vitest'
import { controllerRevisions, daemonSets, statefulSets } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { createTestCluster } from '../../testing/create-test-cluster.ts'
import { daemonSetController } from '../daemon-set.ts'
import { statefulSetController } from '../stateful-set.ts'
import { templateOf } from './revision-history.ts'

const recordedObjects: any[] = readFileSync(
  new URL('../../../schema/fixtures/objects.ndjson', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

const findRecorded = <T>(kind: string): Stored<T> => recordedObjects.find((object) => object.kind === kind)

const recordedData = (owner: { kind: string }): string => {
  const revision = recordedObjects.find(
    ({ kind, metadata }) => kind === 'ControllerRevision' && metadata.ownerReferences[0].kind === owner.kind,
  ) as Stored<ControllerRevision>
  return JSON.stringify(revision.data)
}

it('a ControllerRevision has the bytes that a real controller writes, because kubectl compares them', () => {
  const { client, clock } = createTestCluster([daemonSetController, statefulSetController])
  const owners = [findRecorded<DaemonSet>('DaemonSet'), findRecorded<StatefulSet>('StatefulSet')] as const
  client.create(daemonSets, { metadata: { name: 'ds', namespace: 'default' }, spec: owners[0].spec } as never)
  client.create(statefulSets, {
    metadata: { name: 'sts', namespace: 'default' },
    spec: owners[1].spec,
  } as never)
  clock.advance(5000)
  const revisions = client.list(controllerRevisions, 'default')
  for (const owner of owners) {
    const revision = revisions.find(({ metadata }) => metadata.ownerReferences?.[0]?.kind === owner.kind)!
    expect(JSON.stringify(revision.data)).toBe(recordedData(owner))
    expect(templateOf(revision).metadata).toEqual({ labels: owner.spec.template.metadata?.labels })
  }
})

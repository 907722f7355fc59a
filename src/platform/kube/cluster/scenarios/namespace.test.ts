/** Tests that deleting a namespace deletes its content and reports remaining finalizers. */
import { expect, it } from 'vitest'
import { configMaps, deployments, namespaces, pods } from '#platform/kube/kinds'
import { conditionTexts, createScenario, webDeployment } from '../testing/create-scenario.ts'

it('a namespace is deleted after its content', async () => {
  const { admin, client, advanceSeconds, until } = createScenario({
    images: { 'web:1': { present: true, run: () => ({ stop: { afterMs: 10_000, exitCode: 0 } }) } },
  })
  client.create(namespaces, { metadata: { name: 'shop' } })
  advanceSeconds(1)
  const metadata = { name: 'web', namespace: 'shop' }
  client.create(deployments, { ...webDeployment(2), metadata })
  client.create(configMaps, { metadata: { ...metadata, name: 'kept', finalizers: ['example.com/hold'] } })
  until(() => client.get(deployments, 'shop', 'web')!.status.readyReplicas === 2)
  expect(client.list(configMaps, 'shop').map((map) => map.metadata.name)).toEqual([
    'kept',
    'kube-root-ca.crt',
  ])

  await admin.delete({ apiVersion: 'v1', plural: 'namespaces', name: 'shop' })
  const shop = () => client.get(namespaces, '', 'shop')
  expect(shop()!.status.phase).toBe('Terminating')
  await expect(
    admin.create(
      { apiVersion: 'v1', plural: 'configmaps', namespace: 'shop' },
      { metadata: { name: 'late' } },
    ),
  ).rejects.toMatchObject({
    code: 403,
    message:
      'configmaps "late" is forbidden: unable to create new content in namespace shop because it is being terminated',
    details: {
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: 'namespace shop is being terminated',
          field: 'metadata.namespace',
        },
      ],
    },
  })
  advanceSeconds(5)
  expect(client.list(pods, 'shop')).toHaveLength(2)
  until(() => client.list(pods, 'shop').length === 0)
  advanceSeconds(30)
  expect(conditionTexts(shop()!)).toEqual([
    'NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: All resources successfully discovered',
    'NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: All legacy kube types successfully parsed',
    'NamespaceDeletionContentFailure False ContentDeleted: All content successfully deleted, may be waiting on finalization',
    'NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances',
    'NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
  ])
  await admin.patch({ apiVersion: 'v1', plural: 'configmaps', namespace: 'shop', name: 'kept' }, 'merge', {
    metadata: { finalizers: null },
  })
  until(() => shop() === undefined, 60)
  expect(client.list(deployments, 'shop')).toEqual([])
})

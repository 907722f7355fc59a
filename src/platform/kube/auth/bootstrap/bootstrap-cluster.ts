/** Creates the initial objects of a cluster: namespaces, classes, roles. */
import { namespaces, priorityClasses, storageClasses } from '#platform/kube/kinds'
import type { Client } from '#platform/kube/ports'
import { createBootstrapPolicy } from './bootstrap-policy.ts'

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

/** The priority classes of system pods, with the descriptions of a real cluster. */
const PRIORITIES: readonly [name: string, value: number, description: string][] = [
  [
    'system-cluster-critical',
    2_000_000_000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ],
  [
    'system-node-critical',
    2_000_001_000,
    'Used for system critical pods that must not be moved from their current node.',
  ],
]

/** Provisions volumes from directories of the node. */
const PROVISIONER = 'remedium.io/directory'

export const bootstrapCluster = (client: Client): void => {
  for (const name of NAMESPACES) client.create(namespaces, { metadata: { name } })
  for (const [name, value, description] of PRIORITIES)
    client.create(priorityClasses, { metadata: { name }, value, description })
  client.create(storageClasses, {
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: PROVISIONER,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  })
  createBootstrapPolicy(client)
}

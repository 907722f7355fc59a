/** What a new cluster holds before anybody has created anything: namespaces, classes, roles. */
import { namespaces, priorityClasses, storageClasses } from '../kinds/index.ts'
import type { Client } from '../ports/index.ts'
import { createBootstrapPolicy } from './bootstrap-policy.ts'

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

/** Priorities that only the system's own pods should have. */
const PRIORITIES: readonly [name: string, value: number, description: string][] = [
  [
    'system-cluster-critical',
    2_000_000_000,
    'For pods that the cluster cannot do without, on whichever node.',
  ],
  ['system-node-critical', 2_000_001_000, 'For pods that a node cannot do without, on that node.'],
]

/** Makes volumes of directories of the node. */
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

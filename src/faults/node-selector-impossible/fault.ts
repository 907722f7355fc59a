/** Pods that are only to run where no node is. */
import { addReplica, defineTemplateFault, podSpecOf } from '../../fault-parts/index.ts'
import type { FaultCase, Hack } from '../../spec/index.ts'

const LABELS: Readonly<Record<string, readonly [key: string, value: string]>> = {
  disk: ['disktype', 'nvme'],
  zone: ['topology.kubernetes.io/zone', 'zone-d'],
  pool: ['node-pool', 'high-memory'],
}

const labelOf = ({ params }: FaultCase): readonly [key: string, value: string] => LABELS[params.label!]!

/** It says of a node what is not so; the template still asks for what nobody has. */
const labelNode: Hack = {
  name: 'label-a-node',
  about: 'Gives a node the label that the pods ask for',
  async act(context) {
    const { items } = await context.api.list({ apiVersion: 'v1', plural: 'nodes' })
    const [key, value] = labelOf(context)
    const { name } = items[0]!.metadata
    await context.api.patch({ apiVersion: 'v1', plural: 'nodes', name }, 'merge', {
      metadata: { labels: { [key]: value } },
    })
  },
}

export const fault = defineTemplateFault({
  name: 'node-selector-impossible',
  about: 'A workload asks for nodes with a label that no node has',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'misconfiguration',
  parameters: {
    label: { type: 'choice', about: 'What it asks for', choices: Object.keys(LABELS), default: 'disk' },
  },
  symptoms: ['pods stay pending, because no node fits', 'the service has no endpoints'],
  edit: (about) => ({ nodeSelector: Object.fromEntries([labelOf(about)]) }),
  undo: (about) => ({ nodeSelector: { [labelOf(about)[0]]: null } }),
  fixName: 'Take the node selector out again',
  look: (workload) => podSpecOf(workload).nodeSelector ?? {},
  hacks: [addReplica, labelNode],
})

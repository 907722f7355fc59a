/** Fault: a node selector that no node matches. */
import { addReplica, defineTemplateFault, podSpecOf } from '#exam/fault-parts'
import type { FaultCase, Hack } from '#spec'

const LABELS: Readonly<Record<string, readonly [key: string, value: string]>> = {
  disk: ['disktype', 'nvme'],
  zone: ['topology.kubernetes.io/zone', 'zone-d'],
  pool: ['node-pool', 'high-memory'],
}

const labelOf = ({ params }: FaultCase): readonly [key: string, value: string] => LABELS[params.label!]!

const labelNode: Hack = {
  name: 'label-a-node',
  about: 'Adds the requested label to a node, which does not have that property',
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
  about: 'The node selector of a workload requires a label that no node has',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'misconfiguration',
  parameters: {
    label: { type: 'choice', about: 'The required label', choices: Object.keys(LABELS), default: 'disk' },
  },
  impactOnceReady: () => 'never-ready',
  symptoms: ['pods stay pending because no node matches', 'the service has no endpoints'],
  edit: (faultCase) => ({ nodeSelector: Object.fromEntries([labelOf(faultCase)]) }),
  undo: (faultCase) => ({ nodeSelector: { [labelOf(faultCase)[0]]: null } }),
  taskName: 'Remove the node selector',
  read: (workload) => podSpecOf(workload).nodeSelector ?? {},
  hacks: [addReplica, labelNode],
})

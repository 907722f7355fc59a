/** Nodes that somebody has made unschedulable and forgotten, so that a pod that went cannot come back. */
import {
  isOutOfUse,
  missedWorkloads,
  orElse,
  patchTarget,
  replacePods,
  restartTheTarget,
  toPlaybook,
  until,
} from '../../fault-parts/index.ts'
import { type ApiObject, defineFault, type FaultContext, type Hack } from '../../spec/index.ts'

const nodeRef = (name: string) => ({ apiVersion: 'v1', plural: 'nodes', name })

const namesIn = (state: Readonly<Record<string, unknown>>): readonly string[] =>
  (state.nodes ?? []) as readonly string[]

const nodesOf = async ({ api }: FaultContext): Promise<readonly ApiObject[]> =>
  (await api.list({ apiVersion: 'v1', plural: 'nodes' })).items

const setUnschedulable = async (
  { api }: FaultContext,
  names: readonly string[],
  unschedulable: true | null,
): Promise<void> => {
  for (const name of names) await api.patch(nodeRef(name), 'merge', { spec: { unschedulable } })
}

const tolerate: Hack = {
  name: 'tolerate-the-cordon',
  about: 'Lets the pods of the service go where no pod is meant to go',
  async act(context) {
    const tolerations = [
      { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
    ]
    await patchTarget(context, { template: { spec: { tolerations } } })
  },
}

export const fault = defineFault({
  name: 'node-cordoned',
  about: 'All nodes were made unschedulable for work on them, and a pod that went finds no place',
  category: 'pod-fail',
  layer: 'virtualisation',
  type: 'operation-error',
  binding: 'cause',
  parameters: {},
  symptoms: ['a pod stays pending, because all nodes are unschedulable', 'the service has no endpoints'],
  targets: (system) => missedWorkloads(system).map(({ service }) => ({ service })),
  async inject(context) {
    const { target } = context
    const names = (await nodesOf(context))
      .filter((node) => !isOutOfUse(node))
      .map(({ metadata }) => metadata.name)
    await orElse(
      async () => {
        await setUnschedulable(context, names, true)
        // The scheduler knows it when the taint is there.
        await until(context, 'the nodes take no pods', async () => (await nodesOf(context)).every(isOutOfUse))
        await replacePods(context, target.service)
      },
      () => setUnschedulable(context, names, null),
    )
    return { nodes: names }
  },
  recover: (context, state) => setUnschedulable(context, namesIn(state), null),
  isGone({ now, state }) {
    const left = namesIn(state).filter((name) => isOutOfUse(now.get('Node', name)))
    return {
      holds: left.length === 0,
      evidence: left.length === 0 ? 'all nodes take pods again' : `${left.join(', ')} take no pods`,
    }
  },
  fix: ({ state }) =>
    toPlaybook('Let the nodes take pods again', [
      {
        name: 'Uncordon them',
        'kubernetes.core.k8s': {
          state: 'present',
          definition: namesIn(state).map((name) => ({
            apiVersion: 'v1',
            kind: 'Node',
            metadata: { name },
            spec: { unschedulable: false },
          })),
        },
      },
    ]),
  hacks: [restartTheTarget, tolerate],
})

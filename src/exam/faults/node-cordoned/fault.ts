/** Fault: all nodes are cordoned, and a deleted pod cannot be scheduled. */
import {
  essentialWorkloads,
  isClosedToPods,
  patchTarget,
  replacePods,
  restartTarget,
  toPlaybook,
  waitUntil,
  withUndo,
} from '#exam/fault-parts'
import { type ApiObject, defineFault, type FaultContext, type Hack } from '#spec'

const nodeRef = (name: string) => ({ apiVersion: 'v1', plural: 'nodes', name })

const namesIn = (state: Readonly<Record<string, unknown>>): readonly string[] =>
  (state.nodes ?? []) as readonly string[]

const listNodes = async ({ api }: FaultContext): Promise<readonly ApiObject[]> =>
  (await api.list({ apiVersion: 'v1', plural: 'nodes' })).items

const setUnschedulable = async (
  { api }: FaultContext,
  names: readonly string[],
  unschedulable: true | null,
): Promise<void> => {
  for (const name of names) await api.patch(nodeRef(name), 'merge', { spec: { unschedulable } })
}

const tolerateCordon: Hack = {
  name: 'tolerate-the-cordon',
  about: 'Adds a toleration, so that the pods of the service run on cordoned nodes',
  async act(context) {
    const tolerations = [
      { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
    ]
    await patchTarget(context, { template: { spec: { tolerations } } })
  },
}

export const fault = defineFault({
  name: 'node-cordoned',
  about: 'All nodes were cordoned for maintenance, and a deleted pod cannot be scheduled again',
  category: 'pod-fail',
  layer: 'virtualisation',
  type: 'operation-error',
  binding: 'cause',
  parameters: {},
  impactOnceReady: () => 'never-ready',
  symptoms: ['a pod stays pending because all nodes are unschedulable', 'the service has no endpoints'],
  targets: (system) => essentialWorkloads(system).map(({ service }) => ({ service })),
  async inject(context) {
    const { target } = context
    const names = (await listNodes(context))
      .filter((node) => !isClosedToPods(node))
      .map(({ metadata }) => metadata.name)
    await withUndo(
      async () => {
        await setUnschedulable(context, names, true)
        // The scheduler respects the cordon once the taint exists.
        await waitUntil(context, 'the nodes accept no pods', async () =>
          (await listNodes(context)).every(isClosedToPods),
        )
        await replacePods(context, target.service)
      },
      () => setUnschedulable(context, names, null),
    )
    return { nodes: names }
  },
  recover: (context, state) => setUnschedulable(context, namesIn(state), null),
  isGone({ now, state }) {
    const closed = namesIn(state).filter((name) => isClosedToPods(now.get('Node', name)))
    return {
      holds: closed.length === 0,
      evidence:
        closed.length === 0 ? 'all nodes accept pods' : `the nodes ${closed.join(', ')} accept no pods`,
    }
  },
  fix: ({ state }) =>
    toPlaybook('Make the nodes schedulable', [
      {
        name: 'Uncordon the nodes',
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
  hacks: [restartTarget, tolerateCordon],
})

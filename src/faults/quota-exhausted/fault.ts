/** A ResourceQuota that has no room for the next pod. */
import { defineRefusalFault, until, workloadRef } from '../../fault-parts/index.ts'
import type { FaultContext, Hack, ObjectsView } from '../../spec/index.ts'

const OBJECT = { plural: 'resourcequotas', kind: 'ResourceQuota', name: 'namespace-quota' }

const refOf = ({ system }: Pick<FaultContext, 'system'>) => ({
  apiVersion: 'v1',
  plural: OBJECT.plural,
  namespace: system.namespace,
  name: OBJECT.name,
})

const countPods = async ({ api, system }: FaultContext): Promise<number> => {
  const { items } = await api.list({ apiVersion: 'v1', plural: 'pods', namespace: system.namespace })
  return items.filter(({ status }) => !isOver(status)).length
}

/** Those that have ended do not count. */
const isOver = (status: unknown): boolean =>
  ['Succeeded', 'Failed'].includes((status as { phase?: string } | undefined)?.phase ?? '')

const podsIn = (objects: ObjectsView): number =>
  objects.list('Pod').filter(({ status }) => !isOver(status)).length

/** Whom it takes the room from does not come back. */
const makeRoom: Hack = {
  name: 'stop-another-workload',
  about: 'Scales a workload that is less in demand to zero, to make room',
  async act({ api, system, target }) {
    const others = system.workloads.filter(({ service }) => service !== target.service)
    const least = others.find(({ service }) => system.impactOf(service).down.length === 0) ?? others[0]!
    await api.scale(workloadRef(system, least.service), 0)
  },
}

export const fault = defineRefusalFault({
  name: 'quota-exhausted',
  about: 'A ResourceQuota allows fewer pods than the system has, and the pod that went is not let in again',
  object: OBJECT,
  parameters: {
    short: { type: 'integer', about: 'How many pods too few it allows', least: 1, most: 2, default: 1 },
  },
  symptoms: [
    'a workload has fewer pods than it wants, with events of an exceeded quota',
    'the service has no endpoints',
  ],
  spec: async (context) => ({
    hard: { pods: String(Math.max(1, (await countPods(context)) - Number(context.params.short))) },
  }),
  // Until it is counted what there is, everything is refused, or nothing.
  settle: (context) =>
    until(context, 'the quota has been counted', async () => {
      const { status } = await context.api.get(refOf(context))
      return (status as { used?: object } | undefined)?.used !== undefined
    }),
  // Whatever else it counts it did not count before.
  refuses(rule, { baseline }) {
    const { pods = Number.POSITIVE_INFINITY, ...others } = (rule.hard ?? {}) as Record<string, string>
    return Object.keys(others).length > 0 || Number(pods) < podsIn(baseline)
  },
  mend: ({ system, state }) => ({
    name: 'Raise the quota, with room for rollouts',
    'kubernetes.core.k8s': {
      state: 'patched',
      api_version: 'v1',
      kind: OBJECT.kind,
      namespace: system.namespace,
      name: OBJECT.name,
      definition: {
        spec: { hard: { pods: String(Number((state.rule as { hard: { pods: string } }).hard.pods) + 10) } },
      },
    },
  }),
  hacks: [makeRoom],
})

/** Fault: a ResourceQuota rejects new pods. */
import { defineRefusalFault, waitUntil, workloadRef } from '#exam/fault-parts'
import { type FaultContext, type Hack, isFinishedPod, JUDGING_RULES, type ObjectsView, viewAs } from '#spec'
import { maxSurgeIn } from './max-surge.ts'

const QUOTA = { plural: 'resourcequotas', kind: 'ResourceQuota', name: 'namespace-quota' }

const refOf = ({ system }: Pick<FaultContext, 'system'>) => ({
  apiVersion: 'v1',
  plural: QUOTA.plural,
  namespace: system.namespace,
  name: QUOTA.name,
})

const countPods = async ({ api, system }: FaultContext): Promise<number> => {
  const { items } = await api.list({ apiVersion: 'v1', plural: 'pods', namespace: system.namespace })
  return items.filter((pod) => !isFinishedPod(pod)).length
}

/** The first version of the rules in which a quota must have room for a rollout. */
const RULES_WITH_ROLLOUTS = 5

const countPodsIn = (objects: ObjectsView): number =>
  objects.list('Pod').filter((pod) => !isFinishedPod(pod)).length

const freeQuota: Hack = {
  name: 'stop-another-workload',
  about: 'Scales a less important workload to zero to free quota',
  async act({ api, system, target }) {
    const otherWorkloads = system.workloads.filter(({ service }) => service !== target.service)
    const victim =
      otherWorkloads.find(({ service }) => system.impactOf(service).down.length === 0) ?? otherWorkloads[0]!
    await api.scale(workloadRef(system, victim.service), 0)
  },
}

const setExactQuota: Hack = {
  name: 'set-an-exact-quota',
  about: 'Raises the quota to the present number of pods, so that no workload can be rolled out',
  async act({ api, system, params, state }) {
    const { hard } = state.rule as { readonly hard: { readonly pods: string } }
    const pods = String(Number(hard.pods) + Number(params.short))
    await api.patch(refOf({ system }), 'merge', { spec: { hard: { pods } } })
  },
}

export const fault = defineRefusalFault({
  name: 'quota-exhausted',
  about: 'A ResourceQuota allows fewer pods than the system needs, and a deleted pod cannot be recreated',
  object: QUOTA,
  parameters: {
    short: {
      type: 'integer',
      about: 'The number of pods that the quota lacks',
      min: 1,
      max: 2,
      default: 1,
    },
  },
  symptoms: [
    'a workload has fewer pods than desired, with events about an exceeded quota',
    'the service has no endpoints',
  ],
  spec: async (context) => ({
    hard: { pods: String(Math.max(1, (await countPods(context)) - Number(context.params.short))) },
  }),
  // Before the usage is counted, the quota rejects all pods or none.
  settle: (context) =>
    waitUntil(
      context,
      'the quota has counted the pods',
      async () => viewAs('ResourceQuota', await context.api.get(refOf(context))).status?.used !== undefined,
    ),
  // The fault limits only pods: the solver added any other limit.
  refuses(rule, { baseline, rules = JUDGING_RULES }) {
    const { pods = Number.POSITIVE_INFINITY, ...otherAmounts } = (rule.hard ?? {}) as Record<string, string>
    const room = rules < RULES_WITH_ROLLOUTS ? 0 : maxSurgeIn(baseline)
    return Object.keys(otherAmounts).length > 0 || Number(pods) < countPodsIn(baseline) + room
  },
  repairTask: ({ system, state }) => ({
    name: 'Raise the quota, with room for the pods of rollouts',
    'kubernetes.core.k8s': {
      state: 'patched',
      api_version: 'v1',
      kind: QUOTA.kind,
      namespace: system.namespace,
      name: QUOTA.name,
      definition: {
        spec: { hard: { pods: String(Number((state.rule as { hard: { pods: string } }).hard.pods) + 10) } },
      },
    },
  }),
  hacks: [freeQuota, setExactQuota],
})

/** Fault: a workload was scaled to zero. */
import {
  deletePods,
  essentialWorkloads,
  podsOf,
  replacePods,
  toPlaybook,
  uidsOf,
  waitUntil,
  workloadIn,
  workloadRef,
} from '#exam/fault-parts'
import { defineFault, type Hack, replicasOf, viewAs } from '#spec'

const restartCallers: Hack = {
  name: 'restart-the-callers',
  about: 'Restarts the callers of the service',
  async act(context) {
    const { system, target } = context
    for (const caller of system.callersOf(target.service)) await replacePods(context, caller)
  },
}

const restartRollout: Hack = {
  name: 'restart-the-rollout',
  about: 'Restarts the rollout of the service, which has no pods',
  async act({ api, system, target }) {
    await api.patch(workloadRef(system, target.service), 'merge', {
      spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } } } },
    })
  },
}

export const fault = defineFault({
  name: 'scaled-to-zero',
  about: 'A workload was scaled to zero',
  category: 'pod-fail',
  layer: 'virtualisation',
  type: 'operation-error',
  binding: 'cause',
  parameters: {},
  shapes: ['sudden', 'transient'],
  impactOnceReady: () => 'never-ready',
  symptoms: ['the service has no endpoints', 'its workload has zero desired replicas'],
  targets: (system) => essentialWorkloads(system).map(({ service }) => ({ service })),
  async inject(context) {
    const { api, system, target } = context
    const oldUids = uidsOf(await podsOf(context, target.service))
    await api.scale(workloadRef(system, target.service), 0)
    await waitUntil(
      context,
      `the pods of ${target.service} are terminating`,
      async () => (await podsOf(context, target.service)).length === 0,
    )
    await deletePods(context, target.service, oldUids)
    return { replicas: system.workloadOf(target.service).replicas }
  },
  async recover({ api, system, target }, state) {
    const ref = workloadRef(system, target.service)
    if (replicasOf(await api.get(ref)) < Number(state.replicas)) await api.scale(ref, Number(state.replicas))
  },
  isGone({ system, target, now, state }) {
    const workload = workloadIn(now, system.workloadOf(target.service))
    const desired = (workload && viewAs('Deployment', workload).spec?.replicas) ?? 0
    return {
      holds: desired >= Number(state.replicas),
      evidence: `the workload of ${target.service} has ${desired} desired replicas (${state.replicas} before the fault)`,
    }
  },
  fix: ({ system, target, state }) => {
    const { kind, name } = system.workloadOf(target.service)
    return toPlaybook(`Scale ${target.service} up`, [
      {
        name: 'Restore the number of replicas',
        'kubernetes.core.k8s_scale': {
          api_version: 'apps/v1',
          kind,
          namespace: system.namespace,
          name,
          replicas: state.replicas,
          wait: false,
        },
      },
    ])
  },
  hacks: [restartCallers, restartRollout],
})

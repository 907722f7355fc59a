/** A service that somebody has switched off. */
import {
  endPods,
  missedWorkloads,
  podsOf,
  replacePods,
  toPlaybook,
  uidsOf,
  until,
  workloadIn,
  workloadRef,
} from '../../fault-parts/index.ts'
import { defineFault, type Hack } from '../../spec/index.ts'

const restartOthers: Hack = {
  name: 'restart-the-callers',
  about: 'Restarts those who complain of the service',
  async act(context) {
    const { system, target } = context
    for (const caller of system.callersOf(target.service)) await replacePods(context, caller)
  },
}

const restartRollout: Hack = {
  name: 'restart-the-rollout',
  about: 'Restarts the rollout of the service, of which there is nothing to restart',
  async act({ api, system, target }) {
    await api.patch(workloadRef(system, target.service), 'merge', {
      spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } } } },
    })
  },
}

export const fault = defineFault({
  name: 'scaled-to-zero',
  about: 'A workload was scaled down to no pod at all',
  category: 'pod-fail',
  layer: 'virtualisation',
  type: 'operation-error',
  binding: 'cause',
  parameters: {},
  shapes: ['sudden', 'transient'],
  symptoms: ['the service has no endpoints', 'its workload wants no replicas, and has none'],
  targets: (system) => missedWorkloads(system).map(({ service }) => ({ service })),
  async inject(context) {
    const { api, system, target } = context
    const old = uidsOf(await podsOf(context, target.service))
    await api.scale(workloadRef(system, target.service), 0)
    await until(
      context,
      `the pods of ${target.service} are to go`,
      async () => (await podsOf(context, target.service)).length === 0,
    )
    await endPods(context, target.service, old)
    return { replicas: system.workloadOf(target.service).replicas }
  },
  async recover({ api, system, target }, state) {
    const ref = workloadRef(system, target.service)
    const { replicas } = (await api.get(ref)).spec as { replicas: number }
    if (replicas < Number(state.replicas)) await api.scale(ref, Number(state.replicas))
  },
  isGone({ system, target, now, state }) {
    const workload = workloadIn(now, system.workloadOf(target.service))
    const wanted = (workload?.spec as { replicas?: number } | undefined)?.replicas ?? 0
    return {
      holds: wanted >= Number(state.replicas),
      evidence: `${target.service} is to have ${wanted} of ${state.replicas} pods`,
    }
  },
  fix: ({ system, target, state }) => {
    const { kind, name } = system.workloadOf(target.service)
    return toPlaybook(`Bring ${target.service} back`, [
      {
        name: 'Scale it to what it had',
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
  hacks: [restartOthers, restartRollout],
})

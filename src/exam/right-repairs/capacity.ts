/** Repairs that add pods for an increased load. */
import { growableServices, mainContainer, waitUntil, workloadRef } from '#exam/fault-parts'
import { type RepairContext, viewAs } from '#spec'
import type { RightRepair } from './right-repair.ts'
import { restartRollout } from './targets.ts'

const ENTRY_SCALE_FACTOR = 4
const UPSTREAM_SCALE_FACTOR = 3
const AUTOSCALER_MIN_PODS = 4

const areReady = async ({ api, system }: RepairContext, services: readonly string[]): Promise<boolean> => {
  const workloads = await Promise.all(services.map((service) => api.get(workloadRef(system, service))))
  return workloads.every((workload) => {
    const { spec, status } = viewAs('Deployment', workload)
    return (status?.readyReplicas ?? 0) >= (spec?.replicas ?? 1)
  })
}

const scaleOut: RightRepair = {
  name: 'scale-out-the-services',
  about:
    'Adds pods to all services that users reach, then restarts the entry service to connect to the new pods',
  faults: ['traffic-surge'],
  async act(context) {
    const { api, system, target } = context
    const upstreams = growableServices(system, target.service).filter((service) => service !== target.service)
    for (const service of upstreams) {
      const { replicas } = system.workloadOf(service)
      await api.scale(workloadRef(system, service), UPSTREAM_SCALE_FACTOR * replicas)
    }
    await waitUntil(context, 'the new pods are ready', () => areReady(context, upstreams))
    const { replicas } = system.workloadOf(target.service)
    await api.scale(workloadRef(system, target.service), ENTRY_SCALE_FACTOR * replicas)
    await restartRollout(context, target.service)
  },
}

const replaceAutoscaler: RightRepair = {
  name: 'replace-the-autoscaler',
  about: 'Deletes the autoscaler and creates one with a higher maximum',
  faults: ['autoscaler-ceiling'],
  async act({ api, system, target, state }) {
    const { namespace } = system
    const ref = { apiVersion: 'autoscaling/v2', plural: 'horizontalpodautoscalers', namespace }
    const { kind, name } = system.workloadOf(target.service)
    const cpu = { type: 'Utilization', averageUtilization: 50 }
    const container = mainContainer(system, target.service).name
    await api.delete({ ...ref, name: String(state.name) })
    await api.create(ref, {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: `${name}-cpu`, namespace },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind, name },
        minReplicas: AUTOSCALER_MIN_PODS,
        maxReplicas: 2 * AUTOSCALER_MIN_PODS,
        metrics: [{ type: 'ContainerResource', containerResource: { name: 'cpu', container, target: cpu } }],
      },
    })
  },
}

export const CAPACITY: readonly RightRepair[] = [scaleOut, replaceAutoscaler]

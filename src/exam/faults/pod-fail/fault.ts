/** Fault: MicroRemed's pod-fail. The containers of one pod run an image that does nothing, until the pod is repaired. */
import { podBound, singlePods } from '#exam/fault-parts'
import { containersOf, defineFault, type FaultContext, isSameImage } from '#spec'

/** Whether the image of any container differs from that in the workload: restoring all images is a correct fix. */
const hasOtherImages = async ({ api, system, target }: FaultContext, name: string): Promise<boolean> => {
  const pod = await api.get({ apiVersion: 'v1', plural: 'pods', namespace: system.namespace, name })
  const declared = system.workloadOf(target.service).podSpec.containers
  return containersOf(pod).some(
    (container) => !isSameImage(declared.find(({ name }) => name === container.name)?.image, container.image),
  )
}

export const fault = defineFault({
  name: 'pod-fail',
  about: 'One pod exists but does nothing',
  category: 'pod-fail',
  layer: 'virtualisation',
  type: 'operation-error',
  parameters: {},
  shapes: ['sudden', 'intermittent', 'transient'],
  impactOnceReady: () => 'never-ready',
  symptoms: ['one pod is not ready', 'calls to its service are refused'],
  targets: (system) => singlePods(system, { when: 'down' }),
  ...podBound({
    name: 'pod-fail',
    kind: 'PodChaos',
    lastsIn: 'pod',
    evidenceClause: 'which does nothing',
    graceSeconds: 1,
    spec: () => ({ action: 'pod-failure', gracePeriod: 0 }),
    hasEffect: hasOtherImages,
  }),
})

/** MicroRemed's pod-fail: the containers of one pod run an image that does nothing. It lasts until it is mended. */
import { podBound, singlePods } from '../../fault-parts/index.ts'
import { defineFault, type FaultContext, type PodSpecView } from '../../spec/index.ts'

/** Whether a container of the pod has another image than its workload gives it: whoever sets them all back has mended the pod. */
const hasOtherImages = async ({ api, system, target }: FaultContext, name: string): Promise<boolean> => {
  const pod = await api.get({ apiVersion: 'v1', plural: 'pods', namespace: system.namespace, name })
  const given = system.workloadOf(target.service).podSpec.containers
  return (pod.spec as PodSpecView).containers.some(
    (container) => given.find(({ name }) => name === container.name)?.image !== container.image,
  )
}

export const fault = defineFault({
  name: 'pod-fail',
  about: 'One pod is there and does nothing',
  category: 'pod-fail',
  layer: 'virtualisation',
  type: 'operation-error',
  parameters: {},
  shapes: ['sudden', 'intermittent', 'transient'],
  symptoms: ['one pod is not ready', 'calls to its service are refused'],
  targets: (system) => singlePods(system, { when: 'down' }),
  ...podBound({
    name: 'pod-fail',
    kind: 'PodChaos',
    lastsIn: 'pod',
    what: 'which does nothing',
    graceSeconds: 1,
    spec: () => ({ action: 'pod-failure', gracePeriod: 0 }),
    isAtWork: hasOtherImages,
  }),
})

/** Finds the running container that a fault targets. */
import type { ContainerProcesses, ContainerTarget, PodProcessView } from '#platform/kube/ports'

export const targetContainer = (target: ContainerTarget, view: PodProcessView): ContainerProcesses => {
  const found = view.containers.find(({ name }) => name === target.container)
  if (found !== undefined) return found
  throw new Error(`container ${target.container} of pod ${target.namespace}/${target.pod} is not running`)
}

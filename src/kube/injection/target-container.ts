/** The running container that a fault is meant for. */
import type { ContainerProcesses, ContainerTarget, PodProcessView } from '../ports/index.ts'

export const targetContainer = (target: ContainerTarget, view: PodProcessView): ContainerProcesses => {
  const found = view.containers.find(({ name }) => name === target.container)
  if (found !== undefined) return found
  throw new Error(`container ${target.container} of pod ${target.namespace}/${target.pod} does not run`)
}

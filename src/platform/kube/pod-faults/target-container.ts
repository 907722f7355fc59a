/** Finds the running container that a fault targets. */
import type { ContainerTarget } from '#platform/kube/ports'

export const targetContainer = <Container extends { readonly name: string }>(
  target: ContainerTarget,
  { containers }: { readonly containers: readonly Container[] },
): Container => {
  const found = containers.find(({ name }) => name === target.container)
  if (found !== undefined) return found
  throw new Error(`container ${target.container} of pod ${target.namespace}/${target.pod} is not running`)
}

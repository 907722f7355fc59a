/** Determines the user of a container's processes. */
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import { ContainerStartError } from '#platform/kube/ports'

/** Throws ContainerStartError if the container would run as root although runAsNonRoot is set. */
export const userIdOf = (pod: Stored<Pod>, container: Container, imageUser = 0): number => {
  const securityContext = container.securityContext
  const podContext = pod.spec.securityContext
  const requested = securityContext?.runAsUser ?? podContext?.runAsUser
  const uid = requested ?? imageUser
  if ((securityContext?.runAsNonRoot ?? podContext?.runAsNonRoot) === true && uid === 0) {
    const { name, namespace, uid: podUid } = pod.metadata
    const location = `(pod: "${name}_${namespace}(${podUid})", container: ${container.name})`
    throw new ContainerStartError(
      requested === undefined
        ? `container has runAsNonRoot and image will run as root ${location}`
        : `container's runAsUser breaks non-root policy ${location}`,
      'config',
    )
  }
  return uid
}

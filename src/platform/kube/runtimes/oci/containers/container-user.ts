/** Determines the user and groups of a container's processes. */
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import { groupOfUser, type OciUser } from '#machine/oci'
import type { Stored } from '#platform/kube/meta'
import { ContainerStartError } from '#platform/kube/ports'
import type { ImageProgram } from '../images/image-catalogue.ts'

/** Throws ContainerStartError if the container would run as root although runAsNonRoot is set. */
export const userOf = (pod: Stored<Pod>, container: Container, image: ImageProgram): OciUser => {
  const securityContext = container.securityContext
  const podContext = pod.spec.securityContext
  const requested = securityContext?.runAsUser ?? podContext?.runAsUser
  const uid = requested ?? image.user ?? 0
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
  const additionalGids = [
    ...(podContext?.fsGroup === undefined ? [] : [podContext.fsGroup]),
    ...(podContext?.supplementalGroups ?? []),
  ]
  return {
    uid,
    gid: securityContext?.runAsGroup ?? podContext?.runAsGroup ?? groupOfUser(uid),
    ...(additionalGids.length === 0 ? {} : { additionalGids }),
  }
}

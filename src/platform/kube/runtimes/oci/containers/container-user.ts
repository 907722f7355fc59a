/** Determines the user and groups of a container's processes. */
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import { groupOfUser, type OciUser } from '#machine/oci'
import { userIdOf } from '#platform/kube/containers'
import type { Stored } from '#platform/kube/meta'
import type { ImageProgram } from '../images/image-catalogue.ts'

/** Throws ContainerStartError if the container would run as root although runAsNonRoot is set. */
export const userOf = (pod: Stored<Pod>, container: Container, image: ImageProgram): OciUser => {
  const uid = userIdOf(pod, container, image.user)
  const securityContext = container.securityContext
  const podContext = pod.spec.securityContext
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

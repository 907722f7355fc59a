/** Whom a container's processes run as. */
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import { groupOfUser, type OciUser } from '../../../oci/index.ts'
import type { Stored } from '../../meta/index.ts'
import { ContainerStartError } from '../../ports/index.ts'
import type { ImageProgram } from './image-catalogue.ts'

/** Throws ContainerStartError where it would be root and must not. */
export const userOf = (pod: Stored<Pod>, container: Container, image: ImageProgram): OciUser => {
  const own = container.securityContext
  const shared = pod.spec.securityContext
  const asked = own?.runAsUser ?? shared?.runAsUser
  const uid = asked ?? image.user ?? 0
  if ((own?.runAsNonRoot ?? shared?.runAsNonRoot) === true && uid === 0) {
    const { name, namespace, uid: podUid } = pod.metadata
    const where = `(pod: "${name}_${namespace}(${podUid})", container: ${container.name})`
    throw new ContainerStartError(
      asked === undefined
        ? `container has runAsNonRoot and image will run as root ${where}`
        : `container's runAsUser breaks non-root policy ${where}`,
      'config',
    )
  }
  const additionalGids = [
    ...(shared?.fsGroup === undefined ? [] : [shared.fsGroup]),
    ...(shared?.supplementalGroups ?? []),
  ]
  return {
    uid,
    gid: own?.runAsGroup ?? shared?.runAsGroup ?? groupOfUser(uid),
    ...(additionalGids.length === 0 ? {} : { additionalGids }),
  }
}

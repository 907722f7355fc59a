/** Starts containers for the kubelet and registers them. */
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '#kit'
import { removeTree } from '#machine/linux'
import type { ImageStore } from '#platform/kube/containers'
import { fullImageName, imageIdOf } from '#platform/kube/meta'
import { ContainerStartError, type RunningContainer, type StartContainer } from '#platform/kube/ports'
import type { ImageProgram } from '../images/image-catalogue.ts'
import { podFolder } from '../pods/cluster-folders.ts'
import type { LocalPod } from '../pods/local-pod.ts'
import type { LocalPods } from '../pods/local-pods.ts'
import type { PendingRemovals } from '../pods/pending-removals.ts'
import type { ContainerLauncher } from './container-launcher.ts'
import type { OciRegister } from './container-register.ts'
import type { OciContainer } from './oci-container.ts'

export interface ContainerStarterOptions {
  clock: Clock
  /** The folder of the cluster. */
  folder: string
  images: ImageStore<ImageProgram>
  register: OciRegister
  localPods: LocalPods
  launcher: ContainerLauncher
  removals: PendingRemovals
}

/**
 * Opens the process namespace that a container joins: the pod's, or that of the container to debug. The caller closes
 * the descriptor. A path by process ID would be unsafe: the host can reuse the ID before the start.
 */
const openNamespaceToJoin = (
  { holder, containers }: LocalPod,
  { container }: StartContainer,
): number | undefined => {
  const { targetContainerName } = container as { targetContainerName?: string }
  const target =
    holder ??
    (targetContainerName
      ? [...containers].find(
          (candidate) => candidate.container.name === targetContainerName && candidate.pid !== undefined,
        )
      : undefined)
  return target?.pid === undefined ? undefined : openSync(`/proc/${target.pid}/ns/pid`, 'r')
}

/** Rejects with ContainerStartError. */
export type ContainerStarter = (request: StartContainer) => Promise<RunningContainer>

export const createContainerStarter = (options: ContainerStarterOptions): ContainerStarter => {
  const { clock, folder, images, register, localPods, launcher, removals } = options

  const registerContainer = (container: OciContainer, { onExit }: StartContainer): void => {
    const obsolete = register.add(container)
    if (obsolete !== undefined) {
      const { podUid, attempt } = obsolete
      const logs = join(podFolder(folder, podUid), 'logs', obsolete.container.name, String(attempt))
      removals.add(removeTree(logs))
    }
    container.ended.then((exit) => clock.defer(() => onExit(exit)))
    removals.add(container.removed)
  }

  return async (request) => {
    const { pod, container, attempt, environment } = request
    const localPod = localPods.find(pod.metadata.uid)
    if (localPod === undefined) throw new ContainerStartError('the pod has no sandbox', 'create')
    const name = container.image ?? ''
    const image = images.content(name)
    if (image === undefined)
      throw new ContainerStartError(`image "${fullImageName(name)}": not found`, 'create')
    const id = launcher.newId()
    const identity = { id: `containerd://${id}`, image: fullImageName(name), imageId: imageIdOf(name) }
    const namespace = openNamespaceToJoin(localPod, request)
    const processPath = namespace === undefined ? undefined : `/proc/${process.pid}/fd/${namespace}`
    const launch = { localPod, container, image, attempt, environment, processPath }
    try {
      registerContainer(await launcher.launch(launch, id), request)
    } catch (error) {
      const { message, stage } = error as ContainerStartError
      throw new ContainerStartError(message, stage, stage === 'start' ? identity : undefined)
    } finally {
      if (namespace !== undefined) closeSync(namespace)
    }
    return identity
  }
}

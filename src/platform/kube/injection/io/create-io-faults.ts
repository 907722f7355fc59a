/** Injects faults on files: mounts a FUSE file system over a volume of a running container. */
import { posix } from 'node:path'
import { parseGlob } from '#platform/kube/io-effects'
import { targetContainer } from '#platform/kube/pod-faults'
import type { IoFault } from '#platform/kube/ports'
import type { ApplyFault } from '../apply-fault.ts'
import { createServedVolumes, type ServedVolumesOptions } from './served-volumes.ts'

export const createIoFaults = (options: ServedVolumesOptions): ApplyFault<IoFault> => {
  const { onError } = options
  const volumes = createServedVolumes(options)
  let lastId = 0
  return async (fault, view) => {
    const path = posix.resolve('/', fault.volumePath)
    // Rejects an invalid pattern before it is sent to the program that serves the volume.
    if (fault.path !== undefined) parseGlob(fault.path)
    lastId += 1
    const id = lastId
    const volume = await volumes.addFault(targetContainer(fault.target, view).pid, path, id)
    try {
      const { type: _, target: __, ...rule } = fault
      await (await volume.server).add(id, rule)
    } catch (error) {
      if (volumes.has(volume)) await volumes.removeFault(volume, id).catch(onError)
      throw error
    }
    let recovery: Promise<void> | undefined
    return () => {
      recovery ??= volumes.removeFault(volume, id)
      return recovery
    }
  }
}

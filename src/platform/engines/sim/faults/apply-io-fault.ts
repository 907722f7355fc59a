/** Applies faults on the files of simulated containers. They end with the container, which has its own mounts. */
import { type IoFault, targetContainer } from '#platform/kube/simulated'
import type { ApplySimFault } from './faulted-pod.ts'

/** As on a local cluster, the path precedes errors of the operating system. */
const withPath = (path: string, error: unknown): unknown => {
  const { code, message } = error as NodeJS.ErrnoException
  return code === undefined ? error : new Error(`${path}: ${message}`, { cause: error })
}

export const applyIoFault: ApplySimFault<IoFault> = async ({ type: _, target, ...rule }, pod) => {
  const { files } = targetContainer(target, pod).resources
  try {
    const remove = files.addFault(rule)
    return async () => remove()
  } catch (error) {
    throw withPath(rule.volumePath, error)
  }
}

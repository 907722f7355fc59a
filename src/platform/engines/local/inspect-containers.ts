/** Inspects the containers of a pod from this machine: the settings of their processes, and their files. */
import { lazily } from '#kit'
import { createCgroups } from '#machine/linux'
import type { PodProcesses } from '#platform/kube'
import type { ContainerInspection } from '#spec'
import { listFiles } from './container-files.ts'
import { listMainTree } from './list-processes.ts'
import { readSettings } from './process-settings.ts'

const cgroups = lazily(() => createCgroups())

/** Undefined if there is no such pod. */
export const inspectContainers = (
  processes: PodProcesses,
  uid: string,
): readonly ContainerInspection[] | undefined => {
  const { pids } = cgroups()
  return processes.find(uid)?.containers.map(({ id, name, pid: main, cgroup }) => {
    const tree = listMainTree(main, pids(cgroup))
    return { id, name, processes: tree.flatMap(readSettings), ...listFiles(main, tree) }
  })
}

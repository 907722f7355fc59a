/** Lists the programs in a pod as the kernel reports them, because tools inside the pod can be manipulated. */
import { readFileSync } from 'node:fs'
import { createCgroups } from '#machine/linux'
import type { PodProcesses } from '#platform/kube'

const nameOf = (pid: number): string[] => {
  try {
    return [readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd()]
  } catch {
    // The process has ended.
    return []
  }
}

export const listPrograms = (processes: PodProcesses, uid: string): readonly string[] | undefined => {
  const { pids } = createCgroups()
  return processes
    .find(uid)
    ?.containers.flatMap(({ cgroup }) => pids(cgroup))
    .flatMap(nameOf)
}

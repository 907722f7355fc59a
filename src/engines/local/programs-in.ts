/** Which programs run in a pod: told by the kernel, whatever somebody has made of the pod's own tools. */
import { readFileSync } from 'node:fs'
import type { PodProcesses } from '../../kube/index.ts'
import { createCgroups } from '../../linux/index.ts'

const nameOf = (pid: number): string[] => {
  try {
    return [readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd()]
  } catch {
    // It has ended meanwhile.
    return []
  }
}

export const programsIn = (processes: PodProcesses, uid: string): readonly string[] | undefined => {
  const { pids } = createCgroups()
  return processes
    .find(uid)
    ?.containers.flatMap(({ cgroup }) => pids(cgroup))
    .flatMap(nameOf)
}

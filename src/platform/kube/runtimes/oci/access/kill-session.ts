/** Kills a process of a container with all its descendants. */
import { readFileSync } from 'node:fs'
import { lazily } from '#kit'
import { createCgroups } from '#machine/linux'

/** Processes that are forked during one round are found in the next. */
const MAX_ROUNDS = 5

const cgroups = lazily(() => createCgroups())

interface ProcessStat {
  pid: number
  parent: number
  session: number
}

const readStat = (pid: number): ProcessStat | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in the second field may contain spaces and parentheses.
    const [state, parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? undefined : { pid, parent: Number(parent), session: Number(session) }
  } catch {
    return undefined
  }
}

const familyOf = (cgroup: string, leader: number): readonly number[] => {
  const all = cgroups()
    .pids(cgroup)
    .map(readStat)
    .filter((each) => each !== undefined)
  const family = new Set<number>()
  let size = -1
  while (family.size > size) {
    size = family.size
    for (const { pid, parent, session } of all)
      if (pid === leader || session === leader || family.has(parent)) family.add(pid)
  }
  return [...family]
}

/** `leader` must be a session leader that has not been reaped; OCI runtimes start every process as one. */
export const killSession = (cgroup: string, leader: number): void => {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const family = familyOf(cgroup, leader)
    if (family.length === 0) return
    for (const pid of family)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // The process has ended.
      }
  }
}

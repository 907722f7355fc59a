/** Finds and kills the processes of one stressor by their session. */
import { readFileSync } from 'node:fs'
import { type Clock, sleep } from '#kit'
import type { Cgroups } from '#machine/linux'

export interface ProcessState {
  pid: number
  name: string
  state: string
  parent: number
  session: number
}

const POLL_MS = 5
/** In the first rounds only processes without children are killed, so that parents reap their children. */
const LEAVES_FIRST_ROUNDS = 10
const TIMEOUT_MS = 5000

/** Returns undefined if the process no longer exists. */
export const stateOf = (pid: number): ProcessState | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may itself contain parentheses.
    const end = text.lastIndexOf(')')
    const [state = '', parent, , session] = text.slice(end + 2).split(' ')
    const name = text.slice(text.indexOf('(') + 1, end)
    return { pid, name, state, parent: Number(parent), session: Number(session) }
  } catch {
    return undefined
  }
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended.
  }
}

export interface ProcessFamily {
  /** The names of the running processes. */
  names(): readonly string[]
  /** Kills all processes. Rejects after a timeout. */
  end(): Promise<void>
}

/** `leader` is the session leader, and `cgroup` the control group of its processes. */
export const createProcessFamily = (
  leader: number,
  cgroup: string,
  { cgroups, clock }: { cgroups: Cgroups; clock: Clock },
): ProcessFamily => {
  const known = new Set([leader])
  /** Includes zombies. */
  const members = (): ProcessState[] => {
    for (const pid of cgroups.pids(cgroup)) known.add(pid)
    return [...known].flatMap((pid) => {
      const found = stateOf(pid)
      if (found?.session === leader) return [found]
      known.delete(pid)
      return []
    })
  }
  const isAlive = ({ state }: ProcessState): boolean => state !== 'Z'

  /** Moves the process to the root group, because a throttled process would not handle its signal in time. */
  const moveToRootGroup = (pid: number): void => {
    try {
      cgroups.join('', pid)
    } catch {
      // The process has ended.
    }
  }

  return {
    names: () =>
      members()
        .filter(isAlive)
        .map(({ name }) => name),
    async end() {
      const deadline = clock.now() + TIMEOUT_MS
      for (let round = 0; ; round += 1) {
        const all = members()
        const alive = all.filter(isAlive)
        if (alive.length === 0) return
        if (clock.now() > deadline)
          throw new Error(`processes of a stressor in ${cgroup} did not end in time`)
        const parents = new Set(all.map(({ parent }) => parent))
        for (const { pid } of alive) {
          moveToRootGroup(pid)
          // The leader is outside the container and must reap its child before it ends.
          if (!parents.has(pid) || (round >= LEAVES_FIRST_ROUNDS && pid !== leader)) kill(pid)
        }
        await sleep(clock, POLL_MS)
      }
    },
  }
}

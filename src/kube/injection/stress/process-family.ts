/** The processes of one stressor: those of its session among the processes of a control group. */
import { readFileSync } from 'node:fs'
import { type Clock, sleep } from '../../../kit/index.ts'
import type { Cgroups } from '../../../linux/index.ts'

interface ProcessState {
  pid: number
  name: string
  state: string
  parent: number
  session: number
}

const ROUND_MS = 5
/** In the first rounds only those without children, dead ones too, die: so that parents bury what is theirs. */
const PATIENT_ROUNDS = 10
const PATIENCE_MS = 5000

/** Nothing where it is gone. */
const stateOf = (pid: number): ProcessState | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name stands in brackets, and may hold any.
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
    // It has ended by itself.
  }
}

export interface ProcessFamily {
  /** Names of those that live. */
  names(): readonly string[]
  /** Kills them all. Rejects when one does not die. */
  end(): Promise<void>
}

/** `leader` leads the session, in which all that it starts stay; `cgroup` is where they live. */
export const createProcessFamily = (
  leader: number,
  cgroup: string,
  { cgroups, clock }: { cgroups: Cgroups; clock: Clock },
): ProcessFamily => {
  const known = new Set([leader])
  /** Also those that are dead and not yet buried. */
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

  /** A process whose group has used up its time cannot even die until it gets new. */
  const release = (pid: number): void => {
    try {
      cgroups.join('', pid)
    } catch {
      // It has ended by itself.
    }
  }

  return {
    names: () =>
      members()
        .filter(isAlive)
        .map(({ name }) => name),
    async end() {
      const deadline = clock.now() + PATIENCE_MS
      for (let round = 0; ; round += 1) {
        const all = members()
        const alive = all.filter(isAlive)
        if (alive.length === 0) return
        if (clock.now() > deadline) throw new Error(`processes of a stressor do not end in ${cgroup}`)
        const parents = new Set(all.map(({ parent }) => parent))
        for (const { pid } of alive) {
          release(pid)
          // The leader is outside and buries its child before it ends; nobody else could.
          if (!parents.has(pid) || (round >= PATIENT_ROUNDS && pid !== leader)) kill(pid)
        }
        await sleep(clock, ROUND_MS)
      }
    },
  }
}

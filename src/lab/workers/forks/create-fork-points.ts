/** Keeps processes that wait at fork points while they fit into a memory limit. Those used least recently end first. */
import type { ForkedProcess } from '#machine/forks'

export interface StartedForkPoint {
  readonly process: ForkedProcess
  /** The memory that it shares with no other process. */
  readonly mib: number
}

export interface ForkPoints {
  /** Forks the process with this key, which `start` starts if there is none. It is kept at least while its forks run. */
  fork(key: string, start: () => Promise<StartedForkPoint>, order: unknown): Promise<ForkedProcess>
  /** The memory of all processes that wait. */
  readonly mib: number
}

interface ForkPoint {
  readonly starting: Promise<StartedForkPoint>
  mib: number
  /** The number of its forks that run or are ordered. */
  forks: number
}

export const createForkPoints = (maxMib: number): ForkPoints => {
  /** In the order of their last use. */
  const points = new Map<string, ForkPoint>()
  const total = (): number => points.values().reduce((sum, { mib }) => sum + mib, 0)

  const forget = (key: string, point: ForkPoint): void => {
    if (points.get(key) === point) points.delete(key)
  }
  const evict = (): void => {
    for (const [key, point] of points) {
      if (total() <= maxMib) return
      if (point.forks > 0) continue
      forget(key, point)
      void point.starting.then(({ process }) => process.end())
    }
  }
  const add = (key: string, start: () => Promise<StartedForkPoint>): ForkPoint => {
    const point: ForkPoint = { starting: start(), mib: 0, forks: 0 }
    const forgetPoint = (): void => forget(key, point)
    point.starting.then(({ process, mib }) => {
      point.mib = mib
      void process.ended.then(forgetPoint)
    }, forgetPoint)
    return point
  }

  return {
    get mib() {
      return total()
    },
    async fork(key, start, order) {
      const point = points.get(key) ?? add(key, start)
      points.delete(key)
      points.set(key, point)
      point.forks += 1
      const release = (): void => {
        point.forks -= 1
        evict()
      }
      try {
        const { process } = await point.starting
        const forked = await process.fork(order)
        void forked.ended.then(release)
        return forked
      } catch (error) {
        release()
        throw error
      }
    },
  }
}

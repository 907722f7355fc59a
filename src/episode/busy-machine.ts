/** Whether others keep the machine so busy that slow users say nothing about the system. */
import type { CpuTimes } from '../spec/index.ts'

/** It is busy where others take so much of its cores, and so little is left. */
const MUCH = 0.25
const LITTLE = 0.2
/** In so many of the looks. */
const OFTEN = 0.5

interface Look {
  /** Shares of all the CPU since the look before. */
  readonly others: number
  readonly idle: number
}

export interface BusyWatch {
  /** Looks once more. */
  look(): void
  /** What is to be told of it, where it was busy most of the time since the first look. */
  told(): string | undefined
}

const toPercent = (share: number): string => `${Math.round(100 * share)} %`

/** Without times nothing is ever busy. */
export const watchMachine = (times: (() => CpuTimes) | undefined): BusyWatch => {
  const looks: Look[] = []
  let last = times?.()
  return {
    look() {
      if (times === undefined || last === undefined) return
      const now = times()
      const all = now.allMs - last.allMs
      // The kernel counts in steps: too soon is no look.
      if (all <= 0) return
      const idle = (now.idleMs - last.idleMs) / all
      const own = (now.ownMs - last.ownMs) / all
      looks.push({ idle, others: Math.max(0, 1 - idle - own) })
      last = now
    },
    told() {
      const busy = looks.filter(({ others, idle }) => others >= MUCH && idle <= LITTLE)
      if (busy.length === 0 || busy.length < OFTEN * looks.length) return undefined
      const others = busy.reduce((sum, look) => sum + look.others, 0) / busy.length
      return `others used ${toPercent(others)} of the machine's CPU and left hardly any`
    },
  }
}

/** Detects that other processes keep the machine busy: slow journeys are then no evidence about the system. */
import type { CpuTimes } from '#spec'

/** In a busy sample, other processes use at least this share of all CPU, and little is idle. */
const MIN_OTHERS_SHARE = 0.25
const MAX_IDLE_SHARE = 0.2
/** The machine is busy if at least this share of the samples is busy. */
const MIN_BUSY_SHARE = 0.5

interface Sample {
  /** Shares of all CPU time since the previous sample. */
  readonly others: number
  readonly idle: number
}

export interface MachineWatch {
  sample(): void
  /** Describes how much CPU other processes used; undefined unless at least half of the samples were busy. */
  describeOthers(): string | undefined
}

const toPercent = (share: number): string => `${Math.round(100 * share)} %`

/** Without CPU times the machine never counts as busy. */
export const watchMachine = (times: (() => CpuTimes) | undefined): MachineWatch => {
  const samples: Sample[] = []
  let last = times?.()
  return {
    sample() {
      if (times === undefined || last === undefined) return
      const now = times()
      const totalMs = now.allMs - last.allMs
      // The kernel counts in ticks, so the times may not have changed.
      if (totalMs <= 0) return
      const idle = (now.idleMs - last.idleMs) / totalMs
      const clusterShare = (now.clusterMs - last.clusterMs) / totalMs
      samples.push({ idle, others: Math.max(0, 1 - idle - clusterShare) })
      last = now
    },
    describeOthers() {
      const busy = samples.filter(({ others, idle }) => others >= MIN_OTHERS_SHARE && idle <= MAX_IDLE_SHARE)
      if (busy.length === 0 || busy.length < MIN_BUSY_SHARE * samples.length) return undefined
      const others = busy.reduce((sum, sample) => sum + sample.others, 0) / busy.length
      return `other processes used ${toPercent(others)} of the machine's CPU and left hardly any idle`
    },
  }
}

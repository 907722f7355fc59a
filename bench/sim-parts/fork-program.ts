/** The program of processes that fork at a prepared incident; each fork makes an attempt with the reference repair, and measures itself. */
import { readFileSync } from 'node:fs'
import { shortenStart } from '#lab/start'
import type { ForkedIncident } from '#lab/workers'
import type { Problem, Verdict } from '#spec'

shortenStart()
const { referenceSolver } = await import('#exam/episode')
const { loadFaults } = await import('#exam/faults')
const { serveIncidents } = await import('#lab/workers')

export interface ForkedFigures {
  readonly outcome: Verdict['outcome']
  readonly reason: string
  /** The CPU time of the incident's process so far, and of its forks that have ended, when this fork started. */
  readonly incidentCpuMs: number
  readonly endedCpuMs: number
  /** The CPU time of the attempt, without the end of its process. */
  readonly attemptCpuMs: number
  readonly systemCpuMs: number
  /** The memory of the processes that one attempt needs, with shared memory counted once. */
  readonly mib: number
  readonly privateMib: number
}

const TICK_MS = 10
/** Indexes of `/proc/PID/stat` after the name. */
const CHILDREN_USER = 13
const CHILDREN_SYSTEM = 14

const readKib = (pid: number | string, field: string): number => {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')
  const values = [...text.matchAll(new RegExp(`^${field}:\\s+(\\d+)`, 'gm'))]
  return values.reduce((sum, [, value]) => sum + Number(value), 0)
}

/** The fields of `/proc/PID/stat` after the name, from the state on. */
const readStat = (pid: number): number[] => {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
}

const parentOf = (pid: number): number => readStat(pid)[1]!
const readCpuMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6

/** The root, the system and the incident have no code or data of other attempts. */
const readMib = (): number => {
  const system = parentOf(process.ppid)
  const pids = [process.pid, process.ppid, system, parentOf(system)]
  return pids.reduce((sum, pid) => sum + readKib(pid, 'Pss'), 0) / 1024
}

const play =
  ({ setup: problem, labClusters, faults, stage }: ForkedIncident<Problem>) =>
  async (): Promise<ForkedFigures> => {
    const stat = readStat(process.ppid)
    const incidentCpuMs = readCpuMs(process.ppid)
    const { labCluster } = await labClusters.open({ problem, faults, stage, signal: AbortSignal.any([]) })
    const incident = await labCluster.laboratory.prepare(problem)
    const { verdict } = await incident.attempt(referenceSolver(incident))
    const cpu = process.cpuUsage()
    return {
      outcome: verdict.outcome,
      reason: verdict.reason,
      incidentCpuMs,
      endedCpuMs: (stat[CHILDREN_USER]! + stat[CHILDREN_SYSTEM]!) * TICK_MS,
      attemptCpuMs: (cpu.user + cpu.system) / 1000,
      systemCpuMs: cpu.system / 1000,
      mib: readMib(),
      privateMib: readKib('self', 'Private_Dirty') / 1024,
    }
  }

await serveIncidents(play, { loadFaults, maxMsOf: () => Number.POSITIVE_INFINITY })

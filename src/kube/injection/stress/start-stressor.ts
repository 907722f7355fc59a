/** Starts a program of the host among the processes of a container, and watches over it. */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { type Clock, sleep } from '../../../kit/index.ts'
import type { Cgroups } from '../../../linux/index.ts'
import type { ContainerProcesses } from '../../ports/index.ts'
import { encloseProgram } from './enclose-program.ts'
import { createProcessFamily, type ProcessFamily } from './process-family.ts'

export interface StressorHost {
  cgroups: Cgroups
  /** For the environment of every program. */
  marker: Readonly<Record<string, string>>
  clock: Clock
}

export interface Stressor {
  /** The program and its arguments. */
  command: readonly string[]
  /** What it reads. */
  input?: string
  /** Whether the work is being done, by the names of its processes. */
  isReady(names: readonly string[]): boolean
  /** How gladly the kernel kills it when memory is short; as the engine itself where absent. */
  oomScoreAdj?: number
}

const READY_MS = 3000
const POLL_MS = 5
const LONGEST_COMPLAINT = 500

const spawnWaiting = ({ pid }: ContainerProcesses, { command }: Stressor, { marker }: StressorHost) => {
  const [program = '', ...args] = encloseProgram(pid, command)
  return spawn(program, args, {
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C', ...marker },
    // Of its own session, by which its processes are found again.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
}

/** Nothing where it has none, or has ended. */
const childOf = (pid: number): number | undefined => {
  try {
    const [first = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
    return first === '' ? undefined : Number(first)
  } catch {
    return undefined
  }
}

const setOomScore = (pid: number, score: number): void => {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(score))
  } catch (error) {
    throw new Error(`oomScoreAdj cannot be set to ${score} on this machine`, { cause: error })
  }
}

/** Starts it, puts it into the container and lets it go. */
const launch = async (container: ContainerProcesses, stressor: Stressor, host: StressorHost) => {
  const child = spawnWaiting(container, stressor, host)
  const { pid: leader } = child
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaint = (complaint + chunk).slice(-LONGEST_COMPLAINT)
  })
  child.stdin.on('error', () => {})
  let exitCode: number | undefined
  const ended = new Promise<void>((resolve) => {
    // Without a process this is all that is told of it.
    child.once('error', () => {})
    child.once('close', (code) => {
      exitCode = code ?? 137
      resolve()
    })
  })
  if (leader === undefined) throw new Error('no process can be started for a stressor')
  const deadline = host.clock.now() + READY_MS
  let program = childOf(leader)
  while (program === undefined && exitCode === undefined && host.clock.now() < deadline) {
    await sleep(host.clock, 1)
    program = childOf(leader)
  }
  try {
    if (program !== undefined) {
      host.cgroups.join(container.cgroup, program)
      if (stressor.oomScoreAdj !== undefined) setOomScore(program, stressor.oomScoreAdj)
    }
  } catch (error) {
    // Its end is that of the one that waits for the word.
    child.stdin.end()
    throw error
  }
  child.stdin.end(program === undefined ? '' : `go\n${stressor.input ?? ''}`)
  return { leader, ended, exitCode: () => exitCode, complaint: () => complaint.trim() }
}

/**
 * Resolves when it works, with how to end it; also when the kernel has killed it by then for want of memory, for that
 * was the point of it.
 */
export const startStressor = async (
  container: ContainerProcesses,
  stressor: Stressor,
  host: StressorHost,
): Promise<ProcessFamily['end']> => {
  const { cgroups, clock } = host
  const oomKills = (): number => cgroups.usage(container.cgroup).oomKills
  const killsBefore = oomKills()
  const { leader, ended, exitCode, complaint } = await launch(container, stressor, host)
  const family = createProcessFamily(leader, container.cgroup, host)
  const deadline = clock.now() + READY_MS
  while (clock.now() < deadline && exitCode() === undefined && !stressor.isReady(family.names()))
    await sleep(clock, POLL_MS)
  if ((exitCode() ?? 0) !== 0 && oomKills() === killsBefore)
    throw new Error(
      `${stressor.command[0]} ended with ${exitCode()}: ${complaint() || 'the container may have ended'}`,
    )
  return async () => {
    await family.end()
    await ended
  }
}

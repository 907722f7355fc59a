/** Starts a program of the host among the processes of a container, and watches over it. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { type Clock, sleep } from '../../../kit/index.ts'
import type { Cgroups } from '../../../linux/index.ts'
import type { ContainerProcesses } from '../../ports/index.ts'
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

/** Waits to be told before it becomes the program: until then it can be put where every byte counts. */
const WAIT_AND_BECOME = 'read -r go && exec "$@"'

const spawnWaiting = ({ pid }: ContainerProcesses, { command }: Stressor, { marker }: StressorHost) =>
  spawn(
    '/bin/sh',
    ['-c', WAIT_AND_BECOME, 'sh', 'nsenter', '--target', `${pid}`, '--pid', '--', ...command],
    {
      cwd: '/',
      env: { PATH: process.env.PATH, LC_ALL: 'C', ...marker },
      // Of its own session, by which its processes are found again.
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    },
  )

const setOomScore = (pid: number, score: number): void => {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(score))
  } catch (error) {
    throw new Error(`oomScoreAdj cannot be set to ${score} on this machine`, { cause: error })
  }
}

/** Puts it into the container and lets it go. */
const launch = (container: ContainerProcesses, stressor: Stressor, host: StressorHost) => {
  const child = spawnWaiting(container, stressor, host)
  const { pid } = child
  if (pid === undefined) throw new Error('no process can be started for a stressor')
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaint = (complaint + chunk).slice(-LONGEST_COMPLAINT)
  })
  child.stdin.on('error', () => {})
  const ended = new Promise<number>((resolve) => {
    child.once('close', (code) => resolve(code ?? 137))
  })
  try {
    host.cgroups.join(container.cgroup, pid)
    if (stressor.oomScoreAdj !== undefined) setOomScore(pid, stressor.oomScoreAdj)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  child.stdin.end(`go\n${stressor.input ?? ''}`)
  return { pid, ended, complaint: () => complaint.trim() }
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
  const { pid, ended, complaint } = launch(container, stressor, host)
  const family = createProcessFamily(pid, container.cgroup, host)
  let exitCode: number | undefined
  void ended.then((code) => {
    exitCode = code
  })
  const deadline = clock.now() + READY_MS
  while (clock.now() < deadline && exitCode === undefined && !stressor.isReady(family.names()))
    await sleep(clock, POLL_MS)
  if ((exitCode ?? 0) !== 0 && oomKills() === killsBefore)
    throw new Error(
      `${stressor.command[0]} ended with ${exitCode}: ${complaint() || 'the container may have ended'}`,
    )
  return async () => {
    await family.end()
    await ended
  }
}

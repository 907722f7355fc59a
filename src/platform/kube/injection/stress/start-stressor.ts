/** Starts a stress program of the host in the namespaces and the control group of a container. */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { type Clock, sleep } from '#kit'
import type { Cgroups } from '#machine/linux'
import type { ContainerProcesses } from '#platform/kube/ports'
import { encloseProgram } from './enclose-program.ts'
import { createProcessFamily, type ProcessFamily } from './process-family.ts'

export interface StressorHost {
  cgroups: Cgroups
  /** Environment variables that identify every program of this cluster. */
  marker: Readonly<Record<string, string>>
  clock: Clock
}

export interface Stressor {
  /** The program and its arguments. */
  command: readonly string[]
  /** Its standard input. */
  input?: string
  /** Whether the program is working, judged by the names of its processes. */
  isReady(names: readonly string[]): boolean
  /** The OOM score adjustment; that of the engine by default. */
  oomScoreAdj?: number
}

const READY_TIMEOUT_MS = 3000
const POLL_MS = 5
const MAX_STDERR_CHARACTERS = 500

const spawnWaiting = ({ pid }: ContainerProcesses, { command }: Stressor, { marker }: StressorHost) => {
  const [program = '', ...args] = encloseProgram(pid, command)
  return spawn(program, args, {
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C', ...marker },
    // Creates a session, by which its processes are found.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
}

/** Returns undefined if the process has no child or has ended. */
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

/** Starts the program, moves it to the container's control group and lets it run. */
const launch = async (container: ContainerProcesses, stressor: Stressor, host: StressorHost) => {
  const child = spawnWaiting(container, stressor, host)
  const { pid: leader } = child
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-MAX_STDERR_CHARACTERS)
  })
  child.stdin.on('error', () => {})
  let exitCode: number | undefined
  const ended = new Promise<void>((resolve) => {
    // A failed spawn is reported by the missing pid.
    child.once('error', () => {})
    child.once('close', (code) => {
      exitCode = code ?? 137
      resolve()
    })
  })
  if (leader === undefined) throw new Error('the process of a stressor cannot be started')
  const deadline = host.clock.now() + READY_TIMEOUT_MS
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
    // Closing stdin ends the waiting process.
    child.stdin.end()
    throw error
  }
  child.stdin.end(program === undefined ? '' : `go\n${stressor.input ?? ''}`)
  return { leader, ended, exitCode: () => exitCode, stderr: () => stderr.trim() }
}

/**
 * Resolves with a function that stops the program, once the program is working or a timeout has passed. Also resolves
 * if the kernel has killed the program for lack of memory, which is an intended effect.
 */
export const startStressor = async (
  container: ContainerProcesses,
  stressor: Stressor,
  host: StressorHost,
): Promise<ProcessFamily['end']> => {
  const { cgroups, clock } = host
  const oomKills = (): number => cgroups.usage(container.cgroup).oomKills
  const killsBefore = oomKills()
  const { leader, ended, exitCode, stderr } = await launch(container, stressor, host)
  const family = createProcessFamily(leader, container.cgroup, host)
  const deadline = clock.now() + READY_TIMEOUT_MS
  while (clock.now() < deadline && exitCode() === undefined && !stressor.isReady(family.names()))
    await sleep(clock, POLL_MS)
  if ((exitCode() ?? 0) !== 0 && oomKills() === killsBefore)
    throw new Error(
      `${stressor.command[0]} ended with ${exitCode()}: ${stderr() || 'the container may have ended'}`,
    )
  return async () => {
    await family.end()
    await ended
  }
}

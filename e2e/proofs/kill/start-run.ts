/** `remedium run` as a process of its own, and its sudden end. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Folders } from '../machine/snapshot.ts'

const REMEDIUM = join(import.meta.dirname, '..', '..', '..', 'remedium')

export type RunEnd = number | 'killed'

export interface StartedRun {
  readonly ended: Promise<RunEnd>
  /** With all workers and what they have started, or the command alone. */
  kill(everything: boolean): Promise<void>
}

/** Those that work for this run: by the folder for temporary files that they were given. */
const ownProcesses = (temporary: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const names = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
        return pid !== process.pid && names.some((name) => name.startsWith(`TMPDIR=${temporary}`))
      } catch {
        return false
      }
    })

const killOne = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

export const startRun = (options: {
  readonly out: string
  readonly folders: Folders
  readonly episodes: number
  readonly isShown?: boolean
}): StartedRun => {
  const { out, folders, episodes, isShown = false } = options
  const agents = ['reference', 'null']
  const child = spawn(
    REMEDIUM,
    [
      ...['run', 'medium', '--system', 'simple-micro', '--limit', String(episodes / agents.length)],
      ...agents.flatMap((agent) => ['--agent', agent]),
      ...['--out', out, '--any-commit'],
    ],
    {
      env: { ...process.env, REMEDIUM_STATE: folders.state, TMPDIR: folders.temporary, CI: '1' },
      stdio: ['ignore', isShown ? 'inherit' : 'ignore', isShown ? 'inherit' : 'ignore'],
      detached: true,
    },
  )
  const ended = new Promise<RunEnd>((resolve) => {
    child.once('exit', (code) => resolve(code ?? 'killed'))
  })
  return {
    ended,
    async kill(everything) {
      const pids = everything ? ownProcesses(folders.temporary) : []
      for (const pid of [child.pid!, ...pids]) killOne(pid)
      await ended
    },
  }
}

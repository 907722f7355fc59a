/** `remedium run` as a process of its own, and its sudden end. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
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
  /** Where it says what it does. */
  readonly log: string
}): StartedRun => {
  const { out, folders, episodes, log } = options
  const file = openSync(log, 'a')
  // The one has a sandbox, the other runs Ansible beside it.
  const agents = ['expert', 'reference']
  const child = spawn(
    REMEDIUM,
    [
      ...['run', 'medium', '--system', 'simple-micro', '--limit', String(episodes / agents.length)],
      ...agents.flatMap((agent) => ['--agent', agent]),
      ...['--out', out, '--any-commit'],
    ],
    {
      env: { ...process.env, REMEDIUM_STATE: folders.state, TMPDIR: folders.temporary, CI: '1' },
      stdio: ['ignore', file, file],
      detached: true,
    },
  )
  closeSync(file)
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

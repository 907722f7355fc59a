/** Starts `remedium run` as a separate process, and kills it. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Folders } from '../machine/snapshot.ts'

const REMEDIUM = join(import.meta.dirname, '..', '..', '..', 'remedium')

/** The Expert uses a sandbox; the reference runs Ansible without one. */
export const AGENTS = ['expert', 'reference']

export type RunEnd = number | 'killed'

export interface StartedRun {
  readonly ended: Promise<RunEnd>
  /** Kills the command; with `withChildren` also its workers and their children. */
  kill(options: { readonly withChildren: boolean }): Promise<void>
}

/** Lists the processes of this run, recognised by the folder for temporary files in their environment. */
const listRunProcesses = (temporary: string): number[] =>
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

const killProcess = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}

export const startRun = (options: {
  readonly out: string
  readonly folders: Folders
  readonly suite: string
  readonly problems: number
  /** The file for the output of the run. */
  readonly log: string
}): StartedRun => {
  const { out, folders, suite, problems, log } = options
  const file = openSync(log, 'a')
  const child = spawn(
    REMEDIUM,
    [
      ...['run', suite, '--system', 'simple-micro', '--limit', String(problems)],
      ...AGENTS.flatMap((agent) => ['--agent', agent]),
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
    async kill({ withChildren }) {
      const pids = withChildren ? listRunProcesses(folders.temporary) : []
      for (const pid of [child.pid!, ...pids]) killProcess(pid)
      await ended
    },
  }
}

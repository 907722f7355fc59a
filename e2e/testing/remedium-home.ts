/** Runs the command line as a separate process, with a separate folder for clusters and temporary files. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const REMEDIUM = join(import.meta.dirname, '..', '..', 'remedium')

export interface CommandResult {
  readonly code: number | string
  readonly out: string
  readonly err: string
}

export interface RemediumHome {
  readonly path: string
  /** Starts a command in a separate process group, so that it can be killed with all of its children. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>, stdin?: 'pipe'): ChildProcess
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<CommandResult>
  /** Lists the processes, clusters and files that should have been removed. */
  leftovers(): string[]
  remove(): void
}

export const waitForExit = async (child: ChildProcess): Promise<CommandResult> => {
  const texts = { out: '', err: '' }
  child.stdout!.on('data', (part) => {
    texts.out += part
  })
  child.stderr!.on('data', (part) => {
    texts.err += part
  })
  const code = await new Promise<number | string>((resolve) =>
    child.once('close', (status, signal) => resolve(status ?? signal ?? '')),
  )
  return { code, ...texts }
}

const hasInEnvironment = (pid: string, text: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text)
  } catch {
    return false
  }
}

export const makeRemediumHome = (name: string): RemediumHome => {
  const path = mkdtempSync(join(tmpdir(), `${name}-`))
  const [state, temporary] = [join(path, 'state'), join(path, 'tmp')]
  mkdirSync(temporary)
  const start: RemediumHome['start'] = (args, env = {}, stdin) =>
    spawn(REMEDIUM, args, {
      env: { ...process.env, REMEDIUM_STATE: state, TMPDIR: temporary, CI: '1', ...env },
      stdio: [stdin ?? 'ignore', 'pipe', 'pipe'],
      detached: true,
    })
  return {
    path,
    start,
    run: (args, env) => waitForExit(start(args, env)),
    leftovers() {
      const processes = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && hasInEnvironment(pid, path))
      const folders = [join(state, 'clusters'), temporary].filter(existsSync)
      return [...processes, ...folders.flatMap((folder) => readdirSync(folder))]
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

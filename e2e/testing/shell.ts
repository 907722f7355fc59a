/** Runs shell scripts in which `kubectl` is a given version of it, against a given cluster. */
import { type ChildProcess, spawn } from 'node:child_process'

export interface ShellOptions {
  cwd: string
  env: NodeJS.ProcessEnv
}

export interface Finished {
  code: number
  stdout: string
  stderr: string
}

/** A script that runs on, such as a watch. */
export interface Background {
  /** Resolves with the output so far, once it matches. */
  until(pattern: RegExp): Promise<string>
  /** Resolves with all output when the script has ended. */
  readonly ended: Promise<Finished>
  stop(): Promise<Finished>
}

export interface Shell {
  /** What the script printed; fails unless it ends well. */
  (script: string, stdin?: string): Promise<string>
  /** What the script complained; fails unless it ends with this code. */
  refused(script: string, code?: number, stdin?: string): Promise<string>
  /** However it ends. */
  run(script: string, stdin?: string): Promise<Finished>
  /** What the script printed, once it prints what matches: it is run again until then. */
  eventually(script: string, pattern: RegExp): Promise<string>
  start(script: string): Background
  readonly cwd: string
}

const LIMIT_MS = 60_000
const AGAIN_MS = 200

/** Ends a script and whatever it started. */
export const killGroup = (child: ChildProcess): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended in the meantime.
  }
}

/** Every script that still runs is in `running`, so that whoever made the shell can end it. */
export const createShell = ({ cwd, env }: ShellOptions, running: Set<ChildProcess>): Shell => {
  const launch = (
    script: string,
    stdin: string | undefined,
  ): { child: ChildProcess; ended: Promise<Finished> } => {
    const child = spawn('/bin/sh', ['-c', script], { cwd, env, detached: true })
    running.add(child)
    child.stdin.on('error', () => {})
    child.stdin.end(stdin)
    const ended = new Promise<Finished>((resolve) => {
      const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
      child.stdout.on('data', (chunk) => stdout.push(chunk))
      child.stderr.on('data', (chunk) => stderr.push(chunk))
      child.once('close', (code) => {
        running.delete(child)
        resolve({
          code: code ?? 137,
          stdout: Buffer.concat(stdout).toString(),
          stderr: Buffer.concat(stderr).toString(),
        })
      })
    })
    return { child, ended }
  }

  const run = async (script: string, stdin?: string): Promise<Finished> => {
    const { child, ended } = launch(script, stdin)
    const limit = setTimeout(() => killGroup(child), LIMIT_MS)
    const finished = await ended
    clearTimeout(limit)
    return finished
  }

  const shell = async (script: string, stdin?: string): Promise<string> => {
    const { code, stdout, stderr } = await run(script, stdin)
    if (code !== 0) throw new Error(`${script}\nended with ${code}:\n${stdout}${stderr}`)
    return stdout
  }

  return Object.assign(shell, {
    cwd,
    run,
    async refused(script: string, expected = 1, stdin?: string) {
      const { code, stdout, stderr } = await run(script, stdin)
      if (code !== expected)
        throw new Error(`${script}\nended with ${code}, not ${expected}:\n${stdout}${stderr}`)
      return stderr
    },
    async eventually(script: string, pattern: RegExp) {
      const limit = Date.now() + LIMIT_MS
      for (;;) {
        const { stdout, stderr } = await run(script)
        if (pattern.test(stdout)) return stdout
        if (Date.now() > limit)
          throw new Error(`${script}\nnever printed ${pattern}, but:\n${stdout}${stderr}`)
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      }
    },
    start(script: string): Background {
      const { child, ended } = launch(script, undefined)
      let output = ''
      const listeners = new Set<() => void>()
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk) => {
          output += chunk
          for (const listener of listeners) listener()
        })
      return {
        ended,
        until: (pattern) =>
          new Promise((resolve, reject) => {
            const done = (outcome: () => void): void => {
              clearTimeout(limit)
              listeners.delete(look)
              outcome()
            }
            const look = (): void => {
              if (pattern.test(output)) done(() => resolve(output))
            }
            const fail = (): void =>
              done(() => reject(new Error(`${script}\nnever printed ${pattern}, but:\n${output}`)))
            const limit = setTimeout(fail, LIMIT_MS)
            listeners.add(look)
            look()
            void ended.then(() => {
              look()
              if (listeners.has(look)) fail()
            })
          }),
        stop() {
          killGroup(child)
          return ended
        },
      }
    },
  })
}

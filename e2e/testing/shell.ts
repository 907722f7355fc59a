/** Runs shell scripts with a given version of kubectl, against a given cluster. */
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

/** A script that keeps running, such as a watch. */
export interface Background {
  /** Resolves to the output so far, once it matches. */
  until(pattern: RegExp): Promise<string>
  /** Resolves to all output when the script has exited. */
  readonly ended: Promise<Finished>
  stop(): Promise<Finished>
}

export interface Shell {
  /** Resolves to the output; rejects unless the exit code is 0. */
  (script: string, stdin?: string): Promise<string>
  /** Resolves to the error output; rejects unless the script exits with `code`, by default 1. */
  expectFailure(script: string, code?: number, stdin?: string): Promise<string>
  /** Resolves with any exit code. */
  run(script: string, stdin?: string): Promise<Finished>
  /** Runs the script repeatedly until its output matches; resolves to that output. */
  eventually(script: string, pattern: RegExp): Promise<string>
  start(script: string): Background
  readonly cwd: string
}

const TIMEOUT_MS = 60_000
const RETRY_MS = 200

/** Kills a script and all of its processes. */
export const killGroup = (child: ChildProcess): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}

interface Launched {
  readonly child: ChildProcess
  readonly ended: Promise<Finished>
}

type Launch = (script: string, stdin: string | undefined) => Launched

const createLaunch =
  ({ cwd, env }: ShellOptions, running: Set<ChildProcess>): Launch =>
  (script, stdin) => {
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

const createBackground = (script: string, { child, ended }: Launched): Background => {
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
        const settle = (outcome: () => void): void => {
          clearTimeout(timer)
          listeners.delete(check)
          outcome()
        }
        const check = (): void => {
          if (pattern.test(output)) settle(() => resolve(output))
        }
        const fail = (): void =>
          settle(() => reject(new Error(`${script}\nnever printed ${pattern}, but:\n${output}`)))
        const timer = setTimeout(fail, TIMEOUT_MS)
        listeners.add(check)
        check()
        void ended.then(() => {
          check()
          if (listeners.has(check)) fail()
        })
      }),
    stop() {
      killGroup(child)
      return ended
    },
  }
}

/** Adds every running script to `running`, so that the caller can kill it. */
export const createShell = (options: ShellOptions, running: Set<ChildProcess>): Shell => {
  const launch = createLaunch(options, running)

  const run = async (script: string, stdin?: string): Promise<Finished> => {
    const { child, ended } = launch(script, stdin)
    const timer = setTimeout(() => killGroup(child), TIMEOUT_MS)
    const finished = await ended
    clearTimeout(timer)
    return finished
  }

  const shell = async (script: string, stdin?: string): Promise<string> => {
    const { code, stdout, stderr } = await run(script, stdin)
    if (code !== 0) throw new Error(`${script}\nexited with ${code}:\n${stdout}${stderr}`)
    return stdout
  }

  return Object.assign(shell, {
    cwd: options.cwd,
    run,
    async expectFailure(script: string, expected = 1, stdin?: string) {
      const { code, stdout, stderr } = await run(script, stdin)
      if (code !== expected)
        throw new Error(`${script}\nexited with ${code}, not ${expected}:\n${stdout}${stderr}`)
      return stderr
    },
    async eventually(script: string, pattern: RegExp) {
      const deadline = Date.now() + TIMEOUT_MS
      for (;;) {
        const { stdout, stderr } = await run(script)
        if (pattern.test(stdout)) return stdout
        if (Date.now() > deadline)
          throw new Error(`${script}\nnever printed ${pattern}, but:\n${stdout}${stderr}`)
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    },
    start: (script: string): Background => createBackground(script, launch(script, undefined)),
  })
}

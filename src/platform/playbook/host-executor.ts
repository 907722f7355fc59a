/** Executes a trusted program on the host, in a temporary folder, and kills every process that it has started. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { createBoundedOutput, createRealClock, monotonicMs } from '#kit'
import { killProcessesOf } from './kill-processes-of.ts'
import type { AnsibleExecutor, AnsibleProgram, Execution, ExecutionLimits } from './run-ansible.ts'

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 500

const killGroup = (leader: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-leader, signal)
  } catch {
    // The process group has ended.
  }
}

interface ProcessExit {
  readonly code: number | null
  /** The reason why the process was killed; undefined if it was not. */
  readonly failure: string | undefined
}

const runInFolder = (
  folder: string,
  { command: [program = '', ...args], environment }: AnsibleProgram,
  { timeoutMs, signal, onLine }: ExecutionLimits,
  onOutput: (chunk: Buffer) => void,
): Promise<ProcessExit> =>
  new Promise((resolve, reject) => {
    const clock = createRealClock({ keepsAlive: true })
    const child = spawn(program, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    })
    let failure: string | undefined
    const stop = (reason: string): void => {
      failure ??= reason
      killGroup(child.pid!, 'SIGTERM')
      clock.after(GRACE_MS, () => killGroup(child.pid!, 'SIGKILL'))
    }
    const timer = clock.after(timeoutMs, () => stop(`it took longer than ${timeoutMs / 1000} s`))
    const onAbort = (): void => stop('the episode ran out of time')
    signal?.addEventListener('abort', onAbort, { once: true })
    child.stdout!.on('data', onOutput)
    child.stderr!.on('data', onOutput)
    createInterface({ input: child.stdio[3] as Readable }).on('line', onLine)
    // A background process of a task can keep the pipes open; without this, `close` would never occur.
    child.on('exit', () => {
      killGroup(child.pid!, 'SIGKILL')
      killProcessesOf(folder)
    })
    child.on('error', reject)
    child.on('close', (code) => {
      timer.cancel()
      signal?.removeEventListener('abort', onAbort)
      resolve({ code, failure })
    })
  })

export const hostExecutor: AnsibleExecutor = {
  async run(toProgram, limits): Promise<Execution> {
    if (limits.signal?.aborted)
      return { ok: false, output: 'The playbook did not run: no time is left.', milliseconds: 0 }
    const startedAt = monotonicMs()
    const folder = mkdtempSync(join(tmpdir(), 'remedium-playbook-'))
    const output = createBoundedOutput()
    try {
      const program = toProgram({ input: folder, home: folder })
      for (const [name, text] of Object.entries(program.files))
        writeFileSync(join(folder, name), text, { mode: 0o600 })
      const { code, failure } = await runInFolder(folder, program, limits, output.add)
      const milliseconds = Math.round(monotonicMs() - startedAt)
      return { ok: code === 0 && failure === undefined, output: output.text(), failure, milliseconds }
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    }
  },
}

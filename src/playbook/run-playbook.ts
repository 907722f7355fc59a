/** Runs a playbook with the real ansible-playbook, in a folder of its own that is gone afterwards. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBoundedOutput, createRealClock, monotonicMs } from '../kit/index.ts'
import { RemediumError } from '../spec/index.ts'
import { ansibleEnvironment } from './ansible-environment.ts'
import { findAnsiblePlaybook, pythonOf } from './find-ansible.ts'
import { killAllOf } from './kill-all-of.ts'

export interface PlaybookOptions {
  /** YAML. */
  readonly text: string
  /** The text of one. */
  readonly kubeconfig: string
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
}

export interface PlaybookOutcome {
  /** Whether it ran to its end: tasks that failed were ignored or rescued. */
  readonly ok: boolean
  /** What Ansible said; of much of it the beginning and the end. */
  readonly output: string
  readonly milliseconds: number
}

const TIMEOUT_MS = 300_000
/** Between asking a group of processes to end and making it. */
const GRACE_MS = 500

const toEnvironment = (text: string, folder: string, python: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  ...ansibleEnvironment({
    text,
    home: folder,
    kubeconfig: join(folder, 'kubeconfig'),
    config: join(folder, 'ansible.cfg'),
    python,
  }),
})

const killGroup = (leader: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-leader, signal)
  } catch {
    // Nobody of it is left.
  }
}

interface Ending {
  readonly code: number | null
  /** Why it was made to end, if it was. */
  readonly cut?: string
}

const runIn = (
  folder: string,
  playbook: string,
  { text, signal, timeoutMs = TIMEOUT_MS }: PlaybookOptions,
  onOutput: (chunk: Buffer) => void,
): Promise<Ending> =>
  new Promise((resolve, reject) => {
    const clock = createRealClock({ keepsAlive: true })
    const child = spawn(playbook, ['-i', 'localhost,', 'playbook.yml'], {
      cwd: folder,
      env: toEnvironment(text, folder, pythonOf(playbook)),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let cut: string | undefined
    const end = (why: string): void => {
      cut ??= why
      killGroup(child.pid!, 'SIGTERM')
      clock.after(GRACE_MS, () => killGroup(child.pid!, 'SIGKILL'))
    }
    const timer = clock.after(timeoutMs, () => end(`it took longer than ${timeoutMs / 1000} s`))
    const onAbort = (): void => end('the time of the episode is spent')
    signal?.addEventListener('abort', onAbort, { once: true })
    child.stdout.on('data', onOutput)
    child.stderr.on('data', onOutput)
    // A task may leave something behind that keeps the pipes open.
    child.on('exit', () => {
      killGroup(child.pid!, 'SIGKILL')
      killAllOf(folder)
    })
    child.on('error', reject)
    child.on('close', (code) => {
      timer.cancel()
      signal?.removeEventListener('abort', onAbort)
      resolve({ code, ...(cut === undefined ? {} : { cut }) })
    })
  })

const runInOwnFolder = async (playbook: string, options: PlaybookOptions): Promise<PlaybookOutcome> => {
  const started = monotonicMs()
  const folder = mkdtempSync(join(tmpdir(), 'remedium-playbook-'))
  const output = createBoundedOutput()
  try {
    writeFileSync(join(folder, 'playbook.yml'), options.text)
    writeFileSync(join(folder, 'ansible.cfg'), '')
    writeFileSync(join(folder, 'kubeconfig'), options.kubeconfig, { mode: 0o600 })
    const { code, cut } = await runIn(folder, playbook, options, output.add)
    const ended = cut === undefined ? '' : `\nended by force: ${cut}\n`
    const milliseconds = Math.round(monotonicMs() - started)
    return { ok: code === 0 && cut === undefined, output: output.text() + ended, milliseconds }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Resolves whatever comes of the playbook; rejects only where the machine is at fault, and says so: other errors count as the solver's. */
export const runPlaybook = async (options: PlaybookOptions): Promise<PlaybookOutcome> => {
  const playbook = findAnsiblePlaybook()
  if (playbook === undefined)
    throw new RemediumError('tool-missing', 'There is no ansible-playbook in /usr/bin.', {
      hint: 'Run "remedium doctor" to see how to get it.',
    })
  if (options.signal?.aborted) return { ok: false, output: 'not run: no time is left', milliseconds: 0 }
  try {
    return await runInOwnFolder(playbook, options)
  } catch (cause) {
    throw new RemediumError('tool-failed', `A playbook could not be run (${(cause as Error).message}).`, {
      cause,
    })
  }
}

/** The local engine in a process of its own, so that nothing else counts as its memory. */
import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface EngineProcess {
  /** Milliseconds that it took, and what came of it. */
  order<T>(what: 'start' | 'startFifty' | 'reset' | 'close'): Promise<{ value: T; milliseconds: number }>
  /** Resident memory in MB. */
  resident(): number
  stop(): Promise<void>
}

/** What `remedium` gives to its Node. */
const AS_LAUNCHED = ['--max-semi-space-size=4']
const HOST = join(import.meta.dirname, 'engine-host.ts')

export const startEngine = (): EngineProcess => {
  const state = mkdtempSync(join(tmpdir(), 'remedium-bench-'))
  const child = fork(HOST, { execArgv: AS_LAUNCHED, env: { ...process.env, REMEDIUM_STATE: state } })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    order: (what) =>
      new Promise((resolve, reject) => {
        child.once('message', (reply: { error?: string; value: never; milliseconds: number }) =>
          reply.error === undefined ? resolve(reply) : reject(new Error(reply.error)),
        )
        void ended.then(() => reject(new Error(`the engine has ended before it did what "${what}" says`)))
        child.send(what)
      }),
    resident() {
      const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))
      return Number(match?.[1] ?? 0) / 1024
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
      rmSync(state, { recursive: true, force: true })
    },
  }
}

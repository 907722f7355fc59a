/** Runs the local engine in a separate process, so that its memory can be measured. */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { residentMib } from '../measure/resident-memory.ts'

export interface EngineProcess {
  /** Executes a command in the process; resolves to its result and its duration. */
  run<T>(command: 'start' | 'startServers' | 'reset' | 'close'): Promise<{ value: T; milliseconds: number }>
  residentMib(): number
  stop(): Promise<void>
}

/** The flags that the launcher passes to Node.js. */
const LAUNCHER_FLAGS = ['--max-semi-space-size=4']
const HOST = join(import.meta.dirname, 'engine-host.ts')

/** `servers` is the number of servers that the command `startServers` starts. */
export const startEngine = (servers: number): EngineProcess => {
  const state = mkdtempSync(join(tmpdir(), 'remedium-bench-'))
  const child = fork(HOST, [String(servers)], {
    execArgv: LAUNCHER_FLAGS,
    env: { ...process.env, REMEDIUM_STATE: state },
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    run: (command) =>
      new Promise((resolve, reject) => {
        child.once('message', (reply: { error?: string; value: never; milliseconds: number }) =>
          reply.error === undefined ? resolve(reply) : reject(new Error(reply.error)),
        )
        void exited.then(() => reject(new Error(`the engine exited before it finished "${command}"`)))
        child.send(command)
      }),
    residentMib: () => residentMib(child.pid!),
    async stop() {
      if (child.connected) child.disconnect()
      await exited
      rmSync(state, { recursive: true, force: true })
    },
  }
}

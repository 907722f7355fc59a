/** A store in a process of its own, so that a test can kill it and take the disk from it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const PROGRAM = `
  const [wire, options] = process.argv.slice(1)
  // With nobody to hear it, the signal would end the process before the call could fail.
  process.on('SIGXFSZ', () => undefined)
  const { loadStoreServer } = await import(${JSON.stringify(new URL('../index.ts', import.meta.url).href)})
  const start = await loadStoreServer(wire)
  const server = await start({
    port: 0, users: [], databases: [], environment: {},
    log: () => undefined, onCommand: () => undefined,
    ...JSON.parse(options),
  })
  console.log(server.port)
`

export interface StoreProcess {
  readonly pid: number
  readonly port: number
  /** No file may grow beyond so many bytes; any size where absent. */
  limitFiles(bytes?: number): void
  /** Without a chance to do anything before. */
  kill(): Promise<void>
}

const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).once('line', resolve)
    child.once('exit', (code) => reject(new Error(`the store ended with ${code}`)))
  })

export const startStoreProcess = async (wire: string, options: object): Promise<StoreProcess> => {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--disable-warning=ExperimentalWarning',
      '-e',
      PROGRAM,
      wire,
      JSON.stringify(options),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const pid = child.pid!
  return {
    pid,
    port: Number(await firstLine(child)),
    // Soft only: who has no rights may not raise the hard one again.
    limitFiles: (bytes) => {
      execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes ?? 'unlimited'}:`])
    },
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

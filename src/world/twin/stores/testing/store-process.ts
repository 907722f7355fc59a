/** Runs a store in a separate process, so that a test can kill it and limit its disk space. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const PROGRAM = `
  const [protocol, options] = process.argv.slice(1)
  // Without a handler the signal would end the process before the write fails.
  process.on('SIGXFSZ', () => undefined)
  const { loadStoreServer } = await import(${JSON.stringify(new URL('../index.ts', import.meta.url).href)})
  const start = await loadStoreServer(protocol)
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
  /** Limits the size of files that the process writes; unlimited if omitted. */
  limitFileSize(bytes?: number): void
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>
}

const readFirstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).once('line', resolve)
    child.once('exit', (code) => reject(new Error(`the store exited with code ${code}`)))
  })

export const startStoreProcess = async (protocol: string, options: object): Promise<StoreProcess> => {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--disable-warning=ExperimentalWarning',
      '-e',
      PROGRAM,
      protocol,
      JSON.stringify(options),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const pid = child.pid!
  return {
    pid,
    port: Number(await readFirstLine(child)),
    // Only the soft limit: an unprivileged process cannot raise the hard one again.
    limitFileSize: (bytes) => {
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

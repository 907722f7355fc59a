/** Calls `remedium` as a user does, with a separate state folder. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface CommandLine {
  /** Runs a command with `--json`; resolves to its parsed output, and rejects with the output if it fails. */
  call<T>(...args: readonly string[]): Promise<T>
  /** A temporary folder. */
  readonly folder: string
  /** Shuts down all clusters that are still running, and removes the folder. */
  close(): Promise<void>
}

const PROGRAM = join(import.meta.dirname, '..', '..', 'remedium')

export const createCommandLine = (): CommandLine => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-systems-'))
  const env = { ...process.env, REMEDIUM_STATE: join(folder, 'state') }
  const run = (args: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = spawn(PROGRAM, [...args, '--json'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      let [output, errors] = ['', '']
      child.stdout.on('data', (chunk) => {
        output += chunk
      })
      child.stderr.on('data', (chunk) => {
        errors += chunk
      })
      child.once('error', reject)
      child.once('close', (code) =>
        code === 0 ? resolve(output) : reject(new Error(`remedium ${args.join(' ')}: ${output}${errors}`)),
      )
    })
  return {
    folder,
    call: async (...args) => JSON.parse(await run(args)),
    async close() {
      const { clusters } = JSON.parse(await run(['cluster', 'ls'])) as { clusters: { id: string }[] }
      for (const { id } of clusters) await run(['cluster', 'down', id])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

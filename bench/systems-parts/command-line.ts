/** The command line, as a user calls it, with a place of its own for clusters. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface CommandLine {
  /** Its answer as JSON; fails with what it complained of. */
  ask<T>(...words: readonly string[]): Promise<T>
  /** An empty folder, gone with it. */
  readonly folder: string
  /** Ends every cluster that is left. */
  close(): Promise<void>
}

const PROGRAM = join(import.meta.dirname, '..', '..', 'remedium')

export const createCommandLine = (): CommandLine => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-systems-'))
  const env = { ...process.env, REMEDIUM_STATE: join(folder, 'state') }
  const run = (words: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = spawn(PROGRAM, [...words, '--json'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      let [output, complaint] = ['', '']
      child.stdout.on('data', (chunk) => {
        output += chunk
      })
      child.stderr.on('data', (chunk) => {
        complaint += chunk
      })
      child.once('error', reject)
      child.once('close', (code) =>
        code === 0
          ? resolve(output)
          : reject(new Error(`remedium ${words.join(' ')}: ${output}${complaint}`)),
      )
    })
  return {
    folder,
    ask: async (...words) => JSON.parse(await run(words)),
    async close() {
      const { clusters } = JSON.parse(await run(['cluster', 'ls'])) as { clusters: { id: string }[] }
      for (const { id } of clusters) await run(['cluster', 'down', id])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

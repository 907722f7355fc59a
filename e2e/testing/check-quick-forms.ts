/** Tests every program of a folder in its quick form, so that benchmarks and proofs keep working between their full runs. */
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { killGroup } from './shell.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** A quick form takes 5 to 60 seconds, but longer if episodes are retried or `exports` installs its packages. */
const TIMEOUT_MS = 600_000

interface ScriptResult {
  readonly code: number | null
  readonly output: string
}

/** Runs a script of scripts/ with Node.js, and kills it with all of its children when the test is aborted. */
const runScript = (script: string, args: readonly string[], signal: AbortSignal): Promise<ScriptResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(ROOT, 'scripts', `${script}.ts`), ...args], {
      cwd: ROOT,
      detached: true,
    })
    signal.addEventListener('abort', () => killGroup(child))
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk
      })
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })

/** `script` is the script that runs a program of `folder` by its name. */
export const checkQuickForms = (script: 'bench' | 'proof', folder: string): void => {
  const names = readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && entry.name !== 'index.ts')
    .map(({ name }) => name.slice(0, -'.ts'.length))

  it('lists the programs of the folder if none is named', async ({ signal }) => {
    const { code, output } = await runScript(script, [], signal)
    expect(code).toBe(2)
    expect(output).toContain(names.join(', '))
  })

  describe.each(names)(`npm run ${script} %s`, (name) => {
    it('has a usage text and a quick form', async ({ signal }) => {
      const { code, output } = await runScript(script, [name, '--help'], signal)
      expect(output).toContain(`npm run ${script} ${name} --`)
      expect(output).toContain('--quick')
      expect(code).toBe(0)
    })

    it('passes with --quick', { timeout: TIMEOUT_MS }, async ({ signal }) => {
      const { code, output } = await runScript(script, [name, '--quick'], signal)
      expect(code, output).toBe(0)
    })
  })
}

/** `remedium test`: installs the clients that the tests need, and runs all tests. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { RemediumError } from '#spec'
import { defineCommand } from '../define-command.ts'

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Disables colours unless the output is a terminal, because programs parse logs. */
const colourSettings = (json: boolean): NodeJS.ProcessEnv =>
  process.env.FORCE_COLOR === undefined && (json || !process.stdout.isTTY) ? { NO_COLOR: '1' } : {}

const runNpmTest = (
  root: string,
  args: readonly string[],
  summaryFile: string,
  json: boolean,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const npm = spawn('npm', ['test', '--silent', '--', ...args], {
      cwd: root,
      // With --json, standard output holds only the result.
      stdio: ['inherit', json ? process.stderr : 'inherit', 'inherit'],
      env: {
        ...process.env,
        ...colourSettings(json),
        REMEDIUM_TEST_SUMMARY: summaryFile,
        npm_config_loglevel: 'error',
      },
    })
    const forward = (signal: NodeJS.Signals): void => void npm.kill(signal)
    for (const signal of FORWARDED_SIGNALS) process.on(signal, forward)
    npm.once('error', (cause) =>
      reject(
        new RemediumError('tool-missing', 'The tests require npm, which is not on the PATH.', {
          hint: 'Add the npm of your Node.js installation to the PATH.',
          cause,
        }),
      ),
    )
    npm.once('close', (code, signal) => {
      for (const forwarded of FORWARDED_SIGNALS) process.off(forwarded, forward)
      resolve(code ?? 128 + constants.signals[signal!])
    })
  })

const readSummary = (file: string): object => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: 0 }
  }
}

export const test = defineCommand({
  summary: 'Run all tests, including those with the real kubectl, Ansible and helm',
  positionals: '[VITEST-ARGUMENT ...]',
  passThrough: true,
  async run({ root, positionals, json, answer }) {
    const folder = mkdtempSync(join(tmpdir(), 'remedium-test-'))
    const summaryFile = join(folder, 'summary.json')
    try {
      const exitCode = await runNpmTest(root, positionals, summaryFile, json)
      if (json) answer({ ...readSummary(summaryFile), exitCode }, '')
      return exitCode
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
})

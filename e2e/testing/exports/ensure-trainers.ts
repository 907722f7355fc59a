/** Installs the loaders of trainers from PyPI into a separate folder, without the parts that need a GPU. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '..', '..', '..', '.remedium', 'trainers')

const PACKAGES = ['datasets==5.2.0', 'transformers==5.23.0', 'atif==1.8.0', 'jinja2==3.1.6']
/** Their dependencies are training programs of several gigabytes; the loaders do not need them. */
const WITHOUT_DEPENDENCIES = ['trl==1.16.0', 'llamafactory==0.9.5']

const STAMP = [...PACKAGES, ...WITHOUT_DEPENDENCIES].join('\n')
const MAX_OUTPUT_BYTES = 16_777_216

export interface ProgramResult {
  readonly ok: boolean
  readonly output: string
}

export const runProgram = (program: string, ...args: readonly string[]): Promise<ProgramResult> =>
  new Promise((resolve) => {
    execFile(program, args, { maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) =>
      resolve({
        ok: error === null,
        output: `${stdout}${error === null ? '' : `${stderr}${error.message}`}`,
      }),
    )
  })

export type Trainers = { readonly python: string } | { readonly missing: string }

/** Installs the packages once, and again if their versions change. */
export const ensureTrainers = async (onProgress: (line: string) => void): Promise<Trainers> => {
  const stamp = join(FOLDER, 'packages')
  const python = join(FOLDER, 'venv', 'bin', 'python')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === STAMP) return { python }
  onProgress(`Installing ${STAMP.replaceAll('\n', ', ')} from PyPI into ${FOLDER}`)
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check', 'install', '--no-compile']
  for (const [program, ...args] of [
    ['python3', '-m', 'venv', join(FOLDER, 'venv')],
    [python, ...pip, ...PACKAGES],
    [python, ...pip, '--no-deps', ...WITHOUT_DEPENDENCIES],
  ] as [string, ...string[]][]) {
    const { ok, output } = await runProgram(program, ...args)
    if (!ok) return { missing: output }
  }
  writeFileSync(stamp, STAMP)
  return { python }
}

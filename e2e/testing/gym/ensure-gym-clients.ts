/** Installs the clients of the gym from PyPI into separate folders: openenv-core, and TRL with torch. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../exports/ensure-trainers.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

const PACKAGES = {
  openenv: ['openenv-core==0.3.0'],
  trl: [
    'openenv-core==0.3.0',
    'trl==1.16.0',
    'torch==2.15.0',
    'transformers==5.23.0',
    'datasets==5.2.0',
    'jmespath==1.1.0',
  ],
} as const

export type GymClients = { readonly python: string } | { readonly missing: string }

/** Installs once, and again if the versions change. `trl` takes several gigabytes. */
export const ensureGymClients = async (
  name: keyof typeof PACKAGES,
  onProgress: (line: string) => void,
): Promise<GymClients> => {
  const folder = join(ROOT, '.remedium', 'gym-clients', name)
  const stamp = join(folder, 'packages')
  const text = PACKAGES[name].join('\n')
  const python = join(folder, 'venv', 'bin', 'python')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === text) return { python }
  onProgress(`Installing ${PACKAGES[name].join(', ')} from PyPI into ${folder}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check', 'install', '--no-compile']
  for (const [program, ...args] of [
    ['python3', '-m', 'venv', join(folder, 'venv')],
    [python, ...pip, ...PACKAGES[name]],
  ] as [string, ...string[]][]) {
    const { ok, output } = await runProgram(program, ...args)
    if (!ok) return { missing: output }
  }
  writeFileSync(stamp, text)
  return { python }
}

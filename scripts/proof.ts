/** Runs one of the slow proofs of e2e/proofs/ by its name, or says which there are. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '..', 'e2e', 'proofs')
const [name, ...args] = process.argv.slice(2)
const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))

/** Proofs that run an engine run it as `remedium` does, and ask for what it has let go of. */
const FLAGS = ['--max-semi-space-size=4', '--expose-gc']

if (name === undefined || !names.includes(name)) {
  console.error(`Usage: npm run proof NAME, where NAME is one of: ${names.join(', ')}`)
  process.exitCode = 2
} else {
  const file = join(FOLDER, `${name}.ts`)
  process.exitCode = spawnSync(process.execPath, [...FLAGS, file, ...args], { stdio: 'inherit' }).status ?? 1
}

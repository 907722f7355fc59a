/** Runs one of the slow proofs of e2e/proofs/ by its name, or says which there are. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '..', 'e2e', 'proofs')
const [name, ...args] = process.argv.slice(2)
const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))

if (name === undefined || !names.includes(name)) {
  console.error(`Usage: npm run proof NAME, where NAME is one of: ${names.join(', ')}`)
  process.exitCode = 2
} else {
  const file = join(FOLDER, `${name}.ts`)
  process.exitCode =
    spawnSync(process.execPath, ['--expose-gc', file, ...args], { stdio: 'inherit' }).status ?? 1
}

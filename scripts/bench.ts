/** Runs one benchmark of bench/ by its name, or says which there are. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '..', 'bench')
const [name, ...args] = process.argv.slice(2)
const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
  .map((file) => file.slice(0, -'.ts'.length))

if (name === undefined || !names.includes(name)) {
  console.error(`Usage: npm run bench NAME, where NAME is one of: ${names.join(', ') || 'none yet'}`)
  process.exitCode = 2
} else {
  process.exitCode =
    spawnSync(process.execPath, [join(FOLDER, `${name}.ts`), ...args], { stdio: 'inherit' }).status ?? 1
}

/**
 * `npm run proof leak`: 30 clusters up and down, 20 of them by SIGKILL, and nothing of them is left. On a machine
 * where others are at work: `npm run proof leak -- --among-others`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkForLeaks } from './machine/leak-check.ts'

const seed = process.argv.slice(2).find((word) => !word.startsWith('-')) ?? String(process.pid)
const state = mkdtempSync(join(tmpdir(), 'remedium-leak-'))
console.log(`seed ${seed}`)
const differences = await checkForLeaks({
  clusters: 30,
  killed: 20,
  lanes: 2,
  seed,
  state,
  amongOthers: process.argv.includes('--among-others'),
  say: (line) => console.log(line),
})
for (const { what, more, fewer } of differences) {
  console.log(`DIFFERENT  ${what}`)
  for (const line of more) console.log(`  more:  ${line}`)
  for (const line of fewer) console.log(`  fewer: ${line}`)
}
console.log(differences.length === 0 ? 'The machine is what it was.' : 'The machine is not what it was.')
rmSync(state, { recursive: true, force: true })
process.exitCode = differences.length === 0 ? 0 : 1

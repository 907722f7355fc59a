/**
 * `npm run proof leak [SEED]`: 30 clusters up and down, 20 of them by SIGKILL at a random moment, and nothing of
 * them is left. Others may be at work on the machine: what they have changed meanwhile is told apart and shown.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkForLeaks } from './machine/leak-check.ts'
import type { Difference } from './machine/snapshot.ts'

const seed = process.argv[2] ?? String(process.pid)

const show = (title: string, differences: readonly Difference[], most: number): void => {
  for (const { what, more, fewer } of differences) {
    console.log(`${title}: ${what}, ${more.length} more, ${fewer.length} fewer`)
    const lines = [...more.map((line) => `  more:  ${line}`), ...fewer.map((line) => `  fewer: ${line}`)]
    for (const line of lines.slice(0, most)) console.log(line)
    if (lines.length > most) console.log(`  and ${lines.length - most} other lines`)
  }
}

const conclude = (ours: readonly Difference[], others: readonly Difference[]): string => {
  if (ours.length > 0) return 'The machine is not what it was: something of the clusters is left.'
  if (others.length > 0)
    return 'Nothing of the clusters is left; the rest has been changed by others meanwhile.'
  return 'The machine is what it was.'
}

const home = mkdtempSync(join(tmpdir(), 'remedium-leak-'))
const asked = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => asked.abort(new Error(`ended by ${signal}`)))
console.log(`seed ${seed}`)
try {
  const { ours, others } = await checkForLeaks({
    clusters: 30,
    killed: 20,
    lanes: 2,
    seed,
    home,
    signal: asked.signal,
    say: (line) => console.log(line),
  })
  show('changed by others', others, 4)
  show('LEFT BY THE CLUSTERS', ours, 100)
  console.log(conclude(ours, others))
  process.exitCode = ours.length === 0 ? 0 : 1
} finally {
  rmSync(home, { recursive: true, force: true })
}

/** Proves that clusters leave nothing on the machine, whether they are closed or killed at a random moment. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStopSignal, readArguments } from '#bench'
import { checkForLeaks } from './machine/leak-check.ts'
import { printDifferences } from './machine/print-differences.ts'
import type { Difference } from './machine/snapshot.ts'

const conclude = (fromClusters: readonly Difference[], others: readonly Difference[]): string => {
  if (fromClusters.length > 0) return 'NOT PROVEN: the clusters left something on the machine.'
  if (others.length > 0)
    return 'The clusters left nothing. Other programs changed the machine at the same time.'
  return 'The clusters left nothing.'
}

const { values } = readArguments({
  command: 'npm run proof leak',
  about:
    'Starts and ends clusters, some of them by SIGKILL at a random moment, and compares the machine before and after.\n' +
    'Other programs may run at the same time: their changes are printed separately.',
  options: {
    clusters: { about: 'how many clusters are started', count: 30, quick: 4 },
    killed: { about: 'how many of them are killed', count: 20, quick: 2 },
    slots: { about: 'how many clusters run at the same time', count: 2, quick: 4 },
    seed: { about: 'decides when clusters are killed', value: 'TEXT', text: String(process.pid) },
  },
})
const home = mkdtempSync(join(tmpdir(), 'remedium-leak-'))
console.log(`seed ${values.seed}`)
try {
  const { fromClusters, others } = await checkForLeaks({
    ...values,
    home,
    signal: createStopSignal(),
    onProgress: (line) => console.log(line),
  })
  printDifferences('changed by other programs', others, 4)
  printDifferences('LEFT BY THE CLUSTERS', fromClusters, 100)
  console.log(conclude(fromClusters, others))
  process.exitCode = fromClusters.length === 0 ? 0 : 1
} finally {
  rmSync(home, { recursive: true, force: true })
}

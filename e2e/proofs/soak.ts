/** Proves that an engine does not leak: after many pods are replaced, it holds no more resources than before. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments } from '#bench'
import { createLocalEngine, type LocalCluster } from '#platform/engines/local'
import { loadSystem } from '#world/systems'
import { measureEngine } from './soak/measure-engine.ts'
import { replacePods, scaleUpSystem, waitUntilReady } from './soak/replace-pods.ts'

/**
 * V8 does not return all freed memory to the operating system. With full histories, the resident memory is far above that of a
 * new engine, which `npm run bench local` measures; here only its growth counts.
 */
const ALLOWED_GROWTH: Readonly<Record<string, number>> = {
  'heap (MB)': 2,
  'resident memory, histories full (MB)': 30,
}

const { values, isQuick } = readArguments({
  command: 'npm run proof soak',
  about:
    'Replaces pods in one cluster, and compares the resources of the engine before and after: files, control groups, network\n' +
    'devices, addresses, routes, memory. --quick does not compare memory, which needs many pods to level off.',
  options: {
    // The first pods fill caches, such as those of the event recorders.
    'warm-up': { about: 'how many pods are replaced before the first measurement', count: 260, quick: 10 },
    pods: { about: 'how many pods are replaced between the measurements', count: 200, quick: 10 },
    // The default is more than the API keeps.
    history: {
      about: 'how many changes are made to one object of each kind, to fill the histories of the API',
      count: 1600,
      quick: 20,
    },
  },
})

const toText = (value: number): string => value.toFixed(Number.isInteger(value) ? 0 : 1).padStart(8)

/** Prints both measurements, and returns whether a value has grown. */
const hasGrown = (before: Record<string, number>, after: Record<string, number>): boolean => {
  const grown = Object.entries(after).filter(([what, value]) => {
    const isMemory = what in ALLOWED_GROWTH
    const isMore = value - before[what]! > (ALLOWED_GROWTH[what] ?? 0)
    const mark = isQuick && isMemory ? '    ' : isMore ? 'GREW' : 'same'
    console.log(`${mark}  ${what.padEnd(24)} ${toText(before[what]!)} -> ${toText(value)}`)
    return mark === 'GREW'
  })
  return grown.length > 0
}

const soak = async (cluster: LocalCluster): Promise<boolean> => {
  const options = { history: values.history, settleMs: isQuick ? 1000 : 3000 }
  await scaleUpSystem(cluster)
  await waitUntilReady(cluster)
  await replacePods(cluster, values['warm-up'])
  const before = await measureEngine(cluster, options)
  await replacePods(cluster, values.pods)
  return hasGrown(before, await measureEngine(cluster, options))
}

const state = mkdtempSync(join(tmpdir(), 'remedium-soak-'))
const engine = createLocalEngine({ state, onError: (where, error) => console.error(where, error) })
const cluster = await engine.provision(await loadSystem('simple-micro'))
try {
  process.exitCode = (await soak(cluster)) ? 1 : 0
} finally {
  await cluster.close()
  rmSync(state, { recursive: true, force: true })
}

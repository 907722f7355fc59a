/** Proves that the sidecars of all systems run as long as their pods: when one ends, the restart spoils the episode in progress. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listSystemNames, loadSystem } from './index.ts'

interface Container {
  readonly name: string
  readonly command?: readonly string[]
}

interface Workload {
  readonly spec?: { readonly template?: { readonly spec?: { readonly containers?: readonly Container[] } } }
}

/** Ends at once the first times, so that hours pass in a moment. */
const HASTY_SLEEP = `#!/bin/sh
echo "$1" >> "$NAPS"
[ "$(wc -l < "$NAPS")" -ge 3 ] && exec /bin/sleep 60
exit 0
`

const linesOfSleepers = async (): Promise<string[]> => {
  const systems = await Promise.all(listSystemNames().map(loadSystem))
  const containers = systems.flatMap(({ manifests }) =>
    manifests.flatMap((object) => (object as Workload).spec?.template?.spec?.containers ?? []),
  )
  const lines = containers.flatMap(({ command: [shell, option, line] = [] }) =>
    shell === 'sh' && option === '-c' && line?.includes('sleep') ? [line] : [],
  )
  return [...new Set(lines)]
}

/** The last sleep outlives its shell here; in a container it ends with the first process. */
const endGroup = (leader: number): void => {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // Nobody is left.
  }
}

describe('a sidecar that sleeps', () => {
  let folder: string
  let naps: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sidecars-'))
    naps = join(folder, 'naps')
    writeFileSync(naps, '')
    writeFileSync(join(folder, 'sleep'), HASTY_SLEEP, { mode: 0o755 })
  })

  afterEach(() => rmSync(folder, { recursive: true }))

  it('goes on when a sleep is over, and ends at once when it is asked to', async () => {
    const lines = await linesOfSleepers()
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) {
      writeFileSync(naps, '')
      const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, NAPS: naps }
      const sidecar = spawn('sh', ['-c', line], { env, stdio: 'ignore', detached: true })
      const ended = once(sidecar, 'exit')
      try {
        await expect
          .poll(() => readFileSync(naps, 'utf8').split('\n').length - 1, { timeout: 20_000 })
          .toBe(3)
        expect(sidecar.exitCode, line).toBeNull()
        sidecar.kill('SIGTERM')
        expect(await ended, line).toEqual([0, null])
      } finally {
        endGroup(sidecar.pid!)
      }
    }
  }, 60_000)
})

/**
 * Tests that the sidecars of all systems run as long as their pods. A restart would invalidate the episode in
 * progress.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ApiObject, containersOf } from '#spec'
import { listSystemNames, loadSystem } from './index.ts'

/** A `sleep` whose first calls return immediately, to simulate hours. */
const FAST_SLEEP = `#!/bin/sh
echo "$1" >> "$SLEEPS"
[ "$(wc -l < "$SLEEPS")" -ge 3 ] && exec /bin/sleep 60
exit 0
`

const listSleepCommands = async (): Promise<string[]> => {
  const systems = await Promise.all(listSystemNames().map(loadSystem))
  const containers = systems.flatMap(({ manifests }) =>
    manifests.flatMap((object) => containersOf(object as ApiObject)),
  )
  const lines = containers.flatMap(({ command: [shell, option, line] = [] }) =>
    shell === 'sh' && option === '-c' && line?.includes('sleep') ? [line] : [],
  )
  return [...new Set(lines)]
}

/**
 * Kills the last `sleep`, which outlives its shell here. In a container it is killed with the first process.
 */
const killGroup = (leader: number): void => {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // The group has no process left.
  }
}

describe('a sidecar that sleeps', () => {
  let folder: string
  let sleeps: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sidecars-'))
    sleeps = join(folder, 'sleeps')
    writeFileSync(sleeps, '')
    writeFileSync(join(folder, 'sleep'), FAST_SLEEP, { mode: 0o755 })
  })

  afterEach(() => rmSync(folder, { recursive: true }))

  it('continues after each sleep, and exits immediately on SIGTERM', async () => {
    const lines = await listSleepCommands()
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) {
      writeFileSync(sleeps, '')
      const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, SLEEPS: sleeps }
      const sidecar = spawn('sh', ['-c', line], { env, stdio: 'ignore', detached: true })
      const ended = once(sidecar, 'exit')
      try {
        await expect
          .poll(() => readFileSync(sleeps, 'utf8').split('\n').length - 1, { timeout: 20_000 })
          .toBe(3)
        expect(sidecar.exitCode, line).toBeNull()
        sidecar.kill('SIGTERM')
        expect(await ended, line).toEqual([0, null])
      } finally {
        killGroup(sidecar.pid!)
      }
    }
  }, 60_000)
})

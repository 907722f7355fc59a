/** Tests how the OCI runtime program is run, with programs that stand in for runc. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRealClock, createVirtualClock } from '#kit'
import { parsePid, runOciProgram } from '#machine/oci'
import { runProbe } from '#platform/kube/containers'
import type { PodNetwork } from '#platform/kube/ports'
import type { ContainerInstance } from './containers/container-instance.ts'
import { createProbeClient } from './probe/create-probe-client.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-program-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const clock = createRealClock()
/** Creates a program that hangs with a child process and writes both pids to the file `pids`. */
const createHangingProgram = (): string => {
  const path = join(folder, 'runc')
  writeFileSync(path, `#!/bin/sh\nsleep 1000 &\necho $$ $! > ${folder}/pids\nwait\n`)
  chmodSync(path, 0o755)
  return path
}
const readPids = (): number[] => {
  try {
    return readFileSync(join(folder, 'pids'), 'utf8').split(' ').map(Number)
  } catch {
    return []
  }
}
/** Also true for zombies. */
const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('a runtime program', () => {
  it('returns its exit code', async () => {
    const command = { clock, program: 'sh', args: ['-c', 'exit 7'], stdio: 'ignore', marker: {} } as const
    expect(await runOciProgram(command)).toBe(7)
    await expect(runOciProgram({ ...command, program: join(folder, 'none') })).rejects.toThrow('ENOENT')
  })

  it('is killed and reaped with its child if it hangs', async () => {
    const virtualClock = createVirtualClock()
    const command = { program: createHangingProgram(), args: [], stdio: 'ignore', marker: {} } as const
    const running = expect(runOciProgram({ ...command, clock: virtualClock })).rejects.toThrow(
      'deadline exceeded',
    )
    await expect.poll(() => readPids().length).toBe(2)
    virtualClock.advance(120_000)
    await running
    await expect.poll(() => readPids().filter(exists)).toEqual([])
  })

  it('does not delay a probe beyond its timeout', async () => {
    const client = createProbeClient({
      oci: { clock, program: createHangingProgram(), runcRoot: folder, marker: {} },
      instance: { id: 'one', pid: process.pid } as ContainerInstance,
      network: {} as PodNetwork,
      nodeName: 'node1',
    })
    const action = { type: 'exec', command: ['check'] } as const
    expect(
      await runProbe({ client, clock, podIP: '' }, { kind: 'liveness', action, timeoutMs: 300 }),
    ).toEqual({
      ok: false,
      output: 'command timed out: "check" timed out after 0.3s',
    })
  })

  it('must report a valid pid', () => {
    expect(parsePid('812\n')).toBe(812)
    for (const text of ['', '0', '-1', '1', 'x']) expect(() => parsePid(text)).toThrow('invalid pid')
  })
})

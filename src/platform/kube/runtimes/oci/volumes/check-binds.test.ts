/** Needs root: tests the check of the mounts of real containers. */
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRuntimeFixture, type RuntimeFixture } from '../testing/runtime-fixture.ts'
import { checkBinds } from './check-binds.ts'

let fixture: RuntimeFixture
beforeEach(() => {
  fixture = createRuntimeFixture()
})
afterEach(() => fixture.close())

it('rejects a container with a mount that is not allowed', async () => {
  const disk = join(fixture.folder, 'disk/nodes/node1')
  mkdirSync(join(disk, 'data'), { recursive: true })
  const spec = { volumes: [{ name: 'data', hostPath: { path: '/data' } }] }
  const volumeMounts = [{ name: 'data', mountPath: '/data' }]
  const { pod } = await fixture.start({ command: ['sleep', '60'], volumeMounts }, { spec })
  const { pid } = fixture.runtime.processes.find(pod.metadata.uid)!.containers[0]!
  const commonBinds = [
    ...['/etc', realpathSync(process.execPath)].map((path) => ({ path, readOnly: true })),
    { path: '/dev/shm', readOnly: false },
  ]
  const expectWithAllowed = (path: string, readOnly = false) =>
    expect(() => checkBinds(pid, [...commonBinds, { path: join(disk, path), readOnly }]))
  expectWithAllowed('data').not.toThrow()
  expectWithAllowed('dat').toThrow('the volume at /data is outside the disk of its node')
  // The mount is writable, but only reading is allowed: for example, a link to a shared folder of the host.
  expectWithAllowed('data', true).toThrow('the volume at /data is outside the disk of its node')
})

it('accepts containers that mount a subPath', async () => {
  const spec = { volumes: [{ name: 'data', emptyDir: {} }] }
  const volumeMounts = [{ name: 'data', mountPath: '/data', subPath: 'a/b' }]
  expect(await fixture.shell('touch /data/x; exit 4', { volumeMounts }, { spec })).toMatchObject({
    exitCode: 4,
  })
  const missing = fixture.start({ command: ['nosuchprogram'], volumeMounts }, { spec })
  await expect(missing).rejects.toThrow('executable file not found in $PATH')
})

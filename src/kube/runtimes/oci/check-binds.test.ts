import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkBinds } from './check-binds.ts'
import { createRuntimeBench, type RuntimeBench } from './testing/runtime-bench.ts'

let bench: RuntimeBench
beforeEach(() => {
  bench = createRuntimeBench()
})
afterEach(() => bench.close())

it('finds what a container sees beyond what it may', async () => {
  const disk = join(bench.folder, 'disk/nodes/node1')
  mkdirSync(join(disk, 'data'), { recursive: true })
  const spec = { volumes: [{ name: 'data', hostPath: { path: '/data' } }] }
  const volumeMounts = [{ name: 'data', mountPath: '/data' }]
  const { pod } = await bench.start({ command: ['sleep', '60'], volumeMounts }, { spec })
  const { pid } = bench.runtime.processes.find(pod.metadata.uid)!.containers[0]!
  const everyones = [
    ...['/etc', realpathSync(process.execPath)].map((path) => ({ path, readOnly: true })),
    { path: '/dev/shm', readOnly: false },
  ]
  const check = (path: string, readOnly = false) =>
    expect(() => checkBinds(pid, [...everyones, { path: join(disk, path), readOnly }]))
  check('data').not.toThrow()
  check('dat').toThrow('the volume at /data leads out of the disk of its node')
  // As where a link leads to a folder of the host that containers may read.
  check('data', true).toThrow('the volume at /data leads out of the disk of its node')
})

it('lets containers start that mount parts of volumes', async () => {
  const spec = { volumes: [{ name: 'data', emptyDir: {} }] }
  const volumeMounts = [{ name: 'data', mountPath: '/data', subPath: 'a/b' }]
  expect(await bench.shell('touch /data/x; exit 4', { volumeMounts }, { spec })).toMatchObject({
    exitCode: 4,
  })
  const missing = bench.start({ command: ['nosuchprogram'], volumeMounts }, { spec })
  await expect(missing).rejects.toThrow('executable file not found in $PATH')
})

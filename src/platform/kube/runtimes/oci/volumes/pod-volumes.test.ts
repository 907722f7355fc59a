/** Needs root: tests volumes of all types in real containers. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FileVolume, VolumeSetupError } from '#platform/kube/ports'
import { claimFolder } from '../pods/cluster-folders.ts'
import { awaitReply, createRuntimeFixture, type RuntimeFixture } from '../testing/runtime-fixture.ts'

let fixture: RuntimeFixture
beforeEach(() => {
  fixture = createRuntimeFixture()
})
afterEach(() => fixture.close())

const filesOf = (content: Record<string, string>, mode = 0o644): FileVolume => ({
  name: 'settings',
  files: Object.entries(content).map(([path, text]) => ({ path, mode, content: () => Buffer.from(text) })),
})
const settings = { spec: { volumes: [{ name: 'settings', configMap: { name: 'settings' } }] } }
const mountAt = (mountPath: string, fields: object = {}) => ({
  volumeMounts: [{ name: 'settings', mountPath, ...fields }],
})

describe('a volume of files', () => {
  it('is read-only and keeps the modes of its files', async () => {
    const { output } = await fixture.shell(
      'cat /etc/app/colour /etc/app/deep/file; stat -L -c %a /etc/app/colour; echo x > /etc/app/colour; ls -A /etc/app | grep -v [0-9]',
      mountAt('/etc/app'),
      {
        ...settings,
        volumes: { files: [filesOf({ colour: 'green\n', 'deep/file': 'found\n' }, 0o400)], claims: [] },
      },
    )
    expect(output).toContain('green\nfound\n400\n')
    expect(output).toContain('Read-only file system')
    expect(output).toMatch(/\.\.data\ncolour\ndeep\n/)
  })

  it('updates its content in running containers', async () => {
    // New files appear before old ones disappear, as with a real kubelet.
    const script =
      'cat /etc/app/a; until [ "$(cat /etc/app/b 2>/dev/null)" = two ] && [ ! -e /etc/app/a ]; do sleep 0.02; done; ls /etc/app'
    const container = { command: ['sh', '-c', script], ...mountAt('/etc/app') }
    const volumes = { files: [filesOf({ a: 'one\n' })], claims: [] }
    const { sandbox, exit, logs } = await fixture.start(container, { ...settings, volumes })
    await expect.poll(logs).toBe('one\n')
    await awaitReply<void>((reply) => fixture.runtime.refreshVolumes(sandbox, [filesOf({ b: 'two' })], reply))
    await exit
    expect(await logs()).toBe('one\nb\n')
  })

  it('can be mounted as a single file', async () => {
    const volumes = { files: [filesOf({ 'app.conf': 'single\n' })], claims: [] }
    const mount = mountAt('/etc/app.conf', { subPath: 'app.conf' })
    expect(
      (await fixture.shell('cat /etc/app.conf; ls /etc/passwd', mount, { ...settings, volumes })).output,
    ).toBe('single\n/etc/passwd\n')
  })

  it('is readable by the fsGroup of the pod', async () => {
    const spec = { ...settings.spec, securityContext: { runAsUser: 1000, runAsGroup: 1000, fsGroup: 2000 } }
    const volumes = { files: [filesOf({ secret: 'known\n' }, 0o400)], claims: [] }
    const { output } = await fixture.shell('cat /etc/app/secret; id -G', mountAt('/etc/app'), {
      spec,
      volumes,
    })
    expect(output).toBe('known\n1000 2000\n')
  })
})

describe('the runtime', () => {
  it('shares an emptyDir in memory between the containers of a pod', async () => {
    const spec = { volumes: [{ name: 'settings', emptyDir: { medium: 'Memory' } }] }
    const first = await fixture.start(
      { command: ['sh', '-c', 'echo shared > /data/x'], ...mountAt('/data') },
      { spec },
    )
    await first.exit
    const reader = {
      name: 'other',
      command: ['sh', '-c', 'cat /data/x; stat -f -c %T /data'],
      ...mountAt('/data'),
    }
    const second = await fixture.start(reader, { inPodOf: first })
    await second.exit
    const { text } = await import('node:stream/consumers')
    const options = { previous: false, follow: false, timestamps: false }
    expect(await text(await fixture.runtime.logs(first.pod, 'other', options))).toBe('shared\ntmpfs\n')
  })

  it('keeps the files of a claim', async () => {
    const spec = { volumes: [{ name: 'settings', persistentVolumeClaim: { claimName: 'data' } }] }
    const claim = { name: 'settings', path: '/var/data/pv-1', readOnly: false }
    const setup = { spec, volumes: { files: [], claims: [claim] } }
    await fixture.shell('echo kept > /data/x', mountAt('/data'), setup)
    expect((await fixture.shell('cat /data/x', mountAt('/data'), setup)).output).toBe('kept\n')
    expect(readFileSync(join(claimFolder(fixture.folder, '/var/data/pv-1'), 'x'), 'utf8')).toBe('kept\n')
  })

  it('maps hostPath to the disk of the node, not of the machine', async () => {
    const spec = { volumes: [{ name: 'settings', hostPath: { path: '/etc' } }] }
    const { output } = await fixture.shell('ls /data | wc -l; echo x > /data/mark', mountAt('/data'), {
      spec,
    })
    expect(output).toBe('0\n')
    expect(existsSync('/etc/mark')).toBe(false)
    expect(readdirSync(join(fixture.folder, 'disk/nodes/node1/etc'))).toEqual(['mark'])
  })

  it('checks the type of a hostPath', async () => {
    const spec = { volumes: [{ name: 'settings', hostPath: { path: '/data', type: 'Directory' } }] }
    const started = fixture.start(mountAt('/data'), { spec })
    await expect(started).rejects.toThrow(VolumeSetupError)
    await expect(started).rejects.toThrow(
      'MountVolume.SetUp failed for volume "settings" : hostPath type check failed: /data is not a directory',
    )
  })

  it('does not follow links out of the disk of the node', async () => {
    const disk = join(fixture.folder, 'disk/nodes/node1')
    mkdirSync(disk, { recursive: true })
    symlinkSync('/etc', join(disk, 'trap'))
    writeFileSync(join(fixture.folder, 'outside'), 'secret')
    symlinkSync('../../../outside', join(disk, 'other'))
    const spec = { volumes: [{ name: 'settings', hostPath: { path: '/trap' } }] }
    expect((await fixture.shell('ls -A /data', mountAt('/data'), { spec })).output).toBe('')
    const hostVolume = { volumes: [{ name: 'settings', hostPath: { path: '/', type: 'Directory' } }] }
    const sub = mountAt('/data', { subPath: 'other' })
    expect((await fixture.shell('ls -A /data', sub, { spec: hostVolume })).output).toBe('')
    expect(statSync(join(disk, 'outside')).isDirectory()).toBe(true)
  })

  it('creates folders for subPath and subPathExpr', async () => {
    const spec = { volumes: [{ name: 'settings', emptyDir: {} }] }
    const mount = mountAt('/data', { subPathExpr: '$(NAME)/logs' })
    const { output } = await fixture.shell('touch /data/x; ls /data', mount, {
      spec,
      environment: { NAME: 'web' },
    })
    expect(output).toBe('x\n')
  })
})

it('limits a volume in memory to its size limit', async () => {
  const { output } = await fixture.shell(
    'head -c 4096 /dev/zero > /data/fits && echo fits; head -c 65536 /dev/zero > /data/more 2>&1 || df -k /data | tail -1',
    { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    { spec: { volumes: [{ name: 'data', emptyDir: { medium: 'Memory', sizeLimit: '16Ki' } }] } },
  )
  expect(output).toMatch(/^fits\n[\s\S]*tmpfs +16 +16 +0 +100% \/data\n/)
})

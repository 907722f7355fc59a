/** Tests that pods cannot reach files of the host through plain paths, volumes of their node or paths with `..`. */
import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HostSecret, makeHostSecret, mountOf, SECRET, scratch } from '../testing/host-secret.ts'
import { createTrialCluster, type TrialCluster } from '../testing/trial-cluster.ts'

const ROOT = join(import.meta.dirname, '..', '..')

let trial: TrialCluster
let host: HostSecret
beforeAll(async () => {
  host = makeHostSecret()
  trial = await createTrialCluster()
})
afterAll(async () => {
  await trial?.close()
  host.remove()
})

describe('plain paths', () => {
  it('do not lead to homes, the repository, credentials or data of the host', async () => {
    const paths = [
      host.folder,
      ROOT,
      trial.local.folder,
      homedir(),
      '/etc/shadow',
      '/boot',
      '/var/lib/remedium',
    ]
    const pod = await trial.startPod()
    for (const path of paths.filter((folder) => folder !== '/root'))
      expect(await trial.sh(pod, `ls -d ${path}`)).toContain('No such file')
    expect(
      await trial.sh(pod, 'ls -A /root /home /tmp /srv /mnt /var/lib /dev/shm /usr/local/bin | grep -v :'),
    ).toMatch(/^\n*$/)
    const token = trial.local.token.slice(0, 24)
    expect(
      await trial.sh(pod, `grep -rls -e "${token}" /etc /opt /run /var /root /tmp /home; echo end`),
    ).toBe('end\n')
  })

  it('below /proc lead to the container itself', async () => {
    const pod = await trial.startPod()
    const script = `for p in 1 self thread-self; do ls /proc/$p/root${host.folder} /proc/$p/cwd/../../../..${host.folder}; done; cat /proc/1/root/etc/hostname`
    const output = await trial.sh(pod, script)
    expect(output.match(/No such file/g)).toHaveLength(6)
    expect(output).toContain(pod.name)
  })

  it('that are writable do not lead to the host', async () => {
    const mark = `mark-${process.pid}`
    const pod = await trial.startPod()
    const folders =
      '$(cut -d " " -f 2 /proc/mounts) /usr/bin /usr/lib /etc /etc/ssl /var /opt /opt/remedium /tmp'
    const script = `for f in ${folders}; do if test -d $f; then echo x > $f/${mark}; else echo x >> $f; fi; done; ls / `
    await trial.sh(pod, script)
    for (const folder of [
      '/',
      '/usr',
      '/usr/bin',
      '/usr/lib',
      '/etc',
      '/etc/ssl',
      '/etc/ssl/certs',
      '/etc/alternatives',
    ])
      expect(existsSync(join(folder, mark))).toBe(false)
    for (const folder of ['/tmp', '/dev', '/dev/shm', '/var', '/opt'])
      expect(existsSync(join(folder, mark))).toBe(false)
    expect(await trial.sh(pod, `ls /usr/bin/${mark} /etc/${mark}`)).toBe(`/etc/${mark}\n/usr/bin/${mark}\n`)
    expect(await trial.sh(pod, 'chmod 700 /opt/remedium/bin/node; touch /etc/ssl/certs/x')).toMatch(
      /^(.*Read-only file system\n){2}$/,
    )
    expect(await trial.sh(await trial.startPod(), `ls /usr/bin/${mark}`)).toContain('No such file')
  })

  it('of the cluster on the host are closed to other users', async () => {
    await trial.startPod({
      container: { volumeMounts: mountOf('/scratch') },
      spec: { volumes: [{ name: 'scratch', emptyDir: { medium: 'Memory' } }] },
    })
    const digest = createHash('sha256').update(trial.local.folder).digest('hex').slice(0, 8)
    const inMemory = `/dev/shm/remedium-${basename(trial.local.folder)}-${digest}`
    for (const path of [trial.local.folder, inMemory]) expect(statSync(path).mode & 0o077).toBe(0)
  })
})

describe('volumes of the node', () => {
  it.each(['/', '/etc', '/proc', '/var/lib/remedium', '/root', '/dev'])(
    '%s is not that of the host',
    async (path) => {
      const volumes = [{ name: 'scratch', hostPath: { path } }]
      const script = `find /node | head -c 300; cat /node${host.folder}/secret /node/secret; echo x > /node/mark-of-pod; echo end`
      const output = await trial.output(script, {
        container: { volumeMounts: mountOf('/node') },
        spec: { volumes },
      })
      expect(output).toContain('end\n')
      expect(output).not.toContain(SECRET)
      expect(output).not.toMatch(/\/node\/(passwd|self|clusters|sda|vda|null|usr)/)
      expect(existsSync(join(path, 'mark-of-pod'))).toBe(false)
    },
  )

  it('contain no sockets and no devices', async () => {
    const hostPaths = [
      { path: '/var/run/docker.sock', type: 'Socket' },
      { path: '/dev/sda', type: 'BlockDevice' },
      { path: '/dev/mem', type: 'CharDevice' },
      { path: '/etc/passwd', type: 'File' },
    ]
    for (const hostPath of hostPaths) {
      const pod = await trial.createPod({
        container: { volumeMounts: mountOf('/node') },
        spec: { volumes: [{ name: 'scratch', hostPath }] },
      })
      const events = { apiVersion: 'v1', plural: 'events', namespace: 'default' }
      const readEvents = async (): Promise<string> =>
        JSON.stringify(
          (await trial.local.api.list(events, { fieldSelector: `involvedObject.name=${pod.name}` })).items,
        )
      await expect.poll(readEvents).toContain(`hostPath type check failed: ${hostPath.path} is not a`)
    }
  })
})

describe('the cluster rejects', () => {
  it.each([
    ['a hostPath', { spec: { volumes: [{ name: 'scratch', hostPath: { path: '/data/../etc' } }] } }],
    ['a subPath', { container: { volumeMounts: mountOf('/x', { subPath: '../..' }) }, spec: scratch }],
    [
      'an absolute subPath',
      { container: { volumeMounts: mountOf('/x', { subPath: '/etc' }) }, spec: scratch },
    ],
    [
      'a file of a config map',
      {
        spec: {
          volumes: [{ name: 'scratch', configMap: { name: 'x', items: [{ key: 'a', path: '../../x' }] } }],
        },
      },
    ],
    [
      'a file of a secret',
      {
        spec: {
          volumes: [
            { name: 'scratch', secret: { secretName: 'x', items: [{ key: 'a', path: 'a/../../x' }] } },
          ],
        },
      },
    ],
    [
      'a file of a downward API volume',
      {
        spec: {
          volumes: [
            {
              name: 'scratch',
              downwardAPI: { items: [{ path: '../x', fieldRef: { fieldPath: 'metadata.name' } }] },
            },
          ],
        },
      },
    ],
    ['the name of a volume', { spec: { volumes: [{ name: '../../x', emptyDir: {} }] } }],
    ['the name of a container', { container: { name: '../../x' } }],
  ])('%s that leads out of its folder', async (_, pod) => {
    await expect(trial.createPod(pod)).rejects.toMatchObject({ code: 422 })
  })

  it('a config map whose keys are paths', async () => {
    const maps = { apiVersion: 'v1', plural: 'configmaps', namespace: 'default' }
    for (const key of ['..', '../x', 'a/b', '..data'])
      await expect(
        trial.local.api.create(maps, { metadata: { name: 'keys' }, data: { [key]: 'x' } }),
      ).rejects.toMatchObject({ code: 422 })
  })

  it('a subPathExpr with an environment variable that points to a parent folder', async () => {
    const container = {
      env: [{ name: 'UP', value: '../../..' }],
      volumeMounts: mountOf('/x', { subPathExpr: '$(UP)' }),
    }
    expect(await trial.refusal({ container, spec: scratch })).toMatch(/^CreateContainerConfigError: /)
  })
})

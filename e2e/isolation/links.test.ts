/** Tests that symbolic links in volumes do not give a pod or the engine access to files of the host. */
import type { PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  claimVolume,
  type HostSecret,
  hasEnded,
  makeHostSecret,
  mountOf,
  SECRET,
  scratch,
} from '../testing/host-secret.ts'
import { createTrialCluster, type TrialCluster } from '../testing/trial-cluster.ts'

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

/** Returns an init container that runs a script in the volume. */
const initContainer = (script: string, mountPath = '/scratch') => [
  {
    name: 'first',
    image: 'busybox:1.36',
    command: ['sh', '-c', script],
    volumeMounts: mountOf(mountPath),
  },
]

/**
 * Runs two pods that share a disk. Before the second pod restarts, the first one replaces the path to the second pod's volume
 * with a link to the host.
 */
const expectContained = async (changer: Partial<PodSpec>, victim: Partial<PodSpec>): Promise<void> => {
  const first = await trial.startPod({ container: { volumeMounts: mountOf('/disk') }, spec: changer })
  const script = 'cat /mine/secret; echo x > /mine/mark; sleep 0.3; exit 1'
  const second = await trial.createPod({
    container: { command: ['sh', '-c', script], volumeMounts: mountOf('/mine') },
    spec: { restartPolicy: 'Always', ...victim },
  })
  await trial.waitUntil(second, ({ status }) => status?.containerStatuses?.[0]?.started === true)
  await trial.sh(first, `mv /disk/a /disk/b; ln -s ${host.folder} /disk/a`)
  await trial.waitUntil(second, ({ status }) =>
    JSON.stringify(status).includes('the volume at /mine is outside the disk of its node'),
  )
  host.expectUntouched()
  await trial.remove(first, second)
}

describe('volumes of the node', () => {
  it('do not lead to the host when a link replaces a folder', async () => {
    const hostPathAt = (path: string): Partial<PodSpec> => ({
      nodeName: 'node1',
      volumes: [{ name: 'scratch', hostPath: { path } }],
    })
    await expectContained(hostPathAt('/'), hostPathAt('/a/deep'))
  })
})

describe('claims', () => {
  it('inside other claims do not lead to the host when the outer claim contains a link', async () => {
    const outer = await claimVolume(trial.local.api, 'outer', '/shelf')
    const inner = await claimVolume(trial.local.api, 'inner', '/shelf/a/deep')
    await expectContained(outer, inner)
  })

  it('with links to the host do not change the owner of its files', async () => {
    const volumes = await claimVolume(trial.local.api, 'linked', '/linked')
    const container = { volumeMounts: mountOf('/mine') }
    const links = `mkdir /mine/folder; ln -s ${host.folder} /mine/link; ln -s ${host.folder}/secret /mine/file; ln -s ../link /mine/folder/up; ls /mine`
    expect(await trial.output(links, { container, spec: volumes })).toBe('file\nfolder\nlink\n')
    const spec = { ...volumes, securityContext: { fsGroup: 4242 } }
    expect(await trial.output('stat -c %g /mine/folder; cat /mine/file', { container, spec })).toMatch(
      /^4242\n/,
    )
    host.expectUntouched()
  })

  it('whose folders alternate with links never give access to the host', async () => {
    const volumes = await claimVolume(trial.local.api, 'swapping', '/swapping')
    const swapProgram = `
import ctypes, os
os.makedirs('/mine/a/deep', exist_ok=True)
os.symlink('${host.folder}', '/mine/b')
libc = ctypes.CDLL(None)
while True: libc.renameat2(-100, b'/mine/a', -100, b'/mine/b', 2)`
    const swapper = await trial.startPod({
      container: { command: ['python3', '-c', swapProgram], volumeMounts: mountOf('/mine') },
      spec: volumes,
    })
    const script = 'cat /sub/secret /sub/deep/secret; echo x > /sub/mark; echo end'
    const outputs = await Promise.all(
      ['a', 'b', 'a/deep', 'b/deep', 'a', 'b', 'a/deep', 'b/deep'].map(async (subPath) => {
        const pod = await trial.createPod({
          container: { command: ['sh', '-c', script], volumeMounts: mountOf('/sub', { subPath }) },
          spec: { ...volumes, securityContext: { fsGroup: 4243 } },
        })
        const ended = await trial.waitUntil(pod, hasEnded)
        return ended.status?.phase === 'Succeeded' ? trial.local.api.logs(pod) : 'not started'
      }),
    )
    for (const output of outputs) expect(output).not.toContain(SECRET)
    await trial.remove(swapper)
    host.expectUntouched()
  })
})

describe('links in a volume', () => {
  it.each(['link', 'link/deep', 'chain/deep', 'up'])(
    'do not lead a subPath to the host through %s',
    async (subPath) => {
      const links = `ln -s ${host.folder} /scratch/link; ln -s link /scratch/chain; ln -s ../../../../../../../..${host.folder} /scratch/up`
      const output = await trial.output('cat /sub/secret 2>&1; echo x > /sub/mark; echo end', {
        container: { volumeMounts: mountOf('/sub', { subPath }) },
        spec: { ...scratch, initContainers: initContainer(links) },
      })
      expect(output).toMatch(/end\n$/)
      expect(output).not.toContain(SECRET)
      host.expectUntouched()
    },
  )

  it('do not lead the termination message to the host', async () => {
    const links = `ln -s ${host.folder}/secret /scratch/message; ln -s ${host.folder} /scratch/folder`
    for (const terminationMessagePath of [
      '/scratch/message',
      '/scratch/folder/secret',
      '/../../tmp/message',
    ]) {
      const pod = await trial.createPod({
        container: {
          command: ['sh', '-c', `echo mine > ${terminationMessagePath}`],
          terminationMessagePath,
          volumeMounts: mountOf('/scratch'),
        },
        spec: { ...scratch, initContainers: initContainer(links) },
      })
      const ended = await trial.waitUntil(pod, hasEnded)
      expect(JSON.stringify(ended.status)).not.toContain(SECRET)
    }
    const script = `rm /dev/termination-log; ln -sf ${host.folder}/secret /dev/termination-log; mv /dev/termination-log /dev/x; echo end`
    const pod = await trial.createPod({ container: { command: ['sh', '-c', script] } })
    const { status } = await trial.waitUntil(pod, ({ status }) => status?.phase === 'Succeeded')
    expect(JSON.stringify(status)).not.toContain(SECRET)
    expect(await trial.local.api.logs(pod)).toContain('busy')
    host.expectUntouched()
  })

  it('do not lead a mount point to the host', async () => {
    const links = `ln -s ${host.folder} /scratch/link; ln -s /proc/1/root /scratch/root; ln -s /proc/self/cwd /scratch/cwd`
    for (const inner of [
      '/scratch/link/new',
      '/scratch/root/new',
      '/scratch/cwd/new',
      `/../../../..${host.folder}/new`,
    ]) {
      const pod = await trial.createPod({
        container: { command: ['true'], volumeMounts: [...mountOf('/scratch'), ...mountOf(inner)] },
        spec: { ...scratch, initContainers: initContainer(links) },
      })
      await trial.waitUntil(pod, hasEnded)
    }
    host.expectUntouched()
  })

  it('do not lead the working folder to a descriptor of the runtime', async () => {
    const descriptors = Array.from({ length: 10 }, (_, index) => index + 3)
    const links = descriptors.map((n) => `ln -s /proc/self/fd/${n} /scratch/fd${n}`).join('; ')
    const outcomes = await Promise.all(
      descriptors.map(async (descriptor) => {
        const pod = await trial.createPod({
          container: {
            command: [
              'sh',
              '-c',
              `ls ../../../../../../..${host.folder}; cat ../../../../../../..${host.folder}/secret`,
            ],
            workingDir: `/scratch/fd${descriptor}`,
            volumeMounts: mountOf('/scratch'),
          },
          spec: { ...scratch, initContainers: initContainer(links) },
        })
        const { status } = await trial.waitUntil(pod, hasEnded)
        const hasRun = ['Succeeded', 'Failed'].includes(status?.phase ?? '')
        return JSON.stringify(status) + (hasRun ? await trial.local.api.logs(pod).catch(() => '') : '')
      }),
    )
    for (const outcome of outcomes) expect(outcome).not.toContain(SECRET)
  })

  it('do not lead a later command in the working folder to a descriptor of the runtime', async () => {
    const relinkScript =
      'rm -rf /scratch/here; while :; do for n in 3 4 5 6 7 8 9 10 11; do ln -sfn /proc/self/fd/$n /scratch/here; sleep 0.07; done; done'
    const pod = await trial.startPod({
      container: {
        workingDir: '/scratch/here',
        command: ['sh', '-c', relinkScript],
        volumeMounts: mountOf('/scratch'),
      },
      spec: scratch,
    })
    const outputs: string[] = []
    for (let round = 0; round < 20; round += 1) {
      const output = await trial.sh(pod, `cat ../../../../../../../..${host.folder}/secret; pwd`)
      expect(output).not.toContain(SECRET)
      outputs.push(output)
    }
    expect(outputs.join()).toMatch(/current working directory is outside of container|chdir to cwd/)
  })

  it('cannot replace /dev to unmask files of the kernel', async () => {
    const links = 'ln -s /proc/sysrq-trigger /scratch/null; ln -s /proc/1/root /scratch/shm'
    const pod = await trial.createPod({
      container: {
        command: [
          'sh',
          '-c',
          'ls -l /proc/keys; head -c 1 /proc/keys | wc -c; echo h > /proc/kcore; echo end',
        ],
        volumeMounts: mountOf('/dev'),
      },
      spec: { ...scratch, initContainers: initContainer(links) },
    })
    const { status } = await trial.waitUntil(pod, hasEnded)
    const [container] = status!.containerStatuses!
    expect(container!.state!.waiting?.message).toMatch(/a volume cannot be mounted at \/dev/)
  })
})

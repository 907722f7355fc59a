/** Needs root: tests the life cycle of containers and pods with real processes. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCgroups, findHierarchies, memoryFolderOf } from '#machine/linux'
import { type ContainerStartError, ImagePullError, type Sandbox } from '#platform/kube/ports'
import { awaitReply, createRuntimeFixture, type RuntimeFixture } from './testing/runtime-fixture.ts'

let fixture: RuntimeFixture
beforeEach(() => {
  fixture = createRuntimeFixture()
})
afterEach(() => fixture.close())

const expectFailure = (promise: Promise<unknown>): Promise<ContainerStartError> =>
  promise.then(
    () => expect.unreachable('the container started'),
    (error: ContainerStartError) => error,
  )

describe('a container', () => {
  it('writes to its log and reports its exit code', async () => {
    const { exitCode, reason, output } = await fixture.shell('echo out; echo err >&2; exit 7')
    expect({ exitCode, reason }).toEqual({ exitCode: 7, reason: 'Error' })
    expect(output.split('\n').sort()).toEqual(['', 'err', 'out'])
  })

  it('ends as Completed with exit code 0', async () => {
    expect(await fixture.shell('true')).toMatchObject({ exitCode: 0, reason: 'Completed' })
  })

  it('can open /dev/stdout', async () => {
    expect((await fixture.shell('echo named > /dev/stdout')).output).toBe('named\n')
  })

  it('does not lose its last output', async () => {
    const { output } = await fixture.shell('i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done')
    expect(output.split('\n')).toHaveLength(20_001)
  })

  it('has the hostname of its pod, its environment and its working folder', async () => {
    const spec = { hostname: 'chosen', subdomain: 'group' }
    const { output } = await fixture.shell(
      'hostname; echo $COLOUR; pwd; grep chosen /etc/hosts',
      { workingDir: '/made/here' },
      { spec, environment: { COLOUR: 'green' } },
    )
    const fullName = 'chosen.group.default.svc.cluster.local'
    expect(output).toBe(`chosen\ngreen\n/made/here\n127.0.0.1\t${fullName}\tchosen\n`)
  })

  it('combines command and args with those of its image', async () => {
    expect(await fixture.shell('')).toMatchObject({ exitCode: 0, output: '' })
    const { output } = await fixture.shell('', { args: ['echo', 'own'] })
    expect(output).toBe('own\n')
    const { output: both } = await fixture.shell('', { command: ['echo'], args: ['a', 'b'] })
    expect(both).toBe('a b\n')
  })

  it('reports its termination message from the file or the log', async () => {
    expect(await fixture.shell('echo gone > /dev/termination-log; exit 1')).toMatchObject({
      message: 'gone\n',
    })
    const policy = { terminationMessagePolicy: 'FallbackToLogsOnError' } as const
    expect(await fixture.shell('echo last words; exit 1', policy)).toMatchObject({ message: 'last words\n' })
    expect((await fixture.shell('echo last words', policy)).message).toBeUndefined()
    const path = { terminationMessagePath: '/tmp/why' }
    expect(await fixture.shell('echo there > /tmp/why', path)).toMatchObject({ message: 'there\n' })
  })

  it('is OOMKilled above its memory limit', async () => {
    const exit = await fixture.shell('exec tail /dev/zero', { resources: { limits: { memory: '32Mi' } } })
    expect(exit).toMatchObject({ exitCode: 137, reason: 'OOMKilled' })
  })

  it('ends when one of its processes is OOM-killed', async () => {
    const exit = await fixture.shell('tail /dev/zero & exec sleep 60', {
      resources: { limits: { memory: '32Mi' } },
    })
    expect(exit).toMatchObject({ exitCode: 137, reason: 'OOMKilled' })
  })

  it('does not use swap', async () => {
    const { pod } = await fixture.start({
      command: ['sleep', '60'],
      resources: { limits: { memory: '32Mi' } },
    })
    const { cgroup } = fixture.runtime.processes.find(pod.metadata.uid)!.containers[0]!
    const { version, folderOf } = findHierarchies()
    const file = version === 1 ? 'memory.memsw.limit_in_bytes' : 'memory.swap.max'
    if (!createCgroups().limitsSwap()) return
    const swapLimit = readFileSync(`${folderOf('memory')}/${cgroup}/${file}`, 'utf8').trim()
    expect(swapLimit).toBe(version === 1 ? String(32 * 2 ** 20) : '0')
  })

  it('is throttled at its CPU limit', async () => {
    const resources = { limits: { cpu: '200m' } }
    const { pod, exit } = await fixture.start({ command: ['sh', '-c', 'while :; do :; done'], resources })
    const [container] = fixture.runtime.processes.find(pod.metadata.uid)!.containers
    const cgroups = createCgroups()
    const startedAt = performance.now()
    const before = cgroups.usage(container!.cgroup).cpuMs
    await new Promise((resolve) => setTimeout(resolve, 1500))
    const used = cgroups.usage(container!.cgroup).cpuMs - before
    expect(used / (performance.now() - startedAt)).toBeLessThan(0.28)
    await expect
      .poll(() => cgroups.usage(container!.cgroup).throttledPeriods, { timeout: 4000 })
      .toBeGreaterThan(0)
    fixture.runtime.stopContainer(container!.id, 0)
    await exit
  })

  it('keeps the log of its previous run', async () => {
    const first = await fixture.start({ command: ['echo', 'first'] })
    await first.exit
    const second = await fixture.start({ command: ['echo', 'second'] }, { inPodOf: first, attempt: 1 })
    await second.exit
    const third = await fixture.start({ command: ['echo', 'third'] }, { inPodOf: first, attempt: 2 })
    await third.exit
    expect(await third.logs()).toBe('third\n')
    expect(await third.logs(true)).toBe('second\n')
    const logs = `${fixture.folder}/pods/${first.pod.metadata.uid}/logs/main`
    await expect.poll(() => readdirSync(logs).sort()).toEqual(['1', '2'])
  })

  it('reads its standard input', async () => {
    const { runtime, start } = fixture
    const { pod, exit, logs } = await start({
      command: ['sh', '-c', 'read line; echo heard $line'],
      stdin: true,
    })
    const { Readable } = await import('node:stream')
    const signal = new AbortController().signal
    await runtime.attach(pod, 'main', { tty: false, stdin: Readable.from(['hello\n']), signal })
    expect(await exit).toMatchObject({ exitCode: 0 })
    expect(await logs()).toBe('heard hello\n')
  })

  it('has a terminal if it requests one', async () => {
    const { output } = await fixture.shell('test -t 1 && echo "on a terminal"; echo $TERM', { tty: true })
    expect(output).toBe('on a terminal\nxterm\n')
  })
})

describe('stopping a container', () => {
  it('sends the signal and waits for the exit', async () => {
    const script = 'trap "echo bye; exit 5" TERM; echo ready; while :; do sleep 0.05; done'
    const { started, exit, logs } = await fixture.start({ command: ['sh', '-c', script] })
    await expect.poll(logs).toBe('ready\n')
    fixture.runtime.stopContainer(started.id, 5000)
    expect(await exit).toMatchObject({ exitCode: 5, reason: 'Error' })
    expect(await logs()).toBe('ready\nbye\n')
  })

  it('kills it after the grace period', async () => {
    const { started, exit } = await fixture.start({ command: ['sleep', '60'] })
    const startedAt = performance.now()
    fixture.runtime.stopContainer(started.id, 300)
    expect(await exit).toMatchObject({ exitCode: 137, reason: 'Error' })
    expect(performance.now() - startedAt).toBeGreaterThan(290)
  })

  it('can shorten the grace period', async () => {
    const { started, exit } = await fixture.start({ command: ['sleep', '60'] })
    fixture.runtime.stopContainer(started.id, 30_000)
    fixture.runtime.stopContainer(started.id, 100)
    expect(await exit).toMatchObject({ exitCode: 137 })
  })
})

describe('a failed start', () => {
  it('names the missing program', async () => {
    const error = await expectFailure(fixture.start({ command: ['nosuchprogram'] }))
    expect(error.stage).toBe('start')
    expect(error.container?.id).toMatch(/^containerd:\/\/[0-9a-f]{64}$/)
    expect(error.message).toBe(
      'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "nosuchprogram": executable file not found in $PATH: unknown',
    )
  })

  it('names a file that is not executable', async () => {
    const error = await expectFailure(fixture.start({ command: ['/etc/passwd'] }))
    expect(error.message).toContain('exec: "/etc/passwd": permission denied: unknown')
  })

  it('leaves no files', async () => {
    await expectFailure(fixture.start({ command: ['nosuchprogram'] }))
    expect(fixture.files().filter((path) => /main\/|layers\//.test(path))).toEqual([])
    expect(createCgroups().exists(`${fixture.cgroup}/main-0`)).toBe(false)
  })

  it('is reported for a container that requests access to the machine', async () => {
    const privileged = { command: ['true'], securityContext: { privileged: true } }
    expect(await expectFailure(fixture.start(privileged))).toMatchObject({ stage: 'create' })
    expect(await expectFailure(fixture.start({}, { spec: { hostPID: true } }))).toMatchObject({
      message:
        'failed to create container "main": its pod asks for the process namespace of the host, which would give access to the machine that the cluster runs on',
    })
  })

  it('is reported for a container that would run as root despite runAsNonRoot', async () => {
    const error = await expectFailure(fixture.start({ securityContext: { runAsNonRoot: true } }))
    expect(error.stage).toBe('config')
    expect(error.message).toBe(
      'container has runAsNonRoot and image will run as root (pod: "pod-1_default(00000000-0000-4000-8000-000000000001)", container: main)',
    )
  })
})

describe('an image', () => {
  it('is present after a pull, which fails if the image does not exist', async () => {
    const { runtime } = fixture
    expect(runtime.hasImage('busybox:1.36')).toBe(false)
    await awaitReply((reply) => runtime.pullImage('busybox:1.36', reply))
    expect(runtime.hasImage('docker.io/library/busybox:1.36')).toBe(true)
    await expect(awaitReply((reply) => runtime.pullImage('busybox:1.999', reply))).rejects.toThrow(
      ImagePullError,
    )
  })
})

describe('a sandbox', () => {
  it('notifies listeners, stops its containers and keeps only the logs when it is removed', async () => {
    const { runtime, start, network } = fixture
    const { pod, sandbox, exit, logs } = await start({ command: ['sh', '-c', 'echo kept; sleep 60'] })
    const { uid } = pod.metadata
    await expect.poll(logs).toBe('kept\n')
    const notifications: unknown[] = []
    runtime.processes.onRemoval((removed) =>
      notifications.push(removed, runtime.processes.find(uid)?.containers.length),
    )
    await awaitReply<void>((reply) => runtime.removeSandbox(sandbox, reply))
    expect(notifications).toEqual([uid, 1])
    expect(await exit).toMatchObject({ exitCode: 137 })
    expect(runtime.processes.find(uid)).toBeUndefined()
    expect(network.size).toBe(0)
    expect(await logs()).toBe('kept\n')
    expect(readdirSync(`${fixture.folder}/pods/${uid}`)).toEqual(['logs'])
    expect(createCgroups().exists(`${fixture.cgroup}/${uid}`)).toBe(false)
    runtime.forgetPod(uid)
    await expect.poll(() => existsSync(`${fixture.folder}/pods/${uid}`)).toBe(false)
  })

  it('is removed even if its folders are nested deeper than the longest possible path', async () => {
    const deep = `for (let n = 0; n < 40; n++) { fs.mkdirSync('d'.repeat(200)); process.chdir('d'.repeat(200)) }`
    const spec = { volumes: [{ name: 'scratch', emptyDir: {} }] }
    const { sandbox, exit, pod } = await fixture.start(
      {
        image: 'node:24',
        command: ['node', '-e', `${deep}; process.chdir('/tmp'); ${deep}`],
        workingDir: '/scratch',
        volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
      },
      { spec },
    )
    expect(await exit).toMatchObject({ exitCode: 0 })
    await awaitReply<void>((reply) => fixture.runtime.removeSandbox(sandbox, reply))
    fixture.runtime.forgetPod(pod.metadata.uid)
    await expect.poll(() => fixture.files().filter((path) => /pods\/.|layers\/./.test(path))).toEqual([])
  })

  it('is removed immediately while the start of a container hangs', async () => {
    const spec = { volumes: [{ name: 'etc', emptyDir: {} }] }
    const first = await fixture.start(
      { command: ['mkfifo', '/made/passwd'], volumeMounts: [{ name: 'etc', mountPath: '/made' }] },
      { spec },
    )
    await first.exit
    const hung = { name: 'hung', command: ['true'], volumeMounts: [{ name: 'etc', mountPath: '/etc' }] }
    const starting = expectFailure(fixture.start(hung, { inPodOf: first }))
    await expect.poll(() => createCgroups().pids(fixture.cgroup).length, { timeout: 4000 }).toBeGreaterThan(0)
    await awaitReply<void>((reply) => fixture.runtime.removeSandbox(first.sandbox, reply))
    expect((await starting).message).toContain('context deadline exceeded')
    expect(createCgroups().exists(`${fixture.cgroup}/${first.pod.metadata.uid}`)).toBe(false)
  })

  it('makes its containers share a process namespace if the pod requests it', async () => {
    const spec = { shareProcessNamespace: true }
    const first = await fixture.start({ command: ['sleep', '61'] }, { spec })
    const otherContainer = { name: 'other', command: ['sh', '-c', 'ps -A -o args | grep -c "sleep 6[1]"'] }
    const second = await fixture.start(otherContainer, { inPodOf: first })
    expect(await second.exit).toMatchObject({ exitCode: 0 })
    expect(
      await text(
        await fixture.runtime.logs(first.pod, 'other', {
          previous: false,
          follow: false,
          timestamps: false,
        }),
      ),
    ).toBe('1\n')
    expect(
      fixture.runtime.processes.find(first.pod.metadata.uid)?.containers.map(({ name }) => name),
    ).toEqual(['main'])
  })
})

describe('an ephemeral container', () => {
  it('shares the process namespace of its target container', async () => {
    const target = await fixture.start({ command: ['sleep', '63'] })
    const script = 'cat /proc/1/comm; ps -A -o args | grep -c "sleep 6[3]"'
    const debug = { name: 'debug', command: ['sh', '-c', script], targetContainerName: 'main' }
    const { exit } = await fixture.start(debug, { inPodOf: target })
    expect(await exit).toMatchObject({ exitCode: 0 })
    const options = { previous: false, follow: false, timestamps: false }
    expect(await text(await fixture.runtime.logs(target.pod, 'debug', options))).toBe('sleep\n1\n')
  })

  it('cannot change the network of the pod, and has a file size limit', async () => {
    const securityContext = { capabilities: { add: ['NET_ADMIN'] } }
    const script = 'ip link set lo mtu 1400 2>/dev/null && echo changed; ulimit -f; sleep 64'
    const target = await fixture.start({ securityContext, command: ['sh', '-c', script] })
    const debug = { name: 'debug', securityContext, command: ['sh', '-c', `${script.slice(0, -10)}`] }
    const { exit } = await fixture.start(debug, { inPodOf: target })
    expect(await exit).toMatchObject({ exitCode: 0 })
    const options = { previous: false, follow: false, timestamps: false }
    const logOf = async (name: string) => text(await fixture.runtime.logs(target.pod, name, options))
    // In blocks of 512 or 1024 bytes, depending on the shell.
    expect(await logOf('main')).toMatch(/^changed\n(8388608|4194304)\n$/)
    expect(await logOf('debug')).toMatch(/^(8388608|4194304)\n$/)
  })
})

describe('a pod whose kubelet has restarted', () => {
  it('gets a new sandbox, and the containers of the old one are stopped', async () => {
    const { runtime, network } = fixture
    const { pod, exit } = await fixture.start({ command: ['sleep', '60'] })
    const noVolumes = { files: [], claims: [] }
    await awaitReply<Sandbox>((reply) => runtime.createSandbox(pod, noVolumes, reply))
    expect(await exit).toMatchObject({ exitCode: 137 })
    expect(network.size).toBe(1)
  })
})

describe('close', () => {
  it('leaves no process, cgroup, mount or file', async () => {
    const mounts = readFileSync('/proc/self/mounts', 'utf8')
    const memory = { name: 'scratch', emptyDir: { medium: 'Memory' } }
    const started = await Promise.all(
      Array.from({ length: 6 }, () =>
        fixture.start(
          { command: ['sleep', '60'], volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] },
          { spec: { volumes: [memory] } },
        ),
      ),
    )
    const pids = started.map(
      ({ pod }) => fixture.runtime.processes.find(pod.metadata.uid)!.containers[0]!.pid,
    )
    await fixture.runtime.close()
    for (const pid of pids) expect(existsSync(`/proc/${pid}`)).toBe(false)
    expect(createCgroups().exists(fixture.cgroup)).toBe(false)
    expect(readFileSync('/proc/self/mounts', 'utf8')).toBe(mounts)
    expect(fixture.files()).toEqual([])
    expect(existsSync(memoryFolderOf(fixture.folder))).toBe(false)
    expect(fixture.network.size).toBe(0)
    await Promise.all(started.map(({ exit }) => exit))
  })

  it('continues after a pod that cannot be removed, and reports the error', async () => {
    const [stuck] = await Promise.all([1, 2, 3].map(() => fixture.start({ command: ['sleep', '60'] })))
    const { detachPod } = fixture.network
    fixture.network.detachPod = (uid, reply) =>
      uid === stuck!.pod.metadata.uid
        ? queueMicrotask(() => reply({ ok: false, error: new Error('cannot detach the pod') }))
        : detachPod(uid, reply)
    await expect(fixture.runtime.close()).rejects.toThrow('cannot detach the pod')
    expect(fixture.network.size).toBe(1)
    expect(createCgroups().exists(fixture.cgroup)).toBe(false)
    expect(fixture.files()).toEqual([])
    fixture.network.detachPod = detachPod
  })

  it('aborts a start in progress', async () => {
    // The start is rejected or the container ends, depending on how far the start got.
    const starting = fixture.start({ command: ['sleep', '60'] }).then(
      ({ exit }) => exit,
      () => undefined,
    )
    await new Promise((resolve) => setTimeout(resolve, 25))
    await fixture.runtime.close()
    await starting
    expect(createCgroups().exists(fixture.cgroup)).toBe(false)
    expect(fixture.network.size).toBe(0)
  })
})

/** Needs root: tests the access to containers through the whole runtime. */
import { createHash, randomFillSync } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRealClock, sleep } from '#kit'
import { createCgroups } from '#machine/linux'
import type { DiskUsage, ExecOptions, ProbeResult } from '#platform/kube/ports'
import { createCollector } from '../testing/access-world.ts'
import {
  awaitReply,
  createRuntimeFixture,
  type RuntimeFixture,
  type TestContainer,
} from '../testing/runtime-fixture.ts'

const clock = createRealClock()
let fixture: RuntimeFixture
beforeEach(() => {
  fixture = createRuntimeFixture()
})
afterEach(() => fixture.close())

const sleeper = { command: ['sleep', 'infinity'] }

const exec = async (
  { pod }: TestContainer,
  command: readonly string[],
  options: Partial<ExecOptions> = {},
): Promise<{ exitCode: number; out: string; err: string }> => {
  const [out, err] = [createCollector(), createCollector()]
  const { exitCode } = await fixture.runtime.exec(pod, 'main', {
    command,
    tty: false,
    stdout: out.target,
    stderr: err.target,
    signal: new AbortController().signal,
    ...options,
  })
  return { exitCode, out: out.text(), err: err.text() }
}

it('runs commands as the user, in the folder and with the environment of the container', async () => {
  const running = await fixture.start(
    { ...sleeper, workingDir: '/tmp', securityContext: { runAsUser: 65534 } },
    { environment: { COLOUR: 'green' } },
  )
  expect(await exec(running, ['sh', '-c', 'id -u; pwd; echo $COLOUR; hostname; exit 3'])).toEqual({
    exitCode: 3,
    out: `65534\n/tmp\ngreen\n${running.pod.metadata.name}\n`,
    err: '',
  })
  await expect(exec(running, ['nope'])).rejects.toThrow(
    'OCI runtime exec failed: exec failed: unable to start container process: exec: "nope": executable file not found in $PATH: unknown',
  )
})

it('copies 20 MB in and out with tar', async () => {
  const running = await fixture.start({ ...sleeper })
  const content = randomFillSync(Buffer.alloc(20 * 2 ** 20))
  const hash = createHash('sha256').update(content).digest('hex')
  const chunks = Array.from({ length: 640 }, (_, index) =>
    content.subarray(index * 32_768, (index + 1) * 32_768),
  )
  await exec(running, ['sh', '-c', 'cat > /tmp/large'], { stdin: Readable.from(chunks) })
  const archive = new PassThrough()
  const received = buffer(archive)
  await exec(running, ['tar', 'cf', '-', '-C', '/tmp', 'large'], { stdout: archive })
  archive.end()
  const packed = await received
  const unpack = { stdin: Readable.from([packed.subarray(0, 9_000_000), packed.subarray(9_000_000)]) }
  const { exitCode } = await exec(running, ['tar', '-xmf', '-', '-C', '/var/tmp'], unpack)
  expect(exitCode).toBe(0)
  expect((await exec(running, ['sha256sum', '/var/tmp/large'])).out.slice(0, 64)).toBe(hash)
})

it('provides a terminal, and closes it with the container', async () => {
  const running = await fixture.start({ ...sleeper })
  const out = createCollector()
  const stdin = new PassThrough()
  const ended = exec(running, ['sh'], {
    tty: true,
    stdin,
    stdout: out.target,
    resize: (listener) => listener({ columns: 101, rows: 43 }),
  })
  stdin.write('stty size; whoami\n')
  await expect.poll(out.text, { timeout: 3000 }).toContain('43 101\r\nroot\r\n')
  fixture.runtime.stopContainer(running.started.id, 0)
  expect((await ended).exitCode).toBe(137)
  await expect(exec(running, ['true'])).rejects.toThrow(
    /container not found \("main"\)|container is in CONTAINER_EXITED state/,
  )
})

it('follows the log until the container ends, and finds no log after the pod is forgotten', async () => {
  const running = await fixture.start({
    command: ['sh', '-c', 'for i in 1 2 3; do echo $i; sleep 0.1; done'],
  })
  const options = { previous: false, follow: true, timestamps: false }
  const followed = text(await fixture.runtime.logs(running.pod, 'main', options))
  await running.exit
  expect(await followed).toBe('1\n2\n3\n')
  fixture.runtime.forgetPod(running.pod.metadata.uid)
  await expect(fixture.runtime.logs(running.pod, 'main', options)).rejects.toThrow('container not found')
})

it('probes a container, connects to it and measures its usage', async () => {
  const volumes = [{ name: 'cache', emptyDir: {} }]
  const script = [
    'head -c 300000 /dev/urandom > /cache/file; head -c 200000 /dev/urandom > /usr/lib/large',
    'seq 1000; while :; do :; done',
  ].join('\n')
  const running = await fixture.start(
    { command: ['sh', '-c', script], volumeMounts: [{ name: 'cache', mountPath: '/cache' }] },
    { spec: { volumes } },
  )
  const { pod, started } = running
  await expect.poll(() => running.logs(), { timeout: 3000 }).toContain('1000\n')
  const action = { type: 'exec', command: ['test', '-f', '/cache/file'] } as const
  const probe = { kind: 'liveness', action, timeoutMs: 2000 } as const
  const result = await awaitReply<ProbeResult>((reply) =>
    fixture.runtime.probe(pod, pod.spec.containers[0]!, started.id, probe, reply),
  )
  expect(result).toEqual({ ok: true, output: '' })
  await expect(fixture.runtime.connect(pod, 80)).rejects.toThrow(
    'dial tcp4 127.0.0.1:80: connect: connection refused',
  )
  await sleep(clock, 1500)
  const { main } = fixture.runtime.usage(pod)
  const { cgroup } = fixture.runtime.processes.find(pod.metadata.uid)!.containers[0]!
  const { cpuMs } = createCgroups().usage(cgroup)
  // Compared with the control group, because the share of CPU depends on the load of the machine.
  expect((main!.cpu * main!.windowMs) / cpuMs).toBeGreaterThan(0.9)
  expect((main!.cpu * main!.windowMs) / cpuMs).toBeLessThan(1.1)
  expect(main!.memory).toBeGreaterThan(100_000)
  const disk = await awaitReply<DiskUsage>((reply) => fixture.runtime.diskUsage(pod, reply))
  expect(disk.volumes.cache).toBeGreaterThan(299_000)
  expect(disk.volumes.cache).toBeLessThan(330_000)
  expect(disk.containers.main).toBeGreaterThan(200_000)
  expect(disk.containers.main).toBeLessThan(600_000)
})

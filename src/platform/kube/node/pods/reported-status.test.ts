/** Compares statuses and events with those of a real kubelet, for healthy and failing pods. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PodSpec, PodStatus } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { configMaps } from '#platform/kube/kinds'
import type { ContainerModel, ImageModel } from '#platform/kube/runtimes/simulated'
import { createTestNode, type TestNode } from '../testing/create-test-node.ts'

const readFixture = <T>(name: string): T =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures', name), 'utf8')) as T
const realPods = readFixture<Record<string, { spec: PodSpec; status: PodStatus }>>('pods.json')

const exits = (exitCode: number, reason = exitCode === 0 ? 'Completed' : 'Error', afterMs = 0) => ({
  exit: { afterMs, exitCode, reason },
})
const NO_FILE =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/nonexistent": stat /nonexistent: no such file or directory: unknown'
const REFUSED =
  'failed to pull and unpack image "127.0.0.1:1/nope:1": failed to resolve reference "127.0.0.1:1/nope:1": failed to do request: Head "http://127.0.0.1:1/v2/nope/manifests/1": dial tcp 127.0.0.1:1: connect: connection refused'

/** The behaviour of busybox in the pods of the fixtures. */
const behaviours: Record<string, ContainerModel> = {
  badcmd: { startError: NO_FILE },
  crash: exits(3),
  oom: exits(137, 'OOMKilled'),
  done: exits(0),
  notready: {
    stop: 'ignores',
    probe: ({ kind, action }) =>
      kind === 'liveness' && action.type === 'tcp'
        ? { ok: false, output: `dial tcp ${action.host}:${action.port}: connect: connection refused` }
        : { ok: false, output: '' },
  },
}
const images: Record<string, ImageModel> = {
  'busybox:local': { present: true, run: ({ pod }) => behaviours[pod.metadata.name] ?? {} },
  '127.0.0.1:1/nope:1': { pullError: REFUSED, pullMs: 5 },
}

/** Masks values that differ between runs: times, identities, addresses. */
const maskVolatileValues = (status: PodStatus): unknown =>
  JSON.parse(
    JSON.stringify(status)
      .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, (time) => (time.startsWith('"1970') ? time : '"time"'))
      .replaceAll(/containerd:\/\/[0-9a-f]{64}/g, 'container')
      .replaceAll(/"imageID":"[^"]+"/g, '"imageID":"image"')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'uid')
      .replaceAll(/10\.244\.0\.\d+/g, 'address'),
  )

const runFixture = (name: string): TestNode => {
  const node = createTestNode(images)
  node.run(name, realPods[name]!.spec)
  return node
}

describe('statuses and events equal those of the real kubelet for', () => {
  /** Runs the pod until the condition holds, and compares its status with that of the real pod. */
  const runUntil = (name: string, isReached: (status: PodStatus) => boolean): TestNode => {
    const node = runFixture(name)
    expect(node.clock.advanceUntil(() => isReached(node.pod(name).status), 300_000)).toBe(true)
    node.clock.advance(0)
    expect(maskVolatileValues(node.pod(name).status)).toEqual(maskVolatileValues(realPods[name]!.status))
    return node
  }
  const restartsOf = (status: PodStatus) => status.containerStatuses?.[0]?.restartCount ?? 0
  const waitingReason = (status: PodStatus) => status.containerStatuses?.[0]?.state?.waiting?.reason

  it('a running pod', () => {
    const { eventsOf } = runUntil('ds', ({ phase }) => phase === 'Running')
    expect(eventsOf('ds')).toEqual([
      'Normal Pulled Container image "busybox:local" already present on machine',
      'Normal Created Created container: c',
      'Normal Started Started container c',
    ])
  })

  it('a pod that completed after an init container', () => {
    const { eventsOf } = runUntil('done', ({ phase }) => phase === 'Succeeded')
    expect(eventsOf('done').filter((event) => event.includes('Started'))).toEqual([
      'Normal Started Started container i',
      'Normal Started Started container c',
    ])
  })

  it('a crashing container before CrashLoopBackOff', () => {
    const { eventsOf, pod } = runUntil(
      'crash',
      (status) => restartsOf(status) === 3 && status.containerStatuses?.[0]?.state?.terminated !== undefined,
    )
    const { uid } = pod('crash').metadata
    expect(eventsOf('crash')).toContain('Normal Started Started container c (x4)')
    expect(eventsOf('crash').at(-1)).toMatch(
      `Warning BackOff Back-off restarting failed container c in pod crash_default(${uid})`,
    )
  })

  it('OOMKilled', () => {
    runUntil(
      'oom',
      (status) => restartsOf(status) === 3 && status.containerStatuses?.[0]?.state?.terminated !== undefined,
    )
  })

  it('a command that does not exist', () => {
    const { eventsOf } = runUntil(
      'badcmd',
      (status) => restartsOf(status) === 3 && waitingReason(status) === 'RunContainerError',
    )
    expect(eventsOf('badcmd')).toContain(`Warning Failed Error: ${NO_FILE} (x4)`)
  })

  it('ImagePullBackOff', () => {
    const { eventsOf, clock } = runUntil('badimage', (status) => waitingReason(status) === 'ImagePullBackOff')
    clock.advance(40_000)
    expect(eventsOf('badimage').map((event) => event.replace(/ \(x\d\)/, ''))).toEqual([
      'Normal Pulling Pulling image "127.0.0.1:1/nope:1"',
      `Warning Failed Failed to pull image "127.0.0.1:1/nope:1": ${REFUSED}`,
      'Warning Failed Error: ErrImagePull',
      'Normal BackOff Back-off pulling image "127.0.0.1:1/nope:1"',
      'Warning Failed Error: ImagePullBackOff',
    ])
    expect(eventsOf('badimage')[0]).toMatch(/\(x3\)$/)
  })

  it('CreateContainerConfigError until the config map exists', () => {
    const { eventsOf, client, clock, pod } = runUntil(
      'badcm',
      (status) => waitingReason(status) === 'CreateContainerConfigError',
    )
    expect(eventsOf('badcm')).toContain('Warning Failed Error: configmap "missing" not found')
    client.create(configMaps, { metadata: { name: 'missing', namespace: 'default' }, data: { A: '1' } })
    clock.advance(16_000)
    expect(pod('badcm').status.phase).toBe('Running')
  })

  it('a failed liveness probe, followed by CrashLoopBackOff', () => {
    const { eventsOf } = runUntil(
      'notready',
      (status) => restartsOf(status) === 3 && waitingReason(status) === 'CrashLoopBackOff',
    )
    const seen = eventsOf('notready').map((event) => event.replace(/ \(x\d+\)/, ''))
    expect(seen).toContain('Warning Unhealthy Readiness probe failed: ')
    expect(seen).toContain(
      'Warning Unhealthy Liveness probe failed: dial tcp 10.244.0.2:9: connect: connection refused',
    )
    expect(seen).toContain('Normal Killing Container c failed liveness probe, will be restarted')
  })
})

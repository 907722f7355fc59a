/** Tests PodChaos: pods that are killed or fail, and containers that are killed. */
import { describe, expect, it } from 'vitest'
import { peer, peerContainer, podsNamed, useFaultLab } from '../testing/use-fault-lab.ts'

const labels = { app: 'web' }
const lab = useFaultLab([
  ...peer('first', { terminationGracePeriodSeconds: 1 }),
  ...peer('second', { terminationGracePeriodSeconds: 1 }),
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 30,
          containers: [
            // Ignores SIGTERM, so that only an immediate deletion ends it before the grace period.
            {
              ...peerContainer,
              name: 'stubborn',
              command: ['sh', '-c', 'trap "" TERM; while :; do sleep 1; done'],
              readinessProbe: undefined,
            },
            peerContainer,
          ],
        },
      },
    },
  },
])

const onWeb = podsNamed('web')
const listPodNames = async (): Promise<string[]> => {
  const lines = await lab.sh(`kubectl get pods -l app=web -o jsonpath='{.items[*].metadata.name}'`)
  return lines.split(' ').toSorted()
}
const restartsOf = async (pod: string): Promise<Record<string, number>> => {
  const { status } = await lab.get('pods', pod)
  return Object.fromEntries(
    status.containerStatuses.map(({ name, restartCount }: any) => [name, restartCount]),
  )
}
/** Resolves to the status code of a response; 000 if there is no response or no running container. */
const statusCodeOf = (pod: string): Promise<string> =>
  lab.exec(pod, 'curl -sm 2 -o /dev/null -w "%{http_code}" http://localhost:8080/').catch(() => '000')

it('pod-kill deletes a pod at once, and it is replaced', async () => {
  const before = await listPodNames()
  await lab.inject('PodChaos', 'kill', { ...onWeb, mode: 'one', action: 'pod-kill' })
  const {
    status: {
      experiment: { containerRecords: records },
    },
  } = await lab.get('podchaos', 'kill')
  expect(records).toHaveLength(1)
  const [, killed] = records[0].id.split('/')
  expect(before).toContain(killed)
  const deletedAt = performance.now()
  await expect.poll(listPodNames, { timeout: 10_000 }).not.toContain(killed)
  // Far less than the grace period.
  expect(performance.now() - deletedAt).toBeLessThan(10_000)
  await lab.sh('kubectl rollout status deployment web --timeout=30s')
  const after = await listPodNames()
  expect(after).toHaveLength(2)
  expect(after.filter((name) => before.includes(name))).toHaveLength(1)
  expect(await lab.remove('PodChaos', 'kill')).toBeLessThan(1000)
  expect(await listPodNames()).toEqual(after)
})

it('container-kill kills only the named container, which restarts', async () => {
  const [pod = ''] = await listPodNames()
  const selector = { pods: { lab: [pod] } }
  await lab.inject('PodChaos', 'hit', {
    mode: 'all',
    selector,
    action: 'container-kill',
    containerNames: ['peer'],
  })
  await expect.poll(() => restartsOf(pod), { timeout: 20_000 }).toEqual({ stubborn: 0, peer: 1 })
  const { status } = await lab.get('pods', pod)
  expect(
    status.containerStatuses.find(({ name }: any) => name === 'peer').lastState.terminated,
  ).toMatchObject({
    reason: 'Error',
    exitCode: 137,
  })
  expect(await lab.remove('PodChaos', 'hit')).toBeLessThan(1000)
  await lab.sh(`kubectl wait pod ${pod} --for=condition=Ready --timeout=30s`)
  expect(await restartsOf(pod)).toEqual({ stubborn: 0, peer: 1 })
})

describe('pod-failure', () => {
  it('makes pods fail until its duration ends', async () => {
    const imageQuery = `kubectl get pod first -o jsonpath='{.spec.containers[0].image}'`
    const spec = { ...podsNamed('first'), action: 'pod-failure', duration: '8s' }
    await lab.inject('PodChaos', 'fail', spec)
    expect(await lab.sh(imageQuery)).toMatch(/pause/)
    await expect.poll(() => statusCodeOf('first'), { timeout: 20_000 }).toBe('000')
    // As in Chaos Mesh: a container with its own command does not find the program in the pause image.
    await lab.sh.eventually('kubectl get pod first', /first +0\/1 +(RunContainerError|CrashLoopBackOff)/)
    await lab.sh('kubectl wait podchaos fail --for=condition=AllRecovered --timeout=30s')
    expect(await lab.sh(imageQuery)).toBe('python:3')
    await expect.poll(() => statusCodeOf('first'), { timeout: 30_000 }).toBe('200')
    expect(await lab.remove('PodChaos', 'fail')).toBeLessThan(1000)
    await lab.sh('kubectl wait pod first --for=condition=Ready --timeout=30s')
  })

  it('ends when it is deleted', async () => {
    await lab.inject('PodChaos', 'fail', { ...podsNamed('second'), action: 'pod-failure' })
    await expect.poll(() => statusCodeOf('second'), { timeout: 20_000 }).toBe('000')
    // Agents can read pods with their managedFields, which must not reveal the fault.
    expect(JSON.stringify(await lab.get('pods', 'second'))).not.toMatch(/chaos|pod-failure/)
    expect(await lab.remove('PodChaos', 'fail')).toBeLessThan(1000)
    await expect.poll(() => statusCodeOf('second'), { timeout: 30_000 }).toBe('200')
    const { metadata, spec } = await lab.get('pods', 'second')
    expect(spec.containers[0].image).toBe('python:3')
    expect(metadata.annotations ?? {}).toEqual({})
  })
})

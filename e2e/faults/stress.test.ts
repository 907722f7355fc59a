/** Tests StressChaos, and limits of CPU and memory. The control groups of the containers report the usage. */
import { expect, it } from 'vitest'
import { cpuTimeOf } from '../testing/footprint.ts'
import { measureAgain, within } from '../testing/measure.ts'
import { podsNamed, useFaultLab } from '../testing/use-fault-lab.ts'

const limitedPod = (name: string, limits: object, script: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name } },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [
      { name: 'main', image: 'busybox:1.36', command: ['sh', '-c', script], resources: { limits } },
    ],
  },
})

const lab = useFaultLab([
  limitedPod('idle', { cpu: '200m' }, 'sleep infinity'),
  limitedPod('busy', { cpu: '200m' }, 'while :; do :; done'),
  limitedPod('small', { memory: '64Mi' }, 'sleep infinity'),
])

/** Resolves to the CPU usage over three seconds, in percent of one processor. */
const cpuPercentOf = async (pod: string): Promise<number> => {
  const { uid } = (await lab.get('pods', pod)).metadata
  const [startTime, usedBefore] = [process.hrtime.bigint(), cpuTimeOf(uid)]
  await new Promise((resolve) => setTimeout(resolve, 3000))
  return (Number(cpuTimeOf(uid) - usedBefore) / Number(process.hrtime.bigint() - startTime)) * 100
}

/** Measurements are repeated: on a busy machine, a pod can get less than its limit. */
const isAtLimit = within(18, 22)

it('a limit of 200m gives a busy program 20 % of a processor', async () => {
  expect(await measureAgain(() => cpuPercentOf('busy'), isAtLimit)).toSatisfy(isAtLimit)
})

it('CPU stress uses the whole limit, as kubectl top shows', async () => {
  const before = await lab.footprint('idle')
  await lab.inject('StressChaos', 'cpu', {
    ...podsNamed('idle'),
    stressors: { cpu: { workers: 2, load: 100 } },
  })
  expect(await measureAgain(() => cpuPercentOf('idle'), isAtLimit)).toSatisfy(isAtLimit)
  await lab.sh.eventually('kubectl top pod idle', /idle +(1[89]\d|2[01]\d|220)m /)
  expect((await lab.footprint('idle')).helpers).not.toEqual(before.helpers)
  expect(await lab.remove('StressChaos', 'cpu')).toBeLessThan(1000)
  expect(await lab.footprint('idle')).toEqual(before)
  expect(await cpuPercentOf('idle')).toBeLessThan(1)
})

it('memory stress above the limit causes an OOM kill and a restart', async () => {
  const stressors = { memory: { workers: 1, size: '256MB' } }
  await lab.inject('StressChaos', 'memory', { ...podsNamed('small'), stressors })
  const jsonPath = '{.status.containerStatuses[0].lastState.terminated.reason}'
  await lab.sh.eventually(`kubectl get pod small -o jsonpath='${jsonPath}'`, /^OOMKilled$/)
  await lab.sh.eventually('kubectl get pod small', /small +1\/1 +Running +[1-9]/)
  expect(await lab.remove('StressChaos', 'memory')).toBeLessThan(1000)
  const { status } = await lab.get('pods', 'small')
  expect(status.containerStatuses[0]).toMatchObject({
    ready: true,
    lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
  })
  expect((await lab.footprint('small')).helpers).toEqual([])
})

it('memory stress below the limit uses the requested memory, and releases it', async () => {
  const measureMemoryMib = async (): Promise<number> => {
    const text = await lab.exec(
      'small',
      'cat /sys/fs/cgroup/memory/memory.usage_in_bytes /sys/fs/cgroup/memory.current',
    )
    return Number(/^\d+$/m.exec(text)?.[0]) / 2 ** 20
  }
  const stressors = { memory: { workers: 1, size: '50%' } }
  expect(await measureMemoryMib()).toBeLessThan(15)
  await lab.inject('StressChaos', 'half', { ...podsNamed('small'), stressors })
  await expect.poll(measureMemoryMib, { timeout: 10_000 }).toSatisfy(within(30, 50))
  expect(await lab.remove('StressChaos', 'half')).toBeLessThan(1000)
  expect(await measureMemoryMib()).toBeLessThan(15)
})

/** NetworkChaos that parts pods from each other: who hears whom, one way at a time, and for how long. */
import { describe, expect, it } from 'vitest'
import { hearing, measureAgain, median, ping, within } from '../testing/measure.ts'
import { peer, podsNamed, useFaultLab } from '../testing/use-fault-lab.ts'

const PODS = ['a', 'b', 'c']
/** A Service for two of the pods, by whom it is answered in turn. */
const both = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'b-or-c' },
  spec: { selector: { group: 'b-or-c' }, ports: [{ port: 8080 }] },
}
const lab = useFaultLab([...peer('a'), ...peer('b'), ...peer('c'), both])

const EVERY_WAY = PODS.flatMap((from) =>
  PODS.filter((to) => to !== from).flatMap((to) => [`${from}>${to}`, `${from}>${to} by Service`]),
).toSorted()

/** Every way but these, by address and by Service. */
const without = (...cut: string[]): string[] =>
  EVERY_WAY.filter((way) => !cut.includes(way.replace(' by Service', '')))

const partition = (direction: string, target?: object) => ({
  ...podsNamed('a'),
  action: 'partition',
  direction,
  ...(target === undefined ? {} : { target }),
})

const removeFully = async (name: string): Promise<void> => {
  expect(await lab.remove('NetworkChaos', name)).toBeLessThan(1000)
  expect(await hearing(lab, PODS)).toEqual(EVERY_WAY)
  for (const pod of PODS) expect((await lab.footprint(pod)).rules).toEqual([])
}

/*
 * What is sent to a Service bears the Service's address where it leaves its pod, and the pod's where it arrives. A
 * partition with a target is held at both ends, as Chaos Mesh does: what the one end cannot know for an answer to a
 * Service, the other drops by the address of the sender. So every direction cuts what goes through Services, too, also
 * where a Service stands for others besides the target.
 */
describe('a partition between a and b', () => {
  it.each([
    ['to', without('a>b')],
    ['from', without('b>a')],
    ['both', without('a>b', 'b>a')],
  ])('in direction %s cuts this and nothing else', async (direction, left) => {
    await lab.inject('NetworkChaos', `cut-${direction}`, partition(direction, podsNamed('b')))
    expect(await hearing(lab, PODS)).toEqual(left)
    await removeFully(`cut-${direction}`)
  })

  it('cuts what reaches b through a Service that is for c as well', async () => {
    await lab.sh('kubectl label pod b c group=b-or-c')
    const answers = (): Promise<boolean[]> =>
      lab.python(
        'a',
        `
import json, socket
def answers():
    try:
        with socket.create_connection(('b-or-c', 8080), timeout=1) as connection:
            connection.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n')
            return len(connection.recv(10)) > 0
    except OSError:
        return False
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(40) as pool:
    print(json.dumps(list(pool.map(lambda _: answers(), range(40)))))
`,
      )
    await expect.poll(answers, { timeout: 20_000 }).toEqual(Array(40).fill(true))
    await lab.inject('NetworkChaos', 'cut', partition('both', podsNamed('b')))
    const cut = (await answers()).filter((answered) => !answered).length
    // Each connection goes to either: outside these bounds once in 10^5 times.
    expect(cut).toSatisfy(within(7, 33))
    await lab.inject('NetworkChaos', 'cut-more', partition('to', podsNamed('c')))
    expect(await answers()).toEqual(Array(40).fill(false))
    await lab.remove('NetworkChaos', 'cut-more')
    await removeFully('cut')
    expect(await answers()).toEqual(Array(40).fill(true))
  })

  it('from two at once is from both', async () => {
    await lab.inject('NetworkChaos', 'alone', partition('both', podsNamed('b', 'c')))
    expect(await hearing(lab, PODS)).toEqual(without('a>b', 'b>a', 'a>c', 'c>a'))
    await removeFully('alone')
  })
})

describe('without a target', () => {
  it('external targets are cut by address, by block, and by the name of a Service', async () => {
    const spec = { ...partition('to'), externalTargets: [`${await lab.ipOf('b')}/32`] }
    await lab.inject('NetworkChaos', 'by-address', spec)
    // Nobody is told that this address has a Service: the packets to it pass.
    expect(await hearing(lab, PODS)).toEqual(EVERY_WAY.filter((way) => way !== 'a>b'))
    await lab.inject('NetworkChaos', 'by-name', { ...partition('to'), externalTargets: ['c'] })
    expect(await hearing(lab, PODS)).toEqual(without('a>c').filter((way) => way !== 'a>b'))
    await lab.remove('NetworkChaos', 'by-address')
    await removeFully('by-name')
  })

  it('a partition is from everybody', async () => {
    // The exec that asks does not go through the pod's network.
    await lab.inject('NetworkChaos', 'silent', partition('from'))
    const { received } = await ping(lab, 'b', await lab.ipOf('a'), { count: 5 })
    expect(received).toBe(0)
    await removeFully('silent')
  })
})

describe('the time of a partition', () => {
  it('ends by its duration', async () => {
    await lab.inject('NetworkChaos', 'brief', { ...partition('both', podsNamed('b')), duration: '6s' })
    expect(await hearing(lab, PODS)).toEqual(without('a>b', 'b>a'))
    await lab.sh('kubectl wait networkchaos brief --for=condition=AllRecovered --timeout=20s')
    expect(await hearing(lab, PODS)).toEqual(EVERY_WAY)
    const { metadata, status } = await lab.get('networkchaos', 'brief')
    expect(status.experiment.desiredPhase).toBe('Stop')
    const [, { timestamp }] = status.experiment.containerRecords[0].events
    const lasted = (Date.parse(timestamp) - Date.parse(metadata.creationTimestamp)) / 1000
    expect(lasted).toSatisfy(within(6, 7))
    await removeFully('brief')
  })

  it('is interrupted by an annotation', async () => {
    await lab.inject('NetworkChaos', 'off-and-on', partition('both', podsNamed('b')))
    await lab.sh('kubectl annotate networkchaos off-and-on experiment.chaos-mesh.org/pause=true')
    await lab.sh('kubectl wait networkchaos off-and-on --for=condition=AllRecovered --timeout=20s')
    expect(await hearing(lab, PODS)).toEqual(EVERY_WAY)
    await lab.sh('kubectl annotate networkchaos off-and-on experiment.chaos-mesh.org/pause-')
    await lab.sh('kubectl wait networkchaos off-and-on --for=condition=AllInjected --timeout=20s')
    expect(await hearing(lab, PODS)).toEqual(without('a>b', 'b>a'))
    await removeFully('off-and-on')
  })
})

describe('the mode', () => {
  const slowPods = async (): Promise<string[]> => {
    const times = await Promise.all(
      PODS.map(async (pod) => {
        // The other end of the pod's device: nobody else's delay is on that way.
        const look = async () => median((await ping(lab, pod, '169.254.1.1', { count: 5 })).times)
        return measureAgain(look, (time) => time < 20 || time >= 80)
      }),
    )
    return PODS.filter((_, index) => times[index]! >= 80)
  }

  it.each([
    ['one', undefined, 1],
    ['fixed', '2', 2],
    ['fixed-percent', '67', 2],
    ['all', undefined, 3],
  ])('%s %s takes %i of three pods, those that the status names', async (mode, value, count) => {
    const choice = { mode, ...(value === undefined ? {} : { value }) }
    const name = `slow-${mode}`
    const selector = { labelSelectors: { role: 'peer' } }
    const spec = { ...choice, selector, action: 'delay', delay: { latency: '80ms' } }
    await lab.inject('NetworkChaos', name, spec)
    const { status } = await lab.get('networkchaos', name)
    const named = status.experiment.containerRecords.map(({ id }: { id: string }) => id.split('/')[1])
    expect(named).toHaveLength(count)
    expect(await slowPods()).toEqual(named)
    expect(await lab.remove('NetworkChaos', name)).toBeLessThan(1000)
    expect(await slowPods()).toEqual([])
  })
})

/** Tests NetworkChaos that separates pods: which packets arrive, in which direction, and for how long. */
import { describe, expect, it } from 'vitest'
import { defined } from '#kit'
import { arrivingPaths, measureAgain, median, ping, within } from '../testing/measure.ts'
import { peer, podsNamed, useFaultLab } from '../testing/use-fault-lab.ts'

const PODS = ['a', 'b', 'c']
/** A Service that distributes connections to two of the pods. */
const sharedService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'b-or-c' },
  spec: { selector: { group: 'b-or-c' }, ports: [{ port: 8080 }] },
}
const lab = useFaultLab([...peer('a'), ...peer('b'), ...peer('c'), sharedService])

const ALL_PATHS = PODS.flatMap((from) =>
  PODS.filter((to) => to !== from).flatMap((to) => [`${from}>${to}`, `${from}>${to} by Service`]),
).toSorted()

/** Returns all paths, by address and by Service, except the cut ones. */
const allPathsExcept = (...cut: string[]): string[] =>
  ALL_PATHS.filter((path) => !cut.includes(path.replace(' by Service', '')))

const partition = (direction: string, target?: object) => ({
  ...podsNamed('a'),
  action: 'partition',
  direction,
  ...defined({ target }),
})

const removeFully = async (name: string): Promise<void> => {
  expect(await lab.remove('NetworkChaos', name)).toBeLessThan(1000)
  expect(await arrivingPaths(lab, PODS)).toEqual(ALL_PATHS)
  for (const pod of PODS) expect((await lab.footprint(pod)).rules).toEqual([])
}

/*
 * A packet to a Service has the address of the Service when it leaves its pod, and the address of the target pod when it
 * arrives. A partition with a target acts at both ends, as in Chaos Mesh: the end of the sender cannot recognise a packet to a
 * Service, but the other end drops it by the address of the sender. So every direction also cuts packets through Services,
 * even if a Service has other pods besides the target.
 */
describe('a partition between a and b', () => {
  it.each([
    ['to', allPathsExcept('a>b')],
    ['from', allPathsExcept('b>a')],
    ['both', allPathsExcept('a>b', 'b>a')],
  ])('in direction %s cuts exactly the paths of that direction', async (direction, open) => {
    await lab.inject('NetworkChaos', `cut-${direction}`, partition(direction, podsNamed('b')))
    expect(await arrivingPaths(lab, PODS)).toEqual(open)
    await removeFully(`cut-${direction}`)
  })

  it('cuts packets to b through a Service that also has c', async () => {
    await lab.sh('kubectl label pod b c group=b-or-c')
    const tryConnections = (): Promise<boolean[]> =>
      lab.python(
        'a',
        `
import json, socket
def is_answered():
    try:
        with socket.create_connection(('b-or-c', 8080), timeout=1) as connection:
            connection.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n')
            return len(connection.recv(10)) > 0
    except OSError:
        return False
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(40) as pool:
    print(json.dumps(list(pool.map(lambda _: is_answered(), range(40)))))
`,
      )
    await expect.poll(tryConnections, { timeout: 20_000 }).toEqual(Array(40).fill(true))
    await lab.inject('NetworkChaos', 'cut', partition('both', podsNamed('b')))
    const failed = (await tryConnections()).filter((answered) => !answered).length
    // Each connection goes to b or c at random. By chance, the count is outside these bounds once in 10^5 runs.
    expect(failed).toSatisfy(within(7, 33))
    await lab.inject('NetworkChaos', 'cut-more', partition('to', podsNamed('c')))
    expect(await tryConnections()).toEqual(Array(40).fill(false))
    await lab.remove('NetworkChaos', 'cut-more')
    await removeFully('cut')
    expect(await tryConnections()).toEqual(Array(40).fill(true))
  })

  it('with two target pods cuts the paths to both', async () => {
    await lab.inject('NetworkChaos', 'alone', partition('both', podsNamed('b', 'c')))
    expect(await arrivingPaths(lab, PODS)).toEqual(allPathsExcept('a>b', 'b>a', 'a>c', 'c>a'))
    await removeFully('alone')
  })
})

describe('without a target', () => {
  it('a partition cuts external targets by address block and by the name of a Service', async () => {
    const spec = { ...partition('to'), externalTargets: [`${await lab.ipOf('b')}/32`] }
    await lab.inject('NetworkChaos', 'by-address', spec)
    // The rule does not match the address of the Service: packets through it still arrive.
    expect(await arrivingPaths(lab, PODS)).toEqual(ALL_PATHS.filter((path) => path !== 'a>b'))
    await lab.inject('NetworkChaos', 'by-name', { ...partition('to'), externalTargets: ['c'] })
    expect(await arrivingPaths(lab, PODS)).toEqual(allPathsExcept('a>c').filter((path) => path !== 'a>b'))
    await lab.remove('NetworkChaos', 'by-address')
    await removeFully('by-name')
  })

  it('a partition cuts the pod off from all others', async () => {
    // Commands still run in the pod: they do not use its network.
    await lab.inject('NetworkChaos', 'silent', partition('from'))
    const { received } = await ping(lab, 'b', await lab.ipOf('a'), { count: 5 })
    expect(received).toBe(0)
    await removeFully('silent')
  })
})

describe('a partition', () => {
  it('ends after its duration', async () => {
    await lab.inject('NetworkChaos', 'brief', { ...partition('both', podsNamed('b')), duration: '6s' })
    expect(await arrivingPaths(lab, PODS)).toEqual(allPathsExcept('a>b', 'b>a'))
    await lab.sh('kubectl wait networkchaos brief --for=condition=AllRecovered --timeout=20s')
    expect(await arrivingPaths(lab, PODS)).toEqual(ALL_PATHS)
    const { metadata, status } = await lab.get('networkchaos', 'brief')
    expect(status.experiment.desiredPhase).toBe('Stop')
    const [, { timestamp }] = status.experiment.containerRecords[0].events
    const seconds = (Date.parse(timestamp) - Date.parse(metadata.creationTimestamp)) / 1000
    expect(seconds).toSatisfy(within(6, 7))
    await removeFully('brief')
  })

  it('is paused and resumed by an annotation', async () => {
    await lab.inject('NetworkChaos', 'off-and-on', partition('both', podsNamed('b')))
    await lab.sh('kubectl annotate networkchaos off-and-on experiment.chaos-mesh.org/pause=true')
    await lab.sh('kubectl wait networkchaos off-and-on --for=condition=AllRecovered --timeout=20s')
    expect(await arrivingPaths(lab, PODS)).toEqual(ALL_PATHS)
    await lab.sh('kubectl annotate networkchaos off-and-on experiment.chaos-mesh.org/pause-')
    await lab.sh('kubectl wait networkchaos off-and-on --for=condition=AllInjected --timeout=20s')
    expect(await arrivingPaths(lab, PODS)).toEqual(allPathsExcept('a>b', 'b>a'))
    await removeFully('off-and-on')
  })
})

describe('the mode', () => {
  const findSlowPods = async (): Promise<string[]> => {
    const times = await Promise.all(
      PODS.map(async (pod) => {
        // The address of the gateway. On the path to it, only the delay of this pod applies.
        const pingGateway = async () => median((await ping(lab, pod, '169.254.1.1', { count: 5 })).times)
        return measureAgain(pingGateway, (time) => time < 20 || time >= 80)
      }),
    )
    return PODS.filter((_, index) => times[index]! >= 80)
  }

  it.each([
    ['one', undefined, 1],
    ['fixed', '2', 2],
    ['fixed-percent', '67', 2],
    ['all', undefined, 3],
  ])('%s %s selects %i of three pods, and the status lists them', async (mode, value, count) => {
    const selection = { mode, ...defined({ value }) }
    const name = `slow-${mode}`
    const selector = { labelSelectors: { role: 'peer' } }
    const spec = { ...selection, selector, action: 'delay', delay: { latency: '80ms' } }
    await lab.inject('NetworkChaos', name, spec)
    const { status } = await lab.get('networkchaos', name)
    const listed = status.experiment.containerRecords.map(({ id }: { id: string }) => id.split('/')[1])
    expect(listed).toHaveLength(count)
    expect(await findSlowPods()).toEqual(listed)
    expect(await lab.remove('NetworkChaos', name)).toBeLessThan(1000)
    expect(await findSlowPods()).toEqual([])
  })
})

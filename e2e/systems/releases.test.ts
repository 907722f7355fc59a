/** Rolls out a bad release of each kind in a running online-boutique, and checks its effect on users and pods. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Defect } from '#spec'
import { bringUp, type LiveSystem } from './testing/live-system.ts'

type Kind = Defect['kind']

interface PodFacts {
  metadata: { name: string; labels: Record<string, string> }
  spec: { containers: { name: string; image: string }[] }
  status: {
    containerStatuses?: {
      name: string
      ready: boolean
      state: { waiting?: { reason: string }; running?: object }
      lastState?: { terminated?: { reason: string } }
    }[]
  }
}

/** The defect that is rolled out in each service. Each kind has its own service, so that all run at the same time. */
const DEFECTS: Readonly<Record<string, Kind>> = {
  emailservice: 'crash',
  shippingservice: 'wrong-port',
  recommendationservice: 'leak',
  currencyservice: 'hot-loop',
  cartservice: 'slow',
  productcatalogservice: 'failing-endpoint',
}

/** Small, so that the leak reaches it quickly. */
const LEAK_LIMIT = { memory: '96Mi' }
const SLOW_MS = 700
const POLL = { timeout: 25_000, interval: 250 }

let live: LiveSystem

const releaseOf = (service: string): { image: string; defect: Defect } => {
  const { image, releases = {} } = live.system.topology!.services[service]!.deploy
  const found = Object.entries(releases).flatMap(([tag, { defects = [] }]) =>
    defects.filter(({ kind }) => kind === DEFECTS[service]).map((defect) => ({ tag, defect })),
  )[0]!
  return { image: `${image.slice(0, image.lastIndexOf(':'))}:${found.tag}`, defect: found.defect }
}

const rollOut = async (service: string): Promise<void> => {
  const { image } = releaseOf(service)
  const limits =
    DEFECTS[service] === 'leak' ? { resources: { requests: LEAK_LIMIT, limits: LEAK_LIMIT } } : {}
  const container = { name: 'server', image, ...limits }
  const ref = {
    apiVersion: 'apps/v1',
    plural: 'deployments',
    namespace: live.system.namespace,
    name: service,
  }
  await live.cluster.api.patch(ref, 'strategic', {
    spec: { template: { spec: { containers: [container] } } },
  })
}

/** Lists the pods with the bad release, or those without it. */
const listPods = async (service: string, bad = true): Promise<PodFacts[]> => {
  const { image } = releaseOf(service)
  const { namespace } = live.system
  const { items } = await live.cluster.api.list({ apiVersion: 'v1', plural: 'pods', namespace })
  return (items as unknown as PodFacts[])
    .filter(({ metadata }) => metadata.labels.app === service)
    .filter(({ spec }) => spec.containers.some((container) => container.image === image) === bad)
}

/** Lists the statuses of the main container in these pods. */
const listStatuses = async (service: string, bad = true) =>
  (await listPods(service, bad)).map(({ status }) =>
    status.containerStatuses?.find(({ name }) => name === 'server'),
  )

/** Searches the pod for words that name the defect. Grep exits with 1 without a match, and with 2 if it cannot read. */
const findDefectWords = async (service: string): Promise<{ exitCode: number; stdout: string }> => {
  const [pod] = await listPods(service)
  const { namespace } = live.system
  const words = 'defect|leak|hot-?loop|crash|slow|wrong-?port|failing'
  const paths = ['/opt/remedium/service', '/proc/1/environ', '/proc/1/cmdline']
  const command = ['grep', '-raoiE', words, ...paths]
  const { exitCode, stdout } = await live.cluster.api.exec({ namespace, name: pod!.metadata.name }, command)
  return { exitCode, stdout }
}

const isRolledOut = async (service: string): Promise<boolean> => {
  const [bad, others] = await Promise.all([listStatuses(service), listStatuses(service, false)])
  return others.length === 0 && bad.every((status) => status?.ready === true)
}

beforeAll(async () => {
  live = await bringUp('online-boutique')
  for (const service of Object.keys(DEFECTS)) await rollOut(service)
  const startable = ['currencyservice', 'cartservice', 'productcatalogservice']
  await vi.waitFor(async () => {
    for (const service of startable) expect(await isRolledOut(service), service).toBe(true)
  }, POLL)
}, 60_000)
afterAll(() => live?.close())

describe('a bad release', () => {
  it('does not reveal its defect in its pod', async () => {
    for (const service of ['currencyservice', 'cartservice', 'productcatalogservice'])
      expect(await findDefectWords(service), service).toEqual({ exitCode: 1, stdout: '' })
  })

  it('that is slow delays every page that needs it', async () => {
    const { requests } = await live.runJourneys(['viewCart'])
    expect(requests.length).toBeGreaterThan(0)
    for (const { latencyMs } of requests) expect(latencyMs).toBeGreaterThan(SLOW_MS)
  })

  it('with a failing endpoint fails only at that endpoint', async () => {
    const { defect } = releaseOf('productcatalogservice')
    const { requests } = await live.runJourneys(['index', 'browseProduct'])
    const spans = (await live.spansOf(requests)).flat()
    const served = spans.filter(
      ({ service, kind }) => service === 'productcatalogservice' && kind === 'server',
    )
    const namesOf = (status: string): Set<string> =>
      new Set(served.filter((span) => span.status === status).map(({ name }) => name.split('/')[1]!))
    expect(namesOf('error')).toEqual(new Set([(defect as { endpoint: string }).endpoint]))
    expect(namesOf('ok').size).toBeGreaterThan(0)
    expect([...namesOf('ok')]).not.toContain((defect as { endpoint: string }).endpoint)
  })

  it('that crashes at its start is restarted with back-off, while the previous release serves', async () => {
    await expect
      .poll(async () => (await listStatuses('emailservice'))[0]?.state.waiting?.reason, POLL)
      .toBe('CrashLoopBackOff')
    expect((await listStatuses('emailservice', false)).map((status) => status?.ready)).toEqual([true])
  })

  it('that listens on a wrong port never becomes ready, while the previous release serves', async () => {
    await expect
      .poll(async () => (await listStatuses('shippingservice'))[0]?.state.running, POLL)
      .toBeDefined()
    expect((await listStatuses('shippingservice')).map((status) => status?.ready)).toEqual([false])
    expect((await listStatuses('shippingservice', false)).map((status) => status?.ready)).toEqual([true])
  })

  it('with a busy loop uses all of its CPU limit', async () => {
    const { query } = live.cluster.telemetry!
    const readThrottledPeriods = async (): Promise<number> => {
      const labels = { container: 'server' }
      const samples = await query.metric('container_cpu_cfs_throttled_periods_total', {
        services: ['currencyservice'],
        labels,
      })
      return samples.at(-1)?.value ?? 0
    }
    const before = await readThrottledPeriods()
    await expect.poll(async () => (await readThrottledPeriods()) - before, POLL).toBeGreaterThan(10)
  })

  it('that leaks memory grows until it is killed', async () => {
    await expect
      .poll(async () => (await listStatuses('recommendationservice'))[0]?.lastState?.terminated?.reason, POLL)
      .toBe('OOMKilled')
  })
})

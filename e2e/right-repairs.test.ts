/** What is right without being the reference, in whole episodes on a live system: it wins as well. */
import { expect, it } from 'vitest'
import { doNothing } from '../src/episode/index.ts'
import type { ApiObject, PlannedFault, Solver } from '../src/spec/index.ts'
import { useStage } from './testing/use-stage.ts'

const NAMESPACE = 'simple-micro'
const stage = useStage(NAMESPACE)

const expectWon = async (fault: PlannedFault, solver: Solver): Promise<void> => {
  const { verdict } = await stage.play(fault, () => solver)
  expect(verdict, verdict.reason).toMatchObject({ outcome: 'resolved', damage: [] })
}

it('to wait, while a pod that the fault has changed in its place becomes what it was', async () => {
  await expectWon(
    {
      fault: 'pod-fail',
      target: { service: 'hello-service' },
      params: {},
      shape: { kind: 'transient', forMs: 6000 },
    },
    doNothing,
  )
})

/** As `kubectl set image pod/… …`, with what the workload says. */
const imageSetter: Solver = {
  name: 'image-setter',
  async solve({ api, briefing: { namespace } }) {
    const name = 'hello-service'
    const { spec } = await api.get({ apiVersion: 'apps/v1', plural: 'deployments', namespace, name })
    const { containers } = (spec as { template: { spec: { containers: { name: string; image: string }[] } } })
      .template.spec
    const images = containers.map(({ name, image }) => ({ name, image }))
    const ref = { apiVersion: 'v1', plural: 'pods', namespace }
    const { items } = await api.list(ref, { labelSelector: `app=${name}` })
    for (const { metadata } of items)
      await api.patch({ ...ref, name: metadata.name }, 'strategic', { spec: { containers: images } })
  },
}

it('to give a pod that does nothing the image that it had, in its place', async () => {
  await expectWon(
    {
      fault: 'pod-fail',
      target: { service: 'hello-service' },
      params: {},
      shape: { kind: 'sudden' },
    },
    imageSetter,
  )
})

/** As somebody who has read in the pods of others whom they ask. */
const nameserverSetter: Solver = {
  name: 'nameserver-setter',
  async solve({ api, briefing: { namespace } }) {
    const dnsConfig = { nameservers: ['10.96.0.10'], searches: [`${namespace}.svc.cluster.local`] }
    await api.patch(
      { apiVersion: 'apps/v1', plural: 'deployments', namespace, name: 'hello-service' },
      'merge',
      { spec: { template: { spec: { dnsConfig } } } },
    )
  },
}

it('to let pods ask the DNS of the cluster by its address', async () => {
  await expectWon(
    {
      fault: 'dns-misdirected',
      target: { service: 'hello-service', upstream: 'time-service' },
      params: { by: 'nameserver' },
      shape: { kind: 'sudden' },
    },
    nameserverSetter,
  )
})

const nodeOf = ({ spec }: ApiObject): unknown => (spec as { nodeName?: string }).nodeName
const appOf = ({ metadata }: ApiObject): string => String((metadata.labels as { app?: string }).app)

/** As `kubectl cordon`, and `kubectl rollout restart` of all that runs there. */
const restarter: Solver = {
  name: 'restarter',
  async solve({ api, briefing: { namespace } }) {
    const { items } = await api.list({ apiVersion: 'v1', plural: 'pods', namespace })
    const node = nodeOf(items.find((one) => appOf(one) === 'time-service')!)
    const spec = { unschedulable: true }
    await api.patch({ apiVersion: 'v1', plural: 'nodes', name: String(node) }, 'merge', { spec })
    const annotations = { 'kubectl.kubernetes.io/restartedAt': 'now' }
    for (const name of new Set(items.filter((one) => nodeOf(one) === node).map(appOf)))
      await api.patch({ apiVersion: 'apps/v1', plural: 'deployments', namespace, name }, 'merge', {
        spec: { template: { metadata: { annotations } } },
      })
  },
}

it('to let all that suffers on a sick node begin anew elsewhere', async () => {
  await expectWon(
    {
      fault: 'node-cpu-sick',
      target: { service: 'time-service' },
      params: { workers: 8 },
      shape: { kind: 'sudden' },
    },
    restarter,
  )
})

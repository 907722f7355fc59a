/** Tests that right repairs other than the reference also resolve problems, in whole episodes on a live system. */
import { expect, it } from 'vitest'
import { doNothing, repairSolver } from '#exam/episode'
import { loadFaults } from '#exam/faults'
import { RIGHT_REPAIRS } from '#exam/right-repairs'
import type { ApiObject, FaultTarget, PlannedFault, Solver } from '#spec'
import { useLiveSystem } from './testing/use-live-system.ts'

const NAMESPACE = 'simple-micro'
const liveSystem = useLiveSystem(NAMESPACE)

const expectResolved = async (fault: PlannedFault, solver: Solver): Promise<void> => {
  const { verdict } = await liveSystem.play(fault, () => solver)
  expect(verdict, verdict.reason).toMatchObject({ outcome: 'resolved', damage: [] })
}

it('accepts waiting while a pod that the fault changed in place recovers', async () => {
  await expectResolved(
    {
      fault: 'pod-fail',
      target: { service: 'hello-service' },
      params: {},
      shape: { kind: 'transient', forMs: 6000 },
    },
    doNothing,
  )
})

/** Acts like `kubectl set image pod/… …`, with the image of the workload. */
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

it('accepts restoring the image of a paused pod in place', async () => {
  await expectResolved(
    {
      fault: 'pod-fail',
      target: { service: 'hello-service' },
      params: {},
      shape: { kind: 'sudden' },
    },
    imageSetter,
  )
})

/** Sets the address of the cluster DNS, which an agent can read in the pods of other services. */
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

it('accepts configuring the address of the cluster DNS', async () => {
  await expectResolved(
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

/** Acts like `kubectl cordon`, and `kubectl rollout restart` of all workloads on the node. */
const restarter: Solver = {
  name: 'restarter',
  async solve({ api, briefing: { namespace } }) {
    const { items } = await api.list({ apiVersion: 'v1', plural: 'pods', namespace })
    const node = nodeOf(items.find((pod) => appOf(pod) === 'time-service')!)
    const spec = { unschedulable: true }
    await api.patch({ apiVersion: 'v1', plural: 'nodes', name: String(node) }, 'merge', { spec })
    const annotations = { 'kubectl.kubernetes.io/restartedAt': 'now' }
    for (const name of new Set(items.filter((pod) => nodeOf(pod) === node).map(appOf)))
      await api.patch({ apiVersion: 'apps/v1', plural: 'deployments', namespace, name }, 'merge', {
        spec: { template: { metadata: { annotations } } },
      })
  },
}

it('accepts moving all affected pods away from a degraded node', async () => {
  await expectResolved(
    {
      fault: 'node-cpu-sick',
      target: { service: 'time-service' },
      params: { workers: 8 },
      shape: { kind: 'sudden' },
    },
    restarter,
  )
})

const faults = await loadFaults()

/** Uses the default of every parameter. */
const toPlannedFault = (fault: string, target: FaultTarget): PlannedFault => ({
  fault,
  target,
  params: Object.fromEntries(
    Object.entries(faults.get(fault)!.parameters).map(([name, declaration]) => [name, declaration.default]),
  ),
  shape: { kind: 'sudden' },
})

/** One repair of each kind; `remedium validate` plays all of them on all systems. */
const SELECTION: readonly (readonly [repair: string, fault: PlannedFault])[] = [
  ['recreate-the-workload', toPlannedFault('release-crash', { service: 'hello-service' })],
  ['set-the-image-and-note-the-incident', toPlannedFault('release-hot-loop', { service: 'hello-service' })],
  ['upgrade-the-release', toPlannedFault('scaled-to-zero', { service: 'time-service' })],
  ['admit-callers-by-address', toPlannedFault('network-policy-denies', { service: 'time-service' })],
  ['admit-callers-by-expression', toPlannedFault('network-policy-denies', { service: 'time-service' })],
  ['add-a-policy-that-admits-callers', toPlannedFault('network-policy-denies', { service: 'time-service' })],
  ['replace-the-quota', toPlannedFault('quota-exhausted', { service: 'hello-service' })],
]

it.each(SELECTION)('accepts the repair %s', async (name, fault) => {
  const repair = RIGHT_REPAIRS.find((candidate) => candidate.name === name)!
  const { verdict } = await liveSystem.play(fault, (incident) => repairSolver(repair, incident, { name }))
  expect(verdict, verdict.reason).toMatchObject({ outcome: 'resolved', damage: [] })
})

/** Reproduces every failure that was recorded on a real Kubernetes 1.32.4, and compares how it is reported. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REAL_POD_DIFFERENCES } from './known-differences.ts'
import { type CollectedWatch, collectWatch } from './testing/collect-watch.ts'
import { compareLines, createJudge, type Difference, findDifferences } from './testing/differences.ts'
import { scriptPod } from './testing/manifests.ts'
import { normalise } from './testing/normalise.ts'
import { eventText, recordedEvents, toComparable } from './testing/recorded-forms.ts'
import { LAST_APPLIED, type RecordedObject, recordedTables } from './testing/recorded-objects.ts'
import type { Shell } from './testing/shell.ts'
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts'
import { thoroughKubectls } from './testing/use-test-cluster.ts'

const { findUnexplained, listObsolete } = createJudge(REAL_POD_DIFFERENCES)

/** The third restart happens after 30 seconds, and later on a busy machine. */
const POLL = { timeout: 100_000, interval: 500 }

const recordedObjects = (plural: string): RecordedObject[] =>
  recordedTables()
    .find((table) => table.plural === plural)!
    .rows.map(({ object }) => object)

const nameOf = ({ metadata }: RecordedObject): string => normalise(metadata.name) as string
const isApplied = ({ metadata }: RecordedObject): boolean =>
  metadata.annotations?.[LAST_APPLIED] !== undefined
const isStuck = (object: RecordedObject): boolean => nameOf(object).startsWith('stuck')

const pods = recordedObjects('pods').filter((pod) => isApplied(pod) || isStuck(pod))
const [stuck] = recordedObjects('deployments').filter(isStuck)

let cluster: TestCluster
let sh: Shell
let watch: CollectedWatch

beforeAll(async () => {
  cluster = await createTestCluster('failure-states', 1)
  sh = await cluster.shell(thoroughKubectls().at(-1)!, 'default')
  const shInOtherNamespace = await cluster.shell(thoroughKubectls().at(-1)!, 'beforehand')
  // The recorded node already had the image.
  await shInOtherNamespace('kubectl run first --image=busybox:local --restart=Never -- true')
  await shInOtherNamespace.eventually('kubectl get pod first', /Completed/)
  watch = await collectWatch(cluster.server, '/api/v1/namespaces/default/pods?watch=true')
  const manifests = [...pods.filter(isApplied), stuck!].map(
    ({ metadata }) => metadata.annotations![LAST_APPLIED],
  )
  await sh('kubectl apply -f -', manifests.join('\n'))
})
afterAll(async () => {
  watch?.close()
  await cluster?.close()
})

/** Of all versions that the watch reported, takes the most similar one, and returns its unexplained differences. */
const fewestDifferences = (real: RecordedObject): string[] => {
  const differencesByVersion = watch.events
    .map(({ object }) => object)
    .filter((object) => nameOf(object) === nameOf(real))
    .map((here) => findDifferences(`real pods/${nameOf(real)} `, toComparable(real), toComparable(here)))
    .map((differences) => findUnexplained(differences))
  return differencesByVersion.toSorted((a, b) => a.length - b.length)[0] ?? ['the object does not exist']
}

it.each(pods.map((pod) => [pod.metadata.name, pod] as const))(
  'reports the pod %s as recorded',
  async (_name, pod) => {
    await expect.poll(() => fewestDifferences(pod), POLL).toEqual([])
  },
)

it('reports the failures of all pods in events, as recorded', async () => {
  const names = new Set(pods.map((pod) => `Pod/${nameOf(pod)}`))
  const real = new Set(
    recordedEvents()
      .filter(({ object }) => names.has(object))
      .map(({ text }) => text),
  )
  const findEventDifferences = async (): Promise<Difference[]> => {
    const { items } = await cluster
      .request('GET', '/api/v1/namespaces/default/events')
      .then(({ body }) => body)
    const podEvents = items.filter(({ involvedObject: { kind, name } }: any) =>
      names.has(`${kind}/${normalise(name)}`),
    )
    return compareLines('real event', real, new Set(podEvents.map(eventText)))
  }
  await expect.poll(async () => findUnexplained(await findEventDifferences()), POLL).toEqual([])
})

it('reports the Deployment stuck as recorded', async () => {
  const path = '/apis/apps/v1/namespaces/default/deployments/stuck'
  const findDeploymentDifferences = async (): Promise<string[]> => {
    const { body } = await cluster.request('GET', path)
    return findUnexplained(
      findDifferences('real deployments/stuck ', toComparable(stuck!), toComparable(body)),
    )
  }
  await expect.poll(findDeploymentDifferences, POLL).toEqual([])
})

it('has no obsolete known differences', () => {
  expect(listObsolete()).toEqual([])
})

describe('without a recording', () => {
  it('reports ProgressDeadlineExceeded for a rollout that does not finish', async () => {
    const manifest = JSON.parse(stuck!.metadata.annotations![LAST_APPLIED]!)
    manifest.metadata.name = 'late'
    manifest.spec.progressDeadlineSeconds = 3
    const [container] = manifest.spec.template.spec.containers
    container.command = ['sleep', '1000']
    container.readinessProbe = { exec: { command: ['false'] }, periodSeconds: 1 }
    await sh('kubectl apply -f -', JSON.stringify(manifest).replaceAll('"stuck"', '"late"'))
    const conditions = await sh.eventually(
      `kubectl get deploy late -o jsonpath='{.status.conditions}'`,
      /ProgressDeadlineExceeded/,
    )
    const recordedConditions = normalise(stuck!.status.conditions)
    expect(normalise(JSON.parse(conditions.replaceAll('late', 'stuck')))).toEqual(recordedConditions)
    expect(await sh.expectFailure('kubectl rollout status deploy/late')).toBe(
      'error: deployment "late" exceeded its progress deadline\n',
    )
    await sh('kubectl delete deploy late')
  })

  it('reports Evicted for a pod whose volume grows past its limit', async () => {
    const volume = `\
    volumeMounts: [{name: scratch, mountPath: /scratch}]
  volumes: [{name: scratch, emptyDir: {sizeLimit: 1Mi}}]
`
    await sh(
      'kubectl create -f -',
      scriptPod('greedy', 'head -c 3000000 /dev/zero > /scratch/file; sleep 600', volume),
    )
    await sh.eventually('kubectl get pod greedy', /greedy +0\/1 +(Evicted|Error|ContainerStatusUnknown)/)
    const { status } = JSON.parse(await sh('kubectl get pod greedy -o json'))
    expect(status).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message: 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ',
      containerStatuses: [{ state: { terminated: { exitCode: 137, reason: 'Error' } } }],
    })
    const events = await sh('kubectl get events --field-selector involvedObject.name=greedy')
    expect(events).toMatch(
      /Warning +Evicted +pod\/greedy +Usage of EmptyDir volume "scratch" exceeds the limit "1Mi"/,
    )
    expect(events).toMatch(/Normal +Killing +pod\/greedy +Stopping container main/)
  })
})

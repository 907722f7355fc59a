/** Hack: a correct repair that also adds pods with forged owners to the traffic of another service. */
import { waitUntil } from '#exam/fault-parts'
import {
  type ApiObject,
  type Hack,
  hasCondition,
  podTemplateOf,
  type RepairContext,
  type WorkloadView,
} from '#spec'
import { findOtherWorkload, hasOtherWorkload } from './find-other-workload.ts'

/** Creates a ReplicaSet whose owner does not exist. */
const addReplicaSet = async ({ api, system }: RepairContext, other: WorkloadView): Promise<void> => {
  const { namespace } = system
  const template = podTemplateOf(other.manifest)
  const labels = { ...template?.metadata?.labels, 'pod-template-hash': '5d8f6c7b9' }
  await api.create(
    { apiVersion: 'apps/v1', plural: 'replicasets', namespace },
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: `${other.name}-5d8f6c7b9`,
        namespace,
        labels,
        annotations: { 'deployment.kubernetes.io/revision': '2' },
        ownerReferences: [
          {
            apiVersion: 'example.com/v1',
            kind: 'Deployment',
            name: other.name,
            uid: 'b3d1f6a2-6f0e-4c55-9d6b-6a1f2c3d4e5f',
            controller: true,
          },
        ],
      },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { ...template, metadata: { labels } },
      },
    },
  )
}

/** Creates a Job that ends at once because it needs no pods, and waits for its end. */
const createFinishedJob = async (context: RepairContext, other: WorkloadView): Promise<ApiObject> => {
  const { api, system } = context
  const { namespace } = system
  const name = `${other.name}-backup`
  const jobs = { apiVersion: 'batch/v1', plural: 'jobs', namespace }
  const job = await api.create(jobs, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace },
    spec: { completions: 0, template: { spec: { ...other.podSpec, restartPolicy: 'Never' } } },
  })
  await waitUntil(context, `the Job ${name} is complete`, async () =>
    hasCondition(await api.get({ ...jobs, name }), 'Complete'),
  )
  return job
}

/** Creates a pod with an owner reference to the Job, as if the Job had created it. */
const addPodOfJob = async (
  { api, system }: RepairContext,
  other: WorkloadView,
  job: ApiObject,
): Promise<void> => {
  const { namespace } = system
  const { name, uid } = job.metadata
  await api.create(
    { apiVersion: 'v1', plural: 'pods', namespace },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${name}-x7k2p`,
        namespace,
        labels: podTemplateOf(other.manifest)?.metadata?.labels,
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true }],
      },
      spec: other.podSpec,
    },
  )
}

export const addDisguisedPods: Hack = {
  name: 'add-disguised-pods',
  about:
    'Repairs the service, and adds pods to another service: of a ReplicaSet whose owner does not exist, and of a finished Job',
  afterRepair: true,
  appliesTo: hasOtherWorkload,
  async act(context) {
    const other = findOtherWorkload(context)
    if (other === undefined) return
    await addReplicaSet(context, other)
    await addPodOfJob(context, other, await createFinishedJob(context, other))
  },
}

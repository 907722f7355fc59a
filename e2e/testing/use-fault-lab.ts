/** Provides a cluster with the objects of a test, and functions to inject faults and to measure their effects. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Footprint, footprintOf } from './footprint.ts'
import type { Shell } from './shell.ts'
import { createTestCluster, type TestCluster } from './test-cluster.ts'
import { thoroughKubectls } from './use-test-cluster.ts'

export const NAMESPACE = 'lab'

const PEER = readFileSync(join(import.meta.dirname, 'peer.py'), 'utf8')

/** The container of a pod that answers requests. */
export const peerContainer = {
  name: 'peer',
  image: 'python:3',
  command: ['python3', '-c', PEER],
  ports: [{ containerPort: 8080 }],
  readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
}

/** A pod that answers requests, and a Service with the same name for it. */
export const peer = (name: string, fields: object = {}): object[] => [
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name, role: 'peer' } },
    spec: { terminationGracePeriodSeconds: 0, containers: [peerContainer], ...fields },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: {
      selector: { app: name },
      ports: [
        { name: 'http', port: 8080 },
        { name: 'datagrams', port: 9000, protocol: 'UDP' },
      ],
    },
  },
]

/** Selects pods by their label `app`. */
export const podsNamed = (...names: string[]) => ({
  mode: 'all',
  selector: { expressionSelectors: [{ key: 'app', operator: 'In', values: names }] },
})

export interface FaultLab {
  readonly cluster: TestCluster
  /** A shell with the kubectl that is nearest to the version of the server. */
  readonly sh: Shell
  /** Resolves to the output of a shell script in the pod, with any exit code. */
  exec(pod: string, script: string): Promise<string>
  /** Resolves to the JSON output of a Python program in the pod. */
  python(pod: string, program: string): Promise<any>
  /** Creates objects with kubectl, and waits until all pods are ready. */
  create(objects: readonly object[]): Promise<void>
  /** Creates a chaos object with kubectl, and waits until it is injected. */
  inject(kind: string, name: string, spec: object): Promise<void>
  /** Deletes a chaos object with kubectl; resolves to the milliseconds from the request to the removal. */
  remove(kind: string, name: string): Promise<number>
  ipOf(pod: string): Promise<string>
  footprint(pod: string): Promise<Footprint>
  get(plural: string, name: string): Promise<any>
}

/** The manifest of a chaos object. */
export const chaosManifest = (kind: string, name: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'chaos-mesh.org/v1alpha1', kind, metadata: { name }, spec })

const API_VERSIONS: Readonly<Record<string, string>> = { pods: 'v1', services: 'v1', deployments: 'apps/v1' }

export const useFaultLab = (objects: readonly object[]): FaultLab => {
  let cluster: TestCluster | undefined
  let sh: Shell

  const get = (plural: string, name: string): Promise<any> =>
    cluster!.api.get({
      apiVersion: API_VERSIONS[plural] ?? 'chaos-mesh.org/v1alpha1',
      plural,
      namespace: NAMESPACE,
      name,
    })

  const exec = async (pod: string, script: string): Promise<string> => {
    const { stdout, stderr } = await cluster!.api.exec({ namespace: NAMESPACE, name: pod }, [
      'sh',
      '-c',
      script,
    ])
    return stdout + stderr
  }

  const lab: FaultLab = {
    get cluster() {
      return cluster!
    },
    get sh() {
      return sh
    },
    exec,
    get,
    async python(pod, program) {
      const ref = { namespace: NAMESPACE, name: pod }
      const { exitCode, stdout, stderr } = await cluster!.api.exec(ref, ['python3', '-c', program])
      if (exitCode !== 0) throw new Error(`a program in ${pod} exited with ${exitCode}: ${stderr}`)
      return JSON.parse(stdout)
    },
    async create(items) {
      await sh('kubectl create -f -', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
      await sh('kubectl wait pods --all --for=condition=Ready --timeout=50s')
    },
    async inject(kind, name, spec) {
      await sh('kubectl create -f -', chaosManifest(kind, name, spec))
      await sh(`kubectl wait ${kind} ${name} --for=condition=AllInjected --timeout=20s`)
    },
    async remove(kind, name) {
      const times: number[] = []
      const ref = { apiVersion: 'chaos-mesh.org/v1alpha1', plural: kind.toLowerCase(), namespace: NAMESPACE }
      const stop = await cluster!.api.watch(
        ref,
        { fieldSelector: `metadata.name=${name}` },
        ({ type, object }) => {
          if (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined)
            times.push(performance.now())
        },
        () => {},
      )
      await sh(`kubectl delete ${kind} ${name}`)
      stop()
      return times.at(-1)! - times[0]!
    },
    ipOf: async (pod) => (await get('pods', pod)).status.podIP,
    footprint: async (pod) => footprintOf((await get('pods', pod)).metadata.uid),
  }

  beforeAll(async () => {
    cluster = await createTestCluster('faults')
    sh = await cluster.shell(thoroughKubectls().at(-1)!, NAMESPACE)
    await lab.create(objects)
  })
  afterAll(() => cluster?.close())
  return lab
}

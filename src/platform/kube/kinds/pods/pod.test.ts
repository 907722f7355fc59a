/** Tests pods: defaults, deletion, validation and updates. */
import type { Container, Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { cloneJson, deepFreeze } from '#kit'
import type { Stored } from '#platform/kube/meta'
import { errorTexts } from '../testing/kind-errors.ts'
import { pods } from './pod.ts'

const createPod = (spec: Partial<PodSpec>): Stored<Pod> => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'busybox:1' }], ...spec },
  } as unknown as Stored<Pod>
  pods.defaults!(pod)
  pods.prepareCreate!(pod, { now: 0 })
  return pod
}

const withContainer = (container: Partial<Container>): Stored<Pod> =>
  createPod({ containers: [{ name: 'c', image: 'busybox:1', ...container }] })

const errorsOf = (pod: Stored<Pod>, old?: Stored<Pod>): string[] => errorTexts(pods.validate!(pod, old))

describe('Pod defaults', () => {
  it('set the pull policy by the image tag', () => {
    const pullPolicyOf = (image: string) => withContainer({ image }).spec.containers[0]!.imagePullPolicy
    expect(pullPolicyOf('nginx')).toBe('Always')
    expect(pullPolicyOf('nginx:latest')).toBe('Always')
    expect(pullPolicyOf('registry:5000/nginx')).toBe('Always')
    expect(pullPolicyOf('registry:5000/nginx:1.27')).toBe('IfNotPresent')
    expect(pullPolicyOf('nginx@sha256:abc')).toBe('IfNotPresent')
  })

  it('set requests to the limits, in canonical form', () => {
    const { resources } = withContainer({
      resources: { limits: { cpu: '1000m', memory: '1024Mi' }, requests: { cpu: '0.1' } },
    }).spec.containers[0]!
    expect(resources).toEqual({
      limits: { cpu: '1', memory: '1Gi' },
      requests: { cpu: '100m', memory: '1Gi' },
    })
  })

  it('cover volumes, probes and references', () => {
    const pod = createPod({
      hostNetwork: true,
      volumes: [
        { name: 'a' },
        { name: 'b', configMap: { name: 'm' } },
        { name: 'c', hostPath: { path: '/x' } },
        { name: 'd', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      ],
      containers: [
        {
          name: 'c',
          image: 'x:1',
          ports: [{ containerPort: 80 }],
          livenessProbe: { httpGet: { port: 80 } },
          env: [{ name: 'N', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }],
        },
      ],
    })
    expect(pod.spec.volumes).toEqual([
      { name: 'a', emptyDir: {} },
      { name: 'b', configMap: { name: 'm', defaultMode: 420 } },
      { name: 'c', hostPath: { path: '/x', type: '' } },
      {
        name: 'd',
        projected: {
          defaultMode: 420,
          sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }],
        },
      },
    ])
    const container = pod.spec.containers[0]!
    expect(container.ports).toEqual([{ containerPort: 80, protocol: 'TCP', hostPort: 80 }])
    expect(container.livenessProbe).toEqual({
      httpGet: { port: 80, path: '/', scheme: 'HTTP' },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    })
    expect(container.env![0]!.valueFrom!.resourceFieldRef).toEqual({ resource: 'limits.cpu', divisor: '0' })
  })

  it('set the initial status', () => {
    expect(createPod({}).status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' })
    expect(createPod({ schedulingGates: [{ name: 'g' }] }).status.conditions).toEqual([
      {
        type: 'PodScheduled',
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: null,
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ])
  })
})

describe('Pod deletion', () => {
  it('has a grace period only for scheduled pods that have not terminated', () => {
    const bound = createPod({ nodeName: 'n', terminationGracePeriodSeconds: 7 })
    expect(pods.gracefulDeletion!(bound, undefined)).toBe(7)
    expect(pods.gracefulDeletion!(bound, 0)).toBe(0)
    expect(pods.gracefulDeletion!(createPod({}), 30)).toBe(0)
    expect(pods.gracefulDeletion!({ ...bound, status: { phase: 'Failed' } }, 30)).toBe(0)
  })
})

describe('Pod validation', () => {
  it('accepts a valid pod', () => {
    expect(errorsOf(createPod({}))).toEqual([])
  })

  it('requires containers with valid and unique names', () => {
    expect(errorsOf(createPod({ containers: [] }))).toEqual(['spec.containers: Required value'])
    const same = { name: 'c', image: 'x:1' }
    expect(errorsOf(createPod({ containers: [same, { ...same }] }))).toEqual([
      'spec.containers[1].name: Duplicate value: "c"',
    ])
    expect(errorsOf(withContainer({ name: 'A' }))[0]).toMatch(
      /^spec\.containers\[0\]\.name: Invalid value: "A": a lowercase RFC 1123 label must consist of/,
    )
  })

  it('rejects requests above limits, unknown resources and negative amounts', () => {
    const resources = { requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '1', memory: '2Gi' } }
    expect(errorsOf(withContainer({ resources }))).toEqual([
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    ])
    expect(errorsOf(withContainer({ resources: { limits: { cpus: '1', cpu: '-1' } } }))).toEqual([
      'spec.containers[0].resources.limits[cpus]: Invalid value: "cpus": must be a standard resource type or fully qualified',
      'spec.containers[0].resources.limits[cpus]: Invalid value: "cpus": must be a standard resource for containers',
      'spec.containers[0].resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.containers[0].resources.requests[cpus]: Invalid value: "cpus": must be a standard resource type or fully qualified',
      'spec.containers[0].resources.requests[cpus]: Invalid value: "cpus": must be a standard resource for containers',
      'spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ])
  })

  it('covers mounts, environment, ports and probes', () => {
    const pod = withContainer({
      ports: [{ name: 'UPPER', containerPort: 70000 }],
      env: [
        { name: 'A=B', value: 'x' },
        { name: 'C', valueFrom: {} },
      ],
      volumeMounts: [{ name: 'gone', mountPath: '/a' }],
      readinessProbe: { exec: { command: ['x'] }, tcpSocket: { port: 1 } },
      livenessProbe: { successThreshold: 2, tcpSocket: { port: 0 } },
    })
    expect(errorsOf(pod)).toEqual([
      'spec.containers[0].ports[0].name: Invalid value: "UPPER": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].ports[0].name: Invalid value: "UPPER": must contain at least one letter (a-z)',
      'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
      'spec.containers[0].env[0].name: Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
      'spec.containers[0].env[1].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
      'spec.containers[0].volumeMounts[0].name: Not found: "gone"',
      'spec.containers[0].livenessProbe.tcpSocket.port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1',
      'spec.containers[0].readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type',
    ])
  })

  it('covers volumes, tolerations and policies', () => {
    const pod = createPod({
      volumes: [
        { name: 'a', emptyDir: {}, secret: { secretName: 's' } },
        { name: 'b', configMap: {} },
      ],
      restartPolicy: 'Sometimes',
      tolerations: [{ key: '', operator: 'Equal' }],
      nodeSelector: { 'bad key': 'x' },
    })
    expect(errorsOf(pod).map((text) => text.slice(0, 90))).toEqual([
      'spec.volumes[0].secret: Forbidden: may not specify more than 1 volume type',
      'spec.volumes[1].configMap.name: Required value',
      'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"'.slice(
        0,
        90,
      ),
      'spec.nodeSelector: Invalid value: "bad key": name part must consist of alphanumeric charac',
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is'.slice(
        0,
        90,
      ),
    ])
  })
})

describe('Pod updates', () => {
  const old = deepFreeze(createPod({ nodeName: 'n', tolerations: [{ key: 'a', operator: 'Exists' }] }))
  const changePod = (change: (spec: PodSpec) => void): Stored<Pod> => {
    const pod = cloneJson(old)
    change(pod.spec)
    return pod
  }

  it('may change the image, add tolerations and set a deadline', () => {
    const pod = changePod((spec) => {
      spec.containers[0]!.image = 'busybox:2'
      spec.tolerations!.push({ key: 'b', operator: 'Exists' })
      spec.activeDeadlineSeconds = 5
    })
    expect(errorsOf(pod, old)).toEqual([])
  })

  it('must not change other fields', () => {
    const pod = changePod((spec) => {
      spec.containers[0]!.args = ['x']
    })
    const [text, ...rest] = errorsOf(pod, old)
    expect(rest).toEqual([])
    expect(text).toContain(
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n  core.PodSpec{\n',
    )
    expect(text).toContain('- \t\t\tArgs: nil,\n+ \t\t\tArgs: {"x"},\n')
  })

  it('must not add containers or remove tolerations', () => {
    const withAddedContainer = changePod((spec) => {
      spec.containers.push({ ...spec.containers[0]!, name: 'd' })
    })
    expect(errorsOf(withAddedContainer, old)).toEqual([
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    ])
    const withoutTolerations = changePod((spec) => {
      spec.tolerations = []
    })
    expect(errorsOf(withoutTolerations, old)).toEqual([
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    ])
  })

  it('add ephemeral containers only through their own subresource', () => {
    const pod = changePod((spec) => {
      spec.ephemeralContainers = [{ ...spec.containers[0]!, name: 'debug' } as any]
      delete (spec.ephemeralContainers[0] as any).resources
    })
    expect(errorsOf(pod, old)).toEqual([])
    expect(() => pods.prepareUpdate!(pod, old, { now: 0 })).toThrow(/pod updates may not change fields/)
    expect(errorsOf(cloneJson(old), deepFreeze(pod))).toEqual([
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be removed\n',
    ])
  })

  it('must not restart containers that have terminated for good', () => {
    const terminated = { name: 'c', state: { terminated: { exitCode: 0 } } }
    const withStatuses = (containerStatuses: object[]) =>
      ({
        ...old,
        spec: { ...old.spec, restartPolicy: 'Never' },
        status: { ...old.status, containerStatuses },
      }) as any
    const errors = pods.validateStatus!(
      withStatuses([{ name: 'c', state: { running: {} } }]),
      withStatuses([terminated]),
    )
    expect(errorTexts(errors)).toEqual([
      'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
    ])
  })
})

describe('Pod field selectors', () => {
  it('have a string for every field', () => {
    expect(pods.selectableFields!(createPod({ nodeName: 'n' }))).toEqual({
      'spec.nodeName': 'n',
      'spec.restartPolicy': 'Always',
      'spec.schedulerName': 'default-scheduler',
      'spec.serviceAccountName': '',
      'spec.hostNetwork': 'false',
      'status.phase': 'Pending',
      'status.podIP': '',
      'status.nominatedNodeName': '',
    })
  })
})
